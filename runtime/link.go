package runtime

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// link is what the engine keeps with a connection for as long as it lives.
type link struct {
	// prepares says that pgx prepares statements on this connection, and that
	// nobody traces them. The engine's own may then go the short way.
	prepares bool
	// tx is pgx's transaction of this connection. The engine ends transactions
	// with statements of its own, so it never closes, and serves all of them.
	tx pgx.Tx
	// stale are the statements to prepare anew.
	stale []string

	params  pgx.ExtendedQueryBuilder
	formats []int16
	results linkResults
}

// linkKey is where pgx's connection keeps the link.
const linkKey = "github.com/idemgen/idemgen/runtime.link"

func linkOf(conn *pgx.Conn) *link {
	data := conn.PgConn().CustomData()
	l, ok := data[linkKey].(*link)
	if !ok {
		cfg := conn.Config() // a copy, too dear to make for each request
		l = &link{prepares: cfg.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement && cfg.Tracer == nil}
		data[linkKey] = l
	}
	return l
}

// sends tells whether the batch may go the short way.
func (l *link) sends(batch *pgx.Batch) bool {
	if !l.prepares {
		return false
	}
	for _, query := range batch.QueuedQueries {
		if query.Fn != nil {
			return false
		}
		if len(query.Arguments) > 0 {
			if _, rewrites := query.Arguments[0].(pgx.QueryRewriter); rewrites {
				return false
			}
		}
	}
	return true
}

// send executes prepared statements in one round trip. pgx's SendBatch does
// the same in a pipeline, which allocates more.
func (l *link) send(ctx context.Context, conn *pgx.Conn, queued *pgx.Batch) pgx.BatchResults {
	var batch pgconn.Batch
	l.formats = l.formats[:0]
	for _, query := range queued.QueuedQueries {
		// At once if it has been prepared, and not been deallocated since.
		statement, err := conn.Prepare(ctx, query.SQL, query.SQL)
		if err == nil {
			err = l.params.Build(conn.TypeMap(), statement, query.Arguments)
		}
		if err != nil {
			return pgx.FailedBatchResults(queued, err)
		}
		kept := len(l.formats) // the batch holds on to them
		l.formats = append(l.formats, l.params.ResultFormats...)
		batch.ExecStatement(statement, l.params.ParamValues, l.params.ParamFormats, l.formats[kept:])
	}
	l.results = linkResults{types: conn.TypeMap(), reader: conn.PgConn().ExecBatch(ctx, &batch)}
	return &l.results
}

// observe notes which statements are of no use any more: one of them is gone,
// or its table has changed in a way that its plan can't follow.
func (l *link) observe(err error, batch *pgx.Batch) {
	if err == nil || !l.prepares {
		return
	}
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || !outdated(pgErr) {
		return
	}
	for _, query := range batch.QueuedQueries {
		l.stale = append(l.stale, query.SQL)
	}
}

func outdated(err *pgconn.PgError) bool {
	return err.Code == invalidStatementName || err.Code == featureNotSupported
}

// linkResults are the results of send.
type linkResults struct {
	types  *pgtype.Map
	reader *pgconn.MultiResultReader
	row    linkRow
}

var errNoResult = errors.New("no more results")

func (r *linkResults) next() (*pgconn.ResultReader, error) {
	if r.reader.NextResult() {
		return r.reader.ResultReader(), nil
	}
	if err := r.reader.Close(); err != nil {
		return nil, err
	}
	return nil, errNoResult
}

func (r *linkResults) Exec() (pgconn.CommandTag, error) {
	result, err := r.next()
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	return result.Close()
}

func (r *linkResults) Query() (pgx.Rows, error) {
	result, err := r.next()
	if err != nil {
		return pgx.FailedBatchResults(&pgx.Batch{}, err).Query()
	}
	return pgx.RowsFromResultReader(r.types, result), nil
}

func (r *linkResults) QueryRow() pgx.Row {
	result, err := r.next()
	r.row = linkRow{types: r.types, result: result, err: err}
	return &r.row
}

func (r *linkResults) Close() error { return r.reader.Close() }

func (*linkResults) Tx() pgx.Tx { return nil }

// linkRow is the first row of a result. It is to be scanned before the next
// result is asked for.
type linkRow struct {
	types  *pgtype.Map
	result *pgconn.ResultReader
	err    error
}

func (r *linkRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	if !r.result.NextRow() {
		if _, err := r.result.Close(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	err := pgx.ScanRow(r.types, r.result.FieldDescriptions(), r.result.Values(), dest...)
	_, closeErr := r.result.Close()
	return errors.Join(err, closeErr)
}
