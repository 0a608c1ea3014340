package app

import "cmp"

// Config is what the environment says. The zero value doesn't: use
// ConfigFromEnv, which has defaults to try the service with.
type Config struct {
	// DatabaseURL is PostgreSQL's. Empty: a throwaway server that goes with the
	// program.
	DatabaseURL string
	// Addr is host:port to listen on; port 0 is any free one.
	Addr string
	// APIKeys is a list of tenant:key, separated by commas. Never log it.
	APIKeys string
}

// ConfigFromEnv reads DATABASE_URL, ADDR and API_KEYS.
func ConfigFromEnv(getenv func(string) string) Config {
	return Config{
		DatabaseURL: getenv("DATABASE_URL"),
		Addr:        cmp.Or(getenv("ADDR"), "127.0.0.1:8080"),
		APIKeys:     cmp.Or(getenv("API_KEYS"), "demo:demo"),
	}
}
