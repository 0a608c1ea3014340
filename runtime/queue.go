package runtime

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// queue is a DBTX that holds back what is sent with SendBatch until the first
// result is asked for. So statements that sqlc's batch methods send one after
// the other, and the BEGIN or COMMIT around them, make one round trip. A queue
// serves one trip.
type queue struct {
	*pgx.Conn
	link    *link
	batch   pgx.Batch
	results pgx.BatchResults
	read    int
	sends   int

	// The memory for as many as there usually are.
	handles [4]queuedResults
	queries [4]*pgx.QueuedQuery
}

// reset makes q an empty queue for the next trip.
func (q *queue) reset(conn *pgx.Conn, link *link) {
	*q = queue{Conn: conn, link: link}
	q.batch.QueuedQueries = q.queries[:0]
}

// begin puts BEGIN at the front. The first one of a connection is sent at once:
// in no other way does pgx make the transaction that the link keeps.
func (q *queue) begin(ctx context.Context, level pgx.TxIsoLevel) (err error) {
	options := pgx.TxOptions{IsoLevel: level}
	switch {
	case !q.link.prepares:
		q.batch.BeginTx(options)
	case q.link.tx == nil:
		q.link.tx, err = q.BeginTx(ctx, options)
	case level == "":
		q.batch.Queue("begin")
	default:
		q.batch.Queue("begin isolation level " + string(level))
	}
	return err
}

// tx is the transaction that begin has begun, or nil if it wasn't sent.
func (q *queue) tx() pgx.Tx {
	switch {
	case q.link.prepares:
		return q.link.tx
	case q.results == nil:
		return nil
	}
	return q.results.Tx()
}

// SendBatch queues the statements of b. The results may be read in the order
// of the queue only, and their Close does nothing: the queue's own close does.
func (q *queue) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	var r *queuedResults
	if q.sends < len(q.handles) {
		r = &q.handles[q.sends]
	} else {
		r = new(queuedResults)
	}
	q.sends++
	*r = queuedResults{ctx: ctx, queue: q, next: q.batch.Len()}
	q.batch.QueuedQueries = append(q.batch.QueuedQueries, b.QueuedQueries...)
	return r
}

func (q *queue) flush(ctx context.Context) {
	if q.results != nil || q.batch.Len() == 0 {
		return
	}
	if q.link.sends(&q.batch) {
		q.results = q.link.send(ctx, q.Conn, &q.batch)
	} else {
		q.results = q.Conn.SendBatch(ctx, &q.batch)
	}
}

// seek reads the results before result i, for whose statement nobody asks.
func (q *queue) seek(ctx context.Context, i int) error {
	q.flush(ctx)
	for q.read < i {
		q.read++
		if _, err := q.results.Exec(); err != nil {
			return err
		}
	}
	q.read++
	return nil
}

// close ends the trip: the connection can be used again.
func (q *queue) close() error {
	if q.results == nil {
		return nil
	}
	err := q.results.Close()
	q.link.observe(err, &q.batch)
	return err
}

type queuedResults struct {
	ctx   context.Context
	queue *queue
	next  int
}

func (r *queuedResults) seek() error {
	i := r.next
	r.next++
	return r.queue.seek(r.ctx, i)
}

func (r *queuedResults) Exec() (pgconn.CommandTag, error) {
	if err := r.seek(); err != nil {
		return pgconn.CommandTag{}, err
	}
	return r.queue.results.Exec()
}

// Query and QueryRow leave an error of an earlier statement to pgx, which
// reports it for every result that follows.
func (r *queuedResults) Query() (pgx.Rows, error) {
	_ = r.seek()
	return r.queue.results.Query()
}

func (r *queuedResults) QueryRow() pgx.Row {
	_ = r.seek()
	return r.queue.results.QueryRow()
}

func (*queuedResults) Close() error { return nil }
func (*queuedResults) Tx() pgx.Tx   { return nil }
