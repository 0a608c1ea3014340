// Package webhook lets in only what the payment provider has signed, as the
// Standard Webhooks specification says (https://www.standardwebhooks.com).
package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	secretPrefix = "whsec_"
	minSecret    = 24 // bytes; the least that the specification takes
)

// Verifier knows the provider's signatures. It is safe for concurrent use.
type Verifier struct{ webhook *standardwebhooks.Webhook }

// NewVerifier takes the secret that the provider shows for its endpoint: whsec_
// and at least 24 bytes in base64. An empty one, with which the library would
// accept what anybody has signed, is an error. Errors never show the secret.
func NewVerifier(secret string) (*Verifier, error) {
	encoded, found := strings.CutPrefix(secret, secretPrefix)
	if !found {
		return nil, errors.New("the secret doesn't begin with " + secretPrefix)
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("the secret isn't base64 after %s: %w", secretPrefix, err)
	}
	if len(key) < minSecret {
		return nil, fmt.Errorf("the secret has %d bytes, and needs %d", len(key), minSecret)
	}
	webhook, err := standardwebhooks.NewWebhookRaw(key)
	if err != nil {
		return nil, err
	}
	return &Verifier{webhook}, nil
}

// NewSecret returns a random secret.
func NewSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// verify checks signature and timestamp: one that is off by more than 5 minutes
// is an error, so that a delivery that somebody has recorded doesn't work for
// ever. Until then, and for as long as its record is kept, a recorded delivery
// gets the first one's answer and does nothing.
func (v *Verifier) verify(body []byte, header http.Header) error {
	return v.webhook.Verify(body, header)
}
