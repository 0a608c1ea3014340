package overlay

import "github.com/idemgen/idemgen/internal/diag/doctree"

// Rule identifiers of this package's diagnostics. They are part of the interface
// to users: they stay what they are.
const (
	RuleFile     = "overlay/file"          // the file can't be read
	RuleVersion  = "overlay/version"       // not Overlay 1.0 or 1.1
	RuleUnknown  = "overlay/unknown-field" // a field that doesn't exist
	RuleType     = "overlay/type"          // a value of the wrong type
	RuleRequired = "overlay/required"      // a field that must be there is not
	RuleExtends  = "overlay/extends"       // made for another document
	RuleAction   = "overlay/action"        // an action that does nothing, or two things
	RuleTarget   = "overlay/target"        // not a JSONPath, or one that can't be applied to
	RuleNoMatch  = "overlay/no-match"      // a target that the document doesn't have
	RuleMerge    = "overlay/merge"         // an update that doesn't fit its target
	RuleLimit    = "overlay/limit"         // a document too large or too deep after it
)

// Syntax are the rules under which overlay files are parsed.
var Syntax = doctree.Rules{Syntax: "overlay/syntax", Duplicate: "overlay/duplicate-key", Limit: RuleLimit}
