package shop_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
)

func createPet(t *testing.T, client *shoptest.Client, body string) api.Pet {
	t.Helper()
	response := client.Do(http.MethodPost, "/pets", "create "+body, body).Want(t, http.StatusCreated)
	return shoptest.Decode[api.Pet](t, response)
}

func TestPetLifeCycle(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	created := shop.Do(http.MethodPost, "/pets", "k1", `{"name": "Rex", "tag": "dog"}`).Want(t, http.StatusCreated)
	path := created.Header.Get("Location")
	got := shop.Do(http.MethodGet, path, "", nil).Want(t, http.StatusOK)
	if string(got.Body) != string(created.Body) {
		t.Errorf("GET %s: %s, want the created %s", path, got.Body, created.Body)
	}

	changed := shop.Do(http.MethodPatch, path, "k2", `{"price_cents": 9900}`).Want(t, http.StatusOK)
	pet := shoptest.Decode[api.Pet](t, changed)
	if pet.Name != "Rex" || *pet.Tag != "dog" || *pet.PriceCents != 9900 {
		t.Errorf("after the change of its price alone: %s", changed.Body)
	}

	shop.Do(http.MethodDelete, path, "k3", nil).Want(t, http.StatusNoContent)
	shop.Do(http.MethodGet, path, "", nil).WantProblem(t, http.StatusNotFound, "pet-not-found")
	shop.Do(http.MethodPatch, path, "k4", `{"name": "Max"}`).WantProblem(t, http.StatusNotFound, "pet-not-found")
	shop.Do(http.MethodDelete, path, "k5", nil).WantProblem(t, http.StatusNotFound, "pet-not-found")
	if again := shop.Do(http.MethodDelete, path, "k3", nil).Want(t, http.StatusNoContent); !again.Replayed() {
		t.Error("the retry of the DELETE isn't a replay")
	}
}

func TestListPetsByPage(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	for i := range 5 {
		createPet(t, shop.Client, fmt.Sprintf(`{"name": "cat %d", "tag": "cat"}`, i))
		createPet(t, shop.Client, fmt.Sprintf(`{"name": "dog %d", "tag": "dog"}`, i))
	}
	var names []string
	var after api.Id
	for {
		path := fmt.Sprintf("/pets?tag=cat&limit=2&after=%d", after)
		page := shoptest.Decode[[]api.Pet](t, shop.Do(http.MethodGet, path, "", nil).Want(t, http.StatusOK))
		if len(page) == 0 {
			break
		}
		for _, pet := range page {
			names, after = append(names, pet.Name), pet.Id
		}
	}
	if got, want := fmt.Sprint(names), "[cat 0 cat 1 cat 2 cat 3 cat 4]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSearchPets(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	createPet(t, shop.Client, `{"name": "Rex", "tag": "dog", "price_cents": 5000}`)
	createPet(t, shop.Client, `{"name": "Tyrex", "tag": "lizard", "price_cents": 9000}`)
	createPet(t, shop.Client, `{"name": "100% cat", "tag": "cat"}`)
	for _, c := range []struct{ search, want string }{
		{`{}`, "[Rex Tyrex 100% cat]"},
		{`{"name_contains": "REX"}`, "[Rex Tyrex]"},
		{`{"name_contains": "%"}`, "[100% cat]"},
		{`{"tags": ["dog", "cat"]}`, "[Rex 100% cat]"},
		{`{"max_price_cents": 5000}`, "[Rex]"},
		{`{"name_contains": "rex", "tags": ["lizard"], "max_price_cents": 5000}`, "[]"},
	} {
		response := shop.Do(http.MethodPost, "/pets/search", "", c.search).Want(t, http.StatusOK)
		names := []string{}
		for _, pet := range shoptest.Decode[[]api.Pet](t, response) {
			names = append(names, pet.Name)
		}
		if got := fmt.Sprint(names); got != c.want {
			t.Errorf("%s: got %s, want %s", c.search, got, c.want)
		}
	}
}

func TestTenantsSeeOnlyTheirOwn(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	globex := shop.Globex()
	path := fmt.Sprintf("/pets/%d", createPet(t, shop.Client, `{"name": "Rex"}`).Id)

	globex.Do(http.MethodGet, path, "", nil).Want(t, http.StatusNotFound)
	globex.Do(http.MethodPatch, path, "k1", `{"name": "Mine"}`).Want(t, http.StatusNotFound)
	globex.Do(http.MethodDelete, path, "k2", nil).Want(t, http.StatusNotFound)
	for _, request := range []struct{ method, path string }{{"GET", "/pets"}, {"POST", "/pets/search"}} {
		response := globex.Do(request.method, request.path, "", `{}`).Want(t, http.StatusOK)
		if string(response.Body) != "[]\n" {
			t.Errorf("%s %s shows another tenant's: %s", request.method, request.path, response.Body)
		}
	}
	if pet := shoptest.Decode[api.Pet](t, shop.Do(http.MethodGet, path, "", nil)); pet.Name != "Rex" {
		t.Errorf("another tenant has changed the pet: %+v", pet)
	}
}
