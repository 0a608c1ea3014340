package shoptest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/idemgen/idemgen/examples/petstore/api"
)

// Document is an OpenAPI document that answers are compared with. It is safe for
// concurrent use.
type Document struct {
	router routers.Router
	fine   sync.Map // answers that have been compared: a storm has many of the same
}

// ReadDocument reads a document, which must refer to no other file.
func ReadDocument(content []byte) (*Document, error) {
	doc, err := openapi3.NewLoader().LoadFromData(content)
	if err != nil {
		return nil, err
	}
	doc.Servers = nil // the tests' servers are elsewhere
	router, err := legacy.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	return &Document{router: router}, nil
}

// enriched is the petstore's own.
var enriched = sync.OnceValue(func() *Document {
	doc, err := ReadDocument(api.Document)
	if err != nil {
		panic(fmt.Sprintf("api/openapi.gen.yaml: %v", err)) // a test's end
	}
	return doc
})

// toldHeaders are those that say what became of the key: a document that is silent
// about one of them isn't true.
var toldHeaders = []string{"Idempotency-Replayed", "Idempotency-Replay", "Retry-After"}

// Check says in what an answer is not as the document has it.
func (d *Document) Check(request *http.Request, answer Response) error {
	header := answer.Header.Clone()
	header.Del("Date")
	key := fmt.Sprint(request.Method, request.URL.Path, answer.Status, header, string(answer.Body))
	if _, ok := d.fine.Load(key); ok {
		return nil
	}
	err := d.compare(request, answer)
	if err == nil && len(key) < 1000 {
		d.fine.Store(key, true)
	}
	return err
}

func (d *Document) compare(request *http.Request, answer Response) error {
	route, pathParams, err := d.router.FindRoute(request)
	switch {
	case err != nil && (answer.Status == http.StatusNotFound || answer.Status == http.StatusMethodNotAllowed):
		return nil // of no operation
	case err != nil:
		return err
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: request, PathParams: pathParams, Route: route},
		Status:                 answer.Status,
		Header:                 answer.Header,
		Body:                   io.NopCloser(bytes.NewReader(answer.Body)),
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true,
			// What the header's description says, and a schema can't.
			ExcludeResponseBody: answer.Header.Get("Idempotency-Replay") == "omitted" && len(answer.Body) == 0,
		},
	})
	if err != nil {
		return err
	}
	declared := route.Operation.Responses.Status(answer.Status)
	if declared == nil {
		declared = route.Operation.Responses.Default()
	}
	if len(declared.Value.Content) == 0 && len(answer.Body) > 0 {
		return errors.New("there is a body, and none is declared")
	}
	for _, name := range toldHeaders {
		if answer.Header.Get(name) != "" && declared.Value.Headers[name] == nil {
			return fmt.Errorf("the header %s isn't declared", name)
		}
	}
	return nil
}
