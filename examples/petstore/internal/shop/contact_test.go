package shop_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
)

func TestContact(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	anybody := shop.As("")
	form := url.Values{"email": {"jo@example.com"}, "message": {"Do you have snails?"}}
	first := anybody.Do(http.MethodPost, "/contact", "k1", form).Want(t, http.StatusAccepted)
	if shoptest.Decode[api.Receipt](t, first).Ticket == 0 {
		t.Errorf("no ticket: %s", first.Body)
	}

	var email, message string
	err := shop.Pool.QueryRow(t.Context(), "SELECT email, message FROM contact_messages").Scan(&email, &message)
	if err != nil || email != "jo@example.com" || message != "Do you have snails?" {
		t.Errorf("stored: %q from %q, %v", message, email, err)
	}
}

func TestContactValidation(t *testing.T) {
	t.Parallel()
	anybody := shoptest.Start(t).As("")
	for name, form := range map[string]url.Values{
		"empty":             {},
		"no address":        {"email": {"jo"}, "message": {"Hi"}},
		"name and address":  {"email": {"Jo <jo@example.com>"}, "message": {"Hi"}},
		"no message":        {"email": {"jo@example.com"}},
		"bytes, not UTF-8":  {"email": {"jo@example.com"}, "message": {"\xff"}},
		"message with NULs": {"email": {"jo@example.com"}, "message": {"a\x00b"}},
	} {
		t.Run(name, func(t *testing.T) {
			anybody.Do(http.MethodPost, "/contact", "k1", form).WantProblem(t, http.StatusBadRequest, "request-invalid")
		})
	}
}
