// Package runtime is what the code that idemgen generates calls at run time:
// the engine that puts the idempotency record and the business write in one
// PostgreSQL transaction, and replays the stored response to every retry.
// Import it as idem.
//
// The HTTP contract follows draft-ietf-httpapi-idempotency-key-header-07.
// The package imports pgx and the standard library only.
package runtime

// IsAtLeastVersion0_1_0 is referred to by generated code, so that code which
// needs a newer runtime than the one in go.mod doesn't compile.
const IsAtLeastVersion0_1_0 = true
