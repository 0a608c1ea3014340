package runtime

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// DBTX is what a Store runs its statements on. The interface of the same name
// that sqlc generates for pgx/v5 is the same.
type DBTX interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
	Query(context.Context, string, ...any) (pgx.Rows, error)
	QueryRow(context.Context, string, ...any) pgx.Row
	SendBatch(context.Context, *pgx.Batch) pgx.BatchResults
}

// Store reads and writes records. Generated code implements it with the
// methods that sqlc made of the queries in the service's own repository. It
// keeps no state and is safe for concurrent use.
//
// Claim, Evict and Insert are given a DBTX that queues what they send with
// SendBatch until a result is read: statements that are sent before the first
// result is asked for share a round trip.
type Store interface {
	// Claim tries to take the transaction's lock on id, without waiting, and
	// then, as a statement of its own, reads the record of id. The claim's
	// record is nil if there is none.
	Claim(ctx context.Context, db DBTX, id ID) (Claim, error)
	// Evict queues the deletion of the record of id, if it has expired.
	Evict(ctx context.Context, db DBTX, id ID)
	// Insert queues the insert of a record that must not exist yet.
	Insert(ctx context.Context, db DBTX, id ID, r *Record)
	// DeleteExpired deletes up to limit expired records, oldest first, from those
	// that expired at after or later. It skips those that others have locked.
	DeleteExpired(ctx context.Context, db DBTX, after time.Time, limit int) (Deleted, error)
	// CountExpired counts the expired records that there are, but no more than
	// limit: its cost is bounded by that, not by the table.
	CountExpired(ctx context.Context, db DBTX, limit int) (Backlog, error)
}

// Deleted is what one DeleteExpired has done.
type Deleted struct {
	// Count is how many records it deleted.
	Count int64
	// Last is when the last of those expired, which is where the next
	// DeleteExpired starts. It is the after that was asked for if there were none.
	Last time.Time
}

// Backlog is what is left to delete.
type Backlog struct {
	// Count is how many expired records there are, up to the limit.
	Count int64
	// Oldest is how long ago the oldest of them expired, 0 if there are none.
	Oldest time.Duration
}

// Claim is what a request finds under its key.
type Claim struct {
	// Locked says that the key is this transaction's until it ends.
	Locked bool
	// Record is the stored answer, or nil.
	Record *Record
}

// Record is a finished request: what it was, and what it was answered.
type Record struct {
	// Fingerprint identifies the request: a version, then a hash.
	Fingerprint []byte
	// Status is the HTTP status of the response.
	Status int
	// Header holds the encoded headers of the response.
	Header []byte
	// Body is nil if the response was too large to be stored.
	Body []byte
	// TTL is how long a record that is inserted lives.
	TTL time.Duration
	// Expired is set on a record that was read after its time.
	Expired bool
}
