package app

import "cmp"

// demoWebhookSecret is for trying the service out. It is public, so it is taken
// with a throwaway database only.
const demoWebhookSecret = "whsec_cGV0c3RvcmUtZGVtby1zZWNyZXQtMDEyMzQ1Njc4OWFi" //nolint:gosec // public on purpose

// Config is what the environment says. The zero value doesn't: use
// ConfigFromEnv, which has defaults to try the service with.
type Config struct {
	// DatabaseURL is PostgreSQL's. Empty: a throwaway server that goes with the
	// program.
	DatabaseURL string
	// Addr is host:port to listen on; port 0 is any free one.
	Addr string
	// APIKeys is a list of tenant:key, separated by commas. Never log it.
	APIKeys string
	// WebhookSecret is the one that the payment provider shows for its
	// endpoint. Empty: webhooks are refused. Never log it.
	WebhookSecret string
}

// ConfigFromEnv reads DATABASE_URL, ADDR, API_KEYS and WEBHOOK_SECRET.
func ConfigFromEnv(getenv func(string) string) Config {
	cfg := Config{
		DatabaseURL:   getenv("DATABASE_URL"),
		Addr:          cmp.Or(getenv("ADDR"), "127.0.0.1:8080"),
		APIKeys:       cmp.Or(getenv("API_KEYS"), "demo:demo"),
		WebhookSecret: getenv("WEBHOOK_SECRET"),
	}
	if cfg.DatabaseURL == "" {
		cfg.WebhookSecret = cmp.Or(cfg.WebhookSecret, demoWebhookSecret)
	}
	return cfg
}
