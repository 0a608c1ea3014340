package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// This is what is promised, for one partition, as if one thing happened after
// the other.

// state is what the database should hold for a partition. It is comparable.
type state struct {
	rows   string // what was executed, as rows.String has it
	live   bool   // there is a record that hasn't expired
	record record
}

// record is the request that was executed, and what it was answered.
type record struct {
	body   int
	answer answer
}

// answer is what a replay has to repeat.
type answer struct {
	status                      int
	contentType, location, body string
}

// row is what an execution has written.
type row struct {
	id       int64
	name     string // a pet's
	quantity int    // an order's
}

type rows []row

// String has the rows in the order of their ids, which is that of the
// executions: of those with one key, each begins after the last has ended.
func (r rows) String() string {
	r = slices.Clone(r)
	slices.SortFunc(r, func(a, b row) int { return cmp.Compare(a.id, b.id) })
	var b strings.Builder
	for _, row := range r {
		fmt.Fprintf(&b, "%+v\n", row)
	}
	return b.String()
}

// outcome is how something ended, as seen from outside.
type outcome string

const (
	executed outcome = "executed"
	replayed outcome = "replayed"
	busy     outcome = "in flight" // 409
	mismatch outcome = "mismatch"  // 422
	failed   outcome = "failed"    // an answer that isn't stored
	unknown  outcome = "unknown"   // the client has hung up
	done     outcome = "done"      // of what isn't a request
)

// seen is what was seen of one step.
type seen struct {
	outcome outcome
	answer  answer
	// made is what the handler has answered, if it ran to its end; its
	// transaction may have been undone since.
	made *execution
	// overlaps says that another request of the partition ran at the same time.
	overlaps bool
	expired  int  // records that an expire has met
	rows     rows // what an observe has found
	records  []answer
}

// execution is what a handler did: with an answer that isn't an error, the row.
type execution struct {
	answer answer
	rows   rows
}

var model = func() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{state{}} },
		Step: func(before, in, out any) []any {
			var after []any
			for _, s := range before.(state).next(in.(step), out.(seen)) {
				after = append(after, s)
			}
			return after
		},
	}
	return m.ToModel()
}()

// next returns the states that the step may lead to: none if what was seen
// can't happen here.
func (s state) next(in step, out seen) []state {
	switch in.kind {
	case expire:
		return s.expire(out)
	case observe:
		return s.only(s.shows(out))
	default:
		return s.request(in, out)
	}
}

func (s state) request(in step, out seen) []state {
	switch out.outcome {
	case executed:
		if !s.live && out.made != nil && out.answer == out.made.answer && out.answer.status == in.status() {
			return []state{s.execute(in, out)}
		}
		return nil
	case replayed:
		return s.only(s.live && s.record == record{in.body, out.answer})
	case mismatch:
		return s.only(s.live && s.record.body != in.body)
	case failed:
		return s.only(!s.live && (out.answer.status == in.status() || givesUp(out)))
	case busy:
		return s.only(out.overlaps)
	case unknown: // it had an effect, or it didn't
		if !s.live && out.made != nil {
			return []state{s, s.execute(in, out)}
		}
		return []state{s}
	default:
		return nil
	}
}

// only is the state unchanged, if the condition holds.
func (s state) only(holds bool) []state {
	if holds {
		return []state{s}
	}
	return nil
}

// execute is the state after the transaction of out has been committed.
func (s state) execute(in step, out seen) state {
	return state{
		rows:   s.rows + out.made.rows.String(),
		live:   true,
		record: record{in.body, out.made.answer},
	}
}

// expire: an UPDATE that met no record may have waited for a transaction that
// replaced one, whose new record it didn't see; that isn't the runtime's.
func (s state) expire(out seen) []state {
	switch {
	case out.expired == 0:
		return []state{s}
	case out.expired == 1 && s.live:
		s.live, s.record = false, record{}
		return []state{s}
	}
	return nil
}

// shows says that rows and record are exactly those of the state.
func (s state) shows(out seen) bool {
	if s.rows != out.rows.String() || s.live != (len(out.records) == 1) || len(out.records) > 1 {
		return false
	}
	return !s.live || out.records[0] == answer{status: s.record.answer.status, body: s.record.answer.body}
}

// status is what the first answer has, should the handler run.
func (s step) status() int {
	switch s.fault {
	case succeeds:
		return 201
	case refuses:
		return refusals[s.at.operation]
	case delays:
		return 401
	default:
		return 500
	}
}

// refusals are statuses that the spec has for the operations, and that are stored.
var refusals = map[string]int{createsPet: 400, placesOrder: 409}

// givesUp: where all transactions are serializable, PostgreSQL may refuse one
// time and again, and the client gets an error although the handler had none.
// And a record that wasn't in the snapshot, but in the way of the insert, may
// have expired when it is looked up.
func givesUp(out seen) bool {
	return serializable() && (out.answer.status == 500 || out.answer.status == 503)
}

func (a answer) String() string {
	return fmt.Sprintf("%d %s %s %q", a.status, a.contentType, a.location, a.body)
}
