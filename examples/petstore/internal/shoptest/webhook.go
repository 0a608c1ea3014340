package shoptest

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// SignedHeader is what the payment provider sends along with a delivery of an
// event: its id, the time, and the signature of both and the body.
func SignedHeader(t testing.TB, id string, at time.Time, body string) http.Header {
	t.Helper()
	signer, err := standardwebhooks.NewWebhook(WebhookSecret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := signer.Sign(id, at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{}
	header.Set(standardwebhooks.HeaderWebhookID, id)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, fmt.Sprint(at.Unix()))
	header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return header
}

// Deliver sends an event as the payment provider does, without an API key.
func (s *Shop) Deliver(header http.Header, body string) Response {
	s.t.Helper()
	response, err := s.As("").Send(context.Background(), http.MethodPost, "/webhooks/payments", header, body)
	if err != nil {
		s.t.Error(err)
	}
	return response
}
