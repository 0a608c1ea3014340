package spec

// Rule identifiers of this package's diagnostics. They are part of the interface
// to users: they stay what they are.
const (
	RuleFile      = "openapi/file"          // the document can't be read
	RuleSyntax    = "openapi/syntax"        // not YAML or JSON, or not one plain document
	RuleDuplicate = "openapi/duplicate-key" // a key twice in one mapping
	RuleLimit     = "openapi/limit"         // too large, too deep, or exploding aliases
	RuleVersion   = "openapi/version"       // not OpenAPI 3.0 or 3.1
	RuleRef       = "openapi/ref"           // a $ref that leads nowhere
	RuleRemoteRef = "openapi/remote-ref"    // a $ref that would need the network
	RuleInvalid   = "openapi/invalid"       // kin-openapi refuses the document

	RuleGo = "openapi/go" // an extension whose value is not Go, or more than a name

	RuleMethod      = "extension/method"        // x-idempotent on a safe method
	RuleOperationID = "extension/operation-id"  // a marked operation without operationId
	RulePlace       = "extension/place"         // x-idempotent where it has no effect
	RuleUnsupported = "extension/unsupported"   // a field that is known but not supported yet
	RuleUnknown     = "extension/unknown-field" // a field that doesn't exist
	RuleType        = "extension/type"          // a value of the wrong type
	RuleName        = "extension/name"          // a name that is malformed or used twice
	RuleTTL         = "extension/ttl"           // not a duration, or out of range
	RuleWait        = "extension/wait"          // not a duration, or out of range
	RuleKeyHeader   = "extension/key-header"    // not usable as the key's header
	RuleKeyFormat   = "extension/key-format"    // not one of the key formats
	RuleKeyLength   = "extension/key-length"    // lengths out of range, or that no key has
	RuleKeyPattern  = "extension/key-pattern"   // not a Go pattern, or one too many
	RuleKeySource   = "extension/key-source"    // the key in two places, or in a body that isn't there
	RuleParameter   = "extension/key-parameter" // the key's header is declared, but as something else
	RulePointer     = "extension/pointer"       // malformed, or not what the body's schema has
	RuleScope       = "extension/scope"         // not a scope, or one that leaks
	RuleFingerprint = "extension/fingerprint"   // parts that exclude each other, or mean nothing
	RuleStore       = "extension/store"         // not statuses that can be stored
	RuleIsolation   = "extension/isolation"     // not an isolation level

	RuleQuery = "extension/query" // not a query that can be a whole write

	RuleResponseHeader = "extension/response-header" // a declared header that is never stored
)
