package compare

// Machine is what the numbers depend on.
type Machine struct {
	Date       string `json:"date"`
	CPU        string `json:"cpu"`
	Cores      int    `json:"cores"`
	System     string `json:"system"`
	Load       string `json:"load_before"`
	Go         string `json:"go"`
	PostgreSQL string `json:"postgresql"`
	Settings   string `json:"postgresql_settings"`
	// Sync is how long fsync takes where the database's files are.
	Sync  Duration `json:"fsync"`
	Redis string   `json:"redis,omitempty"`
}
