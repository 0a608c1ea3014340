package contract

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/idemgen/idemgen/examples/petstore/api"
	idem "github.com/idemgen/idemgen/runtime"
)

// The operations of random histories.
const (
	createsPet  = "pet"
	placesOrder = "order"
)

// attempt is one request on its way: the server's side of it.
type attempt struct {
	step
	mark string // of its partition

	mu      sync.Mutex
	late    bool // nobody waits for it any more
	made    *execution
	running sync.WaitGroup
}

// attemptHeader says which attempt a request is: the same request, sent again,
// may find a handler in another mood.
const attemptHeader = "X-Attempt"

// attempts are those of all histories of a test.
type attempts struct{ byID sync.Map }

type attemptKey struct{}

// around hands the attempt to the handlers, and notes when the server is done.
func (a *attempts) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, ok := a.byID.Load(r.Header.Get(attemptHeader))
		if !ok {
			http.Error(w, "an attempt that nobody waits for", http.StatusTeapot)
			return
		}
		attempt := found.(*attempt)
		if !attempt.arrive() {
			return
		}
		defer attempt.running.Done()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), attemptKey{}, attempt)))
	})
}

// arrive is false for a request that its client gave up before it came here.
func (a *attempt) arrive() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.late {
		a.running.Add(1)
	}
	return !a.late
}

// wait returns once the server does nothing more for the attempt.
func (a *attempt) wait() {
	a.mu.Lock()
	a.late = true
	a.mu.Unlock()
	a.running.Wait()
}

// execution is what the handler's last run has made.
func (a *attempt) execution() *execution {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.made
}

func (a *attempt) make(e *execution) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.made = e
}

// moody are the shop's handlers, which do what the attempt's fault says after
// they have written.
type moody struct{ api.Handlers }

func (m moody) CreatePet(ctx context.Context, tx *idem.Tx, req api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
	response, err := m.Handlers.CreatePet(ctx, tx, req)
	if err != nil {
		return nil, err
	}
	pet := response.(api.CreatePet201JSONResponse)
	written := row{id: pet.Body.Id, name: pet.Body.Name}
	return finish(ctx, written, refusals[createsPet], response, pet.VisitCreatePetResponse, func(r idem.Response) api.CreatePetResponseObject { return other(r) })
}

func (m moody) PlaceOrder(ctx context.Context, tx *idem.Tx, req api.PlaceOrderRequestObject) (api.PlaceOrderResponseObject, error) {
	response, err := m.Handlers.PlaceOrder(ctx, tx, req)
	if err != nil {
		return nil, err
	}
	order := response.(api.PlaceOrder201JSONResponse)
	written := row{id: order.Body.Id, quantity: int(order.Body.Quantity)}
	return finish(ctx, written, refusals[placesOrder], response, order.VisitPlaceOrderResponse, func(r idem.Response) api.PlaceOrderResponseObject { return other(r) })
}

// finish ends a handler that has written a row as the attempt's fault says.
func finish[R any](ctx context.Context, written row, refusal int, response R, visit idem.Response, otherwise func(idem.Response) R) (none R, err error) {
	attempt := ctx.Value(attemptKey{}).(*attempt)
	attempt.make(nil) // what a run before this one has made is undone
	time.Sleep(attempt.work)
	switch attempt.fault {
	case succeeds:
		attempt.make(&execution{answer: render(visit), rows: rows{written}})
		return response, nil
	case refuses: // with words of its own each time
		visit = problem(refusal, "refused", fmt.Sprintf("%s %d", attempt.mark, written.id))
		attempt.make(&execution{answer: render(visit)})
		return otherwise(visit), nil
	case delays:
		return otherwise(problem(http.StatusUnauthorized, "later", "as the plan says")), nil
	case panics:
		panic("as the plan says")
	default:
		return none, errors.New("as the plan says")
	}
}

// other is a response of any kind.
type other idem.Response

func (o other) VisitCreatePetResponse(w http.ResponseWriter) error  { return o(w) }
func (o other) VisitPlaceOrderResponse(w http.ResponseWriter) error { return o(w) }

func problem(status int, code, detail string) idem.Response {
	return func(w http.ResponseWriter) error {
		idem.NewProblem(status, code, detail).Write(w)
		return nil
	}
}

// render is the answer as it would be sent.
func render(response idem.Response) answer {
	recorder := httptest.NewRecorder()
	if err := response(recorder); err != nil {
		return answer{}
	}
	return toAnswer(recorder.Code, recorder.Header(), recorder.Body.Bytes())
}

func toAnswer(status int, header http.Header, body []byte) answer {
	return answer{status, header.Get("Content-Type"), header.Get("Location"), string(body)}
}
