package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/idemdb"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	idem "github.com/idemgen/idemgen/runtime"
)

// world is two servers on one database, on which plans are carried out, one
// after the other. Each plan has keys and names of its own.
type world struct {
	clients  [2]map[string]*shoptest.Client // of each server, by tenant
	db       *pgxpool.Pool
	attempts attempts
	sent     atomic.Int64 // attempts
	plans    int
}

// patience is for a busy machine: no answer of these histories is excused by it.
const patience = time.Minute

func newWorld(t testing.TB, url string) *world {
	t.Helper()
	w := &world{}
	for i := range w.clients {
		s := start(t, setup{
			url:      url,
			config:   idem.Config{StoreTimeout: patience, HandlerTimeout: patience},
			handlers: func(h api.Handlers) api.Handlers { return moody{h} },
			around:   w.attempts.around,
		})
		w.clients[i] = map[string]*shoptest.Client{shoptest.Acme: s.Client, shoptest.Globex: s.as(shoptest.GlobexKey)}
		w.db = s.db
	}
	return w
}

// unchecked is the world of a database that is broken, whose answers the document
// doesn't have.
func (w *world) unchecked() *world {
	for _, clients := range w.clients {
		for tenant, client := range clients {
			clients[tenant] = client.Unchecked()
		}
	}
	return w
}

// history is a plan that is carried out, and what is seen of it.
type history struct {
	*world
	name  string
	begin time.Time

	hungUp sync.WaitGroup // requests that only the server still knows

	mu  sync.Mutex
	ops map[partition][]porcupine.Operation
	err error // of the test itself
}

// run carries out a plan, and then looks at what is left.
func (w *world) run(p plan) (*history, error) {
	w.plans++
	h := &history{world: w, name: fmt.Sprintf("plan%d", w.plans), begin: time.Now(), ops: map[partition][]porcupine.Operation{}}
	touched := p.partitions()
	for at := range touched {
		const stock = "INSERT INTO products (tenant, sku, name, price_cents, stock) VALUES ($1, $2, 'Leash', 100, 1000)"
		if _, err := w.db.Exec(context.Background(), stock, at.tenant, h.mark(at)); err != nil {
			return nil, err
		}
	}
	var clients sync.WaitGroup
	for id, steps := range p {
		clients.Go(func() {
			for _, s := range steps {
				time.Sleep(s.pause)
				h.take(id, s)
			}
		})
	}
	clients.Wait()
	h.hungUp.Wait()
	for at := range touched {
		h.take(len(p), step{kind: observe, at: at})
	}
	return h, h.err
}

func (p plan) partitions() map[partition]bool {
	all := map[partition]bool{}
	for _, steps := range p {
		for _, s := range steps {
			if s.kind != clean {
				all[s.at] = true
			}
		}
	}
	return all
}

// mark is a text that is in every row, and in every stored answer, of the
// partition, and in no other: a stock keeping unit, too.
func (h *history) mark(at partition) string { return h.name + "-" + at.String() + "-" }

// take carries out a step, and notes what is seen of it.
func (h *history) take(client int, s step) {
	call := time.Since(h.begin)
	var out seen
	var err error
	switch s.kind {
	case clean:
		_, err = idem.NewCleaner(h.db, idemdb.NewStore(), idem.CleanerConfig{}).Clean(context.Background())
		if serializable() {
			err = nil // PostgreSQL may refuse it; another pass comes
		}
	case expire:
		out, err = h.expire(s.at)
	case observe:
		out, err = h.observe(s.at)
	case request:
		h.request(client, s)
		return
	}
	h.note(client, s, call, out, err)
}

func (h *history) note(client int, s step, call time.Duration, out seen, err error) {
	finished := time.Since(h.begin)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		h.err = fmt.Errorf("%s: %w", s, err)
	}
	if s.kind != clean {
		h.ops[s.at] = append(h.ops[s.at], porcupine.Operation{
			ClientId: client, Input: s, Call: int64(call), Output: out, Return: int64(finished),
		})
	}
}

