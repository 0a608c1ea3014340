package life

// revision is one change of the spec and its deploy.
type revision struct {
	name string
	// edits change what generate reads: the spec, or idemgen.yaml.
	edits []edit
	// undo names a revision whose edits are taken back, and its edits by hand if
	// there are no others.
	undo string
	// words are in what generate prints.
	words []string
	// warns are the warnings that are expected, and no other.
	warns []warning
	// tells are the rules of what else generate reports, which --strict lets pass.
	tells []string
	// migrates is in the statements of the new migration; "" is for no migration.
	migrates string
	// leaves is in the comments of the new migration: what it leaves to the user.
	leaves string
	// stubs is for new methods, written by idemgen stubs.
	stubs bool
	// hand is what the user writes then.
	hand []edit
	// clients is what clients do from the deploy on.
	clients func(map[string]*kind)
	// renames are the tables that get another name.
	renames map[string]string
	// breaksOld is for a migration that servers from before can't work with.
	breaksOld bool
}

// warning is one that generate prints, and what it is about.
type warning struct {
	rule string
	of   string // the kind of requests, "" for all
	// retry is what becomes of a retry across the deploy.
	retry fate
}

// warned is the warning about a kind of requests, if there is one.
func (r *revision) warned(kind string) *warning {
	for i := range r.warns {
		if of := r.warns[i].of; of == kind || of == "" {
			return &r.warns[i]
		}
	}
	return nil
}

// The files that the edits are in.
const (
	spec          = "openapi.yaml"
	accountsGo    = "internal/service/accounts.go"
	transfersGo   = "internal/service/transfers.go"
	transfersSQL  = "db/queries/transfers.sql"
	notesGo       = "internal/service/notes.go"
	configuration = "idemgen.yaml"
)
