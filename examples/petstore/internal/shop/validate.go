package shop

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/mail"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/idemgen/idemgen/examples/petstore/api"
	idem "github.com/idemgen/idemgen/runtime"
)

// Validate refuses what breaks the rules of openapi.yaml that oapi-codegen's
// decoders don't check. It is a strict middleware, and so runs before the
// transaction: nothing is stored, and the client may correct the request and
// keep its idempotency key.
func Validate(next api.StrictHandlerFunc, _ string) api.StrictHandlerFunc {
	return func(ctx context.Context, w http.ResponseWriter, r *http.Request, request any) (any, error) {
		if wrong := violation(request); wrong != "" {
			return nil, &idem.Problem{
				Title:  http.StatusText(http.StatusBadRequest),
				Status: http.StatusBadRequest,
				Code:   idem.CodeRequestInvalid,
				Detail: wrong,
			}
		}
		return next(ctx, w, r, request)
	}
}

// violation is the first rule that the request breaks, or empty.
func violation(request any) string {
	switch r := request.(type) {
	case api.ListPetsRequestObject:
		return cmp.Or(limit(r.Params.Limit), tag(r.Params.Tag))
	case api.CreatePetRequestObject:
		return cmp.Or(name(&r.Body.Name), tag(r.Body.Tag), price("price_cents", r.Body.PriceCents))
	case api.UpdatePetRequestObject:
		if *r.Body == (api.PetChange{}) {
			return "nothing to change"
		}
		return cmp.Or(name(r.Body.Name), tag(r.Body.Tag), price("price_cents", r.Body.PriceCents))
	case api.SearchPetsRequestObject:
		return petSearch(r.Body)
	case api.ListProductsRequestObject:
		return cmp.Or(limit(r.Params.Limit), sku(r.Params.After))
	case api.GetProductRequestObject:
		return sku(&r.Sku)
	case api.PutProductRequestObject:
		return cmp.Or(sku(&r.Sku), name(&r.Body.Name), price("price_cents", &r.Body.PriceCents),
			between("stock", r.Body.Stock, 0, 1_000_000))
	case api.ListOrdersRequestObject:
		return limit(r.Params.Limit)
	case api.PlaceOrderRequestObject:
		return orderLine(&r.Body.Sku, &r.Body.Quantity)
	case api.ReceiveDeliveryRequestObject:
		return cmp.Or(text("supplier", &r.Body.Supplier, 1, 100), text("note", &r.Body.Note, 1, 100), orderLine(&r.Sku, &r.Body.Quantity))
	case api.ReviewProductRequestObject:
		return cmp.Or(sku(&r.Sku), text("author", &r.Body.Author, 1, 100), between("stars", &r.Body.Stars, 1, 5), text("text", r.Body.Text, 1, 2000))
	case api.QuoteOrderRequestObject:
		return orderLine(&r.Body.Sku, &r.Body.Quantity)
	case api.PayOrderRequestObject:
		return text("card_token", &r.Body.CardToken, 1, 100)
	case api.RefundPaymentRequestObject:
		return cmp.Or(between("amount_cents", &r.Body.AmountCents, 1, math.MaxInt64), text("reason", r.Body.Reason, 0, 500))
	case api.SendContactMessageRequestObject:
		return cmp.Or(email(string(r.Body.Email)), text("message", &r.Body.Message, 1, 5000))
	case api.ReceivePaymentEventRequestObject:
		return paymentEvent(r.Body)
	}
	return ""
}

// paymentEvent leaves alone what is in events that nobody here reads.
func paymentEvent(event *api.PaymentEvent) string {
	if event.Type != paymentSettled && event.Type != paymentChargedBack {
		return ""
	}
	return cmp.Or(text("data.tenant", &event.Data.Tenant, 1, 100), between("data.amount_cents", &event.Data.AmountCents, 1, 100_000_000_000))
}

func petSearch(search *api.PetSearch) string {
	if search.Tags != nil {
		if n := len(*search.Tags); n < 1 || n > 20 {
			return "tags must be 1 to 20"
		}
		for _, t := range *search.Tags {
			if wrong := tag(&t); wrong != "" {
				return wrong
			}
		}
	}
	return cmp.Or(text("name_contains", search.NameContains, 1, 100), price("max_price_cents", search.MaxPriceCents))
}

func orderLine(s *api.Sku, quantity *api.Quantity) string {
	return cmp.Or(sku(s), between("quantity", quantity, 1, 1000))
}

func limit(value *api.Limit) string               { return between("limit", value, 1, 200) }
func name(value *api.Name) string                 { return text("name", value, 1, 100) }
func tag(value *api.Tag) string                   { return text("tag", value, 1, 40) }
func price(field string, value *api.Price) string { return between(field, value, 0, 100_000_000) }

var skuPattern = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)

func sku(value *api.Sku) string {
	if value == nil || skuPattern.MatchString(*value) {
		return ""
	}
	return "a SKU has 1 to 40 of the characters a-z, 0-9 and -"
}

func email(value string) string {
	if address, err := mail.ParseAddress(value); err == nil && address.Address == value {
		return text("email", &value, 1, 254)
	}
	return "email must be an address such as jo@example.com"
}

// text counts characters. PostgreSQL's text takes neither NUL nor what isn't
// UTF-8, which the escapes of JSON and of forms can make.
func text(field string, value *string, least, most int) string {
	if value == nil {
		return ""
	}
	if strings.ContainsRune(*value, 0) || !utf8.ValidString(*value) {
		return field + " must be UTF-8 text without NUL"
	}
	if n := utf8.RuneCountInString(*value); n < least || n > most {
		return fmt.Sprintf("%s must have %d to %d characters", field, least, most)
	}
	return ""
}

func between[T int32 | int64](field string, value *T, least, most T) string {
	if value == nil || least <= *value && *value <= most {
		return ""
	}
	return fmt.Sprintf("%s must be between %d and %d", field, least, most)
}
