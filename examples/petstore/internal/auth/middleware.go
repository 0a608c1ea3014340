package auth

import (
	"context"
	"errors"
	"net/http"
	"slices"

	idem "github.com/idemgen/idemgen/runtime"
)

// Header is the request header that carries the API key.
const Header = "X-API-Key"

type tenantKey struct{}

// Middleware puts the tenant of the request's API key into the context, and
// answers a request without a known key with 401. Only the public routes, named
// by their patterns such as "POST /contact", are open to everybody: a route that
// somebody forgets here is closed.
func (k *Keys) Middleware(public ...string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if slices.Contains(public, r.Pattern) {
				next.ServeHTTP(w, r)
				return
			}
			tenant, found := k.tenant(r.Header.Get(Header))
			if !found {
				unauthorized.Write(w)
				return
			}
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), tenantKey{}, tenant)))
		})
	}
}

var unauthorized = &idem.Problem{
	Title:  http.StatusText(http.StatusUnauthorized),
	Status: http.StatusUnauthorized,
	Code:   idem.CodeUnauthenticated,
	Detail: "the header " + Header + " must be there, and hold a key that this service has given out",
}

// Tenant is the tenant of the request, and empty on public routes.
func Tenant(ctx context.Context) string {
	tenant, _ := ctx.Value(tenantKey{}).(string)
	return tenant
}

var errNoTenant = errors.New("the request has no tenant")

// Principal is the tenant, as idem.Config wants it: idempotency keys of two
// tenants never meet.
func Principal(r *http.Request) (string, error) {
	tenant := Tenant(r.Context())
	if tenant == "" {
		return "", errNoTenant
	}
	return tenant, nil
}
