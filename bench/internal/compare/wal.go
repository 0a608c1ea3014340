package compare

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/bench/internal/candidates"
	"github.com/idemgen/idemgen/bench/internal/load"
)

// WAL is how much of it new orders write, in bytes for each, just after a
// checkpoint: PostgreSQL then writes each page that is touched as a whole.
type WAL struct {
	Name     string  `json:"name"`
	Title    string  `json:"title"`
	Records  int     `json:"records"`
	Requests int     `json:"requests"`
	Bytes    float64 `json:"bytes"`
}

// The names of the measurements.
const (
	walBare        = "bare"
	walSmall       = "small"
	walSmallTimed  = "small-v7"
	walLargeRandom = "large-v4"
	walLargeTimed  = "large-v7"
)

// walOfTables measures it in a small and a large table, with random keys and
// with keys that begin with the time.
func (r *runner) walOfTables(ctx context.Context) error {
	for _, m := range []struct {
		name, title, candidate string
		version                byte
		large                  bool
	}{
		{walBare, "bare", "bare", '4', false},
		{walSmall, "idemgen, small table, random keys (UUIDv4)", "idemgen", '4', false},
		{walSmallTimed, "idemgen, small table, timed keys (UUIDv7)", "idemgen", '7', false},
		{walLargeRandom, "idemgen, large table, random keys (UUIDv4)", "idemgen", '4', true},
		{walLargeTimed, "idemgen, large table, timed keys (UUIDv7)", "idemgen", '7', true},
	} {
		if m.large && r.Large == 0 {
			continue
		}
		r.Progress("WAL: %s", m.title)
		records := 0
		if m.large {
			records = r.Large
		}
		c := &Case{candidate: candidates.Find(m.candidate), path: orders}
		database, err := r.makeDatabase(ctx, "wal_"+m.name, c.candidate)
		if err == nil {
			err = withoutAutovacuum(ctx, database)
		}
		if err == nil && m.large {
			if _, err = r.record(ctx, c.candidate, database); err == nil {
				err = fill(ctx, database, records, m.version)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.title, err)
		}
		bytes, err := r.walOf(ctx, c, database, m.version)
		if err != nil {
			return fmt.Errorf("%s: %w", m.title, err)
		}
		r.results.WAL = append(r.results.WAL, WAL{Name: m.name, Title: m.title, Records: records, Requests: r.WALRequests, Bytes: bytes})
		if err := r.dropLast(ctx); err != nil { // the large ones take gigabytes
			return err
		}
	}
	return nil
}

// walOf is what each of many requests adds.
func (r *runner) walOf(ctx context.Context, c *Case, database string, version byte) (float64, error) {
	const workers = 8
	p, err := server{candidate: c.candidate, database: database, connections: workers}.start(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = p.kill() }() // or it ends with us
	if _, err := answer(ctx, c, p.address, 100); err != nil {
		return 0, err
	}
	if _, err := r.admin.Exec(ctx, "CHECKPOINT"); err != nil {
		return 0, err
	}
	all := make([]*traffic, workers)
	for i := range all {
		all[i] = newTraffic(c, nil)
		all[i].version = version
	}
	before, err := r.wal(ctx)
	if err != nil {
		return 0, err
	}
	if err := load.Each(ctx, p.address, workers, r.WALRequests, func(worker int) load.Request { return all[worker].fresh() }); err != nil {
		return 0, err
	}
	after, err := r.wal(ctx)
	return float64(after-before) / float64(r.WALRequests), err
}

// withoutAutovacuum keeps autovacuum, whose WAL would be counted too, from the
// tables.
func withoutAutovacuum(ctx context.Context, database string) error {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, table := range []string{"products", "orders", "idempotency_records"} {
		if _, err := conn.Exec(ctx, "ALTER TABLE "+table+" SET (autovacuum_enabled = off)"); err != nil {
			return err
		}
	}
	return nil
}

// fill makes many records of the one that is there, as those of a day of
// requests. Their index is as full as such indexes are: where keys come in any
// order, pages are split in the middle.
func fill(ctx context.Context, database string, records int, version byte) error {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	id, full := "gen_random_uuid()", 70
	if version == '7' { // the runtime lets such a record's id begin with the key's second
		yesterday := time.Now().Add(-24 * time.Hour).Unix()
		id = fmt.Sprintf("(lpad(to_hex(%d + n * 86400::bigint / %d), 8, '0') || substr(md5(n::text), 9))::uuid", yesterday, records)
		full = 90
	}
	for _, statement := range []string{
		"ALTER TABLE idempotency_records DROP CONSTRAINT idempotency_records_pkey",
		"DROP INDEX idempotency_records_expires_at",
		fmt.Sprintf(`INSERT INTO idempotency_records (id, expires_at, status, fingerprint, header, body)
			SELECT %s, expires_at - (%d - n) * interval '8 ms', status, fingerprint, header, body
			FROM idempotency_records, generate_series(1, %d) n`, id, records, records),
		fmt.Sprintf("ALTER TABLE idempotency_records ADD CONSTRAINT idempotency_records_pkey PRIMARY KEY (id) WITH (fillfactor = %d)", full),
		"CREATE INDEX idempotency_records_expires_at ON idempotency_records (expires_at)",
		"VACUUM (FREEZE, ANALYZE) idempotency_records",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}
