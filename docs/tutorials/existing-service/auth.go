package main

import (
	"context"
	"net/http"
)

type customerKey struct{}

// authenticate lets requests with a known API key in, and remembers whose it is.
func authenticate(customers map[string]string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := customers[r.Header.Get("X-API-Key")]
		if !ok {
			http.Error(w, "unknown API key", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), customerKey{}, name)))
	})
}

// customer is who sent the request.
func customer(ctx context.Context) string {
	name, _ := ctx.Value(customerKey{}).(string)
	return name
}
