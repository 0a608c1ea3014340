package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// answer is what a request was answered with.
type answer struct {
	status   int
	replayed bool
	body     []byte
}

func (a *answer) String() string {
	text := fmt.Sprintf("HTTP %d %s", a.status, http.StatusText(a.status))
	if a.replayed {
		text += "   Idempotency-Replayed: true"
	}
	return text + "\n" + strings.TrimSpace(string(a.body))
}

// createPet sends one POST /pets.
func (d *demo) createPet(key, body string) (*answer, error) {
	req, err := http.NewRequestWithContext(d.ctx, http.MethodPost, d.url+"/pets", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	return d.do(req)
}

// createAndShow sends one, and prints both ways.
func (d *demo) createAndShow(key, body string) (*answer, error) {
	fmt.Printf("> POST /pets  Idempotency-Key: %s  %s\n", key, body)
	a, err := d.createPet(key, body)
	if err == nil {
		fmt.Println("< " + strings.ReplaceAll(a.String(), "\n", "\n< "))
	}
	return a, err
}

// petsNamed counts the rows of that name, as the service shows them.
func (d *demo) petsNamed(name string) (int, error) {
	req, err := http.NewRequestWithContext(d.ctx, http.MethodGet, d.url+"/pets", nil)
	if err != nil {
		return 0, err
	}
	a, err := d.do(req)
	if err != nil {
		return 0, err
	}
	var pets []struct{ Name string }
	if err := json.Unmarshal(a.body, &pets); err != nil {
		return 0, err
	}
	count := 0
	for _, pet := range pets {
		if pet.Name == name {
			count++
		}
	}
	return count, nil
}

func (d *demo) do(req *http.Request) (*answer, error) {
	req.Header.Set("X-API-Key", "demo")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return &answer{resp.StatusCode, resp.Header.Get("Idempotency-Replayed") == "true", body}, err
}

// expect fails the demo when it doesn't show what it says.
func expect(ok bool, what string) error {
	if !ok {
		return fmt.Errorf("this went wrong: expected %s", what)
	}
	return nil
}

func same(a, b *answer) bool { return a.status == b.status && bytes.Equal(a.body, b.body) }
