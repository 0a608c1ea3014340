package config

// Rule identifiers of this package's diagnostics. They are part of the interface
// to users: they stay what they are.
const (
	RuleFile        = "config/file"          // the file can't be read
	RuleSyntax      = "config/syntax"        // not YAML, or not one plain document
	RuleDuplicate   = "config/duplicate-key" // a key twice in one mapping
	RuleLimit       = "config/limit"         // too large or too deeply nested
	RuleUnknown     = "config/unknown-field" // a field that doesn't exist
	RuleType        = "config/type"          // a value of the wrong type
	RuleVersion     = "config/version"       // version is missing or not 1
	RuleRequired    = "config/required"      // a field that has no default is missing
	RulePath        = "config/path"          // a path that is absolute, leaves the folder or clashes
	RulePackage     = "config/package"       // not usable as a Go package name
	RuleTable       = "config/table"         // not usable as a table name
	RuleSchedule    = "config/schedule"      // not a schedule of pg_cron
	RuleUnsupported = "config/unsupported"   // known, but not supported yet
)