// request sends a request. It returns when the client has an answer, or has
// hung up; the operation ends when the server is done with it.
func (h *history) request(client int, s step) {
	id := strconv.FormatInt(h.sent.Add(1), 10)
	attempt := &attempt{step: s, mark: h.mark(s.at)}
	h.attempts.byID.Store(id, attempt)
	ctx := context.Background()
	if s.hangUp > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.hangUp)
		defer cancel()
	}
	path, key, body := s.http(h.name, h.mark(s.at))
	header := http.Header{shoptest.KeyHeader: {key}, attemptHeader: {id}}
	call := time.Since(h.begin)
	response, err := h.clients[s.server][s.at.tenant].Send(ctx, http.MethodPost, path, header, body)
	out := classify(response, err)
	finish := func() {
		attempt.wait()
		h.attempts.byID.Delete(id)
		out.made = attempt.execution()
		h.note(client, s, call, out, nil)
	}
	if err != nil {
		h.hungUp.Go(finish) // the client may be back before that
	} else {
		finish()
	}
}

// http is the request in one of its spellings. Tenants and operations use the
// same keys, which must not meet.
func (s step) http(plan, mark string) (path, key, body string) {
	key = plan + "-" + s.at.key
	if s.at.operation == createsPet {
		path, body = "/pets", fmt.Sprintf(`{"name":"%s%d","tag":"t"}`, mark, s.body)
	} else {
		path, body = "/orders", fmt.Sprintf(`{"sku":"%s","quantity":%d}`, mark, s.body+1)
	}
	if s.spelled == 1 {
		key = `"` + key + `"`
		first, second, _ := strings.Cut(strings.Trim(body, "{}"), ",")
		body = fmt.Sprintf(" { %s ,\n %s } ", second, first)
	}
	return path, key, body
}

func classify(r shoptest.Response, err error) seen {
	out := seen{answer: toAnswer(r.Status, r.Header, r.Body)}
	var problem struct{ Code string }
	if r.Status >= http.StatusBadRequest {
		_ = json.Unmarshal(r.Body, &problem) // what isn't JSON has no code
	}
	switch {
	case err != nil:
		out.outcome = unknown
	case r.Replayed():
		out.outcome = replayed
	case problem.Code == idem.CodeInFlight:
		out.outcome = busy
	case problem.Code == idem.CodeKeyReused:
		out.outcome = mismatch
	case r.Status == http.StatusCreated || problem.Code == "refused":
		out.outcome = executed
	default:
		out.outcome = failed
	}
	return out
}

// expire makes the partition's record one that has expired. Records are found
// by their bodies: how their ids are made is the runtime's business.
func (h *history) expire(at partition) (out seen, err error) {
	out.outcome = done
	err = h.apart(func(tx pgx.Tx) error {
		const past = `UPDATE idempotency_records SET expires_at = now() - interval '1 h'
			WHERE expires_at > now() AND position($1::bytea IN body) > 0`
		tag, err := tx.Exec(context.Background(), past, []byte(h.mark(at)))
		out.expired = int(tag.RowsAffected())
		return err
	})
	return out, err
}

// observe reads the partition's rows and records in one statement, and so in
// one snapshot: it would see a row without its record, or the other way round.
func (h *history) observe(at partition) (out seen, err error) {
	const look = `
		SELECT 0 AS status, id, name, 0 AS quantity, ''::bytea AS body FROM pets WHERE tenant = $1 AND starts_with(name, $2)
		UNION ALL
		SELECT 0, id, '', quantity, '' FROM orders WHERE tenant = $1 AND sku = $2
		UNION ALL
		SELECT status, 0, '', 0, body FROM idempotency_records WHERE expires_at > now() AND position($3::bytea IN body) > 0`
	out.outcome = done
	err = h.apart(func(tx pgx.Tx) error {
		found, err := tx.Query(context.Background(), look, at.tenant, h.mark(at), []byte(h.mark(at)))
		if err != nil {
			return err
		}
		var status int
		var r row
		var body []byte
		_, err = pgx.ForEachRow(found, []any{&status, &r.id, &r.name, &r.quantity, &body}, func() error {
			if status == 0 {
				out.rows = append(out.rows, r)
			} else {
				out.records = append(out.records, answer{status: status, body: string(body)})
			}
			return nil
		})
		return err
	})
	return out, err
}

// apart runs the test's own statements where they make no other transaction
// fail: serializable ones would.
func (h *history) apart(f func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(context.Background(), h.db, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, f)
}
