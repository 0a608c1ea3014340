package life

// firstKinds are the requests of clients in the beginning.
func firstKinds() map[string]*kind {
	return map[string]*kind{
		"account":  {method: "POST", path: "/accounts", body: `{"owner": "o-%d", "kind": "savings"}`, keyHeader: "Idempotency-Key", table: "accounts"},
		"transfer": {method: "POST", path: "/transfers", body: `{"amount": %d, "note": "rent", "batch": 7}`, keyHeader: "Idempotency-Key", table: "transfers"},
		"note":     {method: "POST", path: "/notes", body: `{"text": "n-%d"}`, keyHeader: "Idempotency-Key", table: "notes", plain: true},
	}
}

// firstHand is what the team writes itself after idemgen new: an operation that
// isn't idempotent, and its table.
var firstHand = []edit{
	{file: "db/migrations/00003_notes.sql", new: `-- +goose Up
CREATE TABLE notes (text text NOT NULL);

-- +goose Down
DROP TABLE notes;
`},
	{file: notesGo, new: `package service

import (
	"context"
	"fmt"

	"example.com/ledger/api"
)

const insertNote = "INSERT INTO notes (text) VALUES ($1)"

// AddNote answers POST /notes.
func (s *Service) AddNote(ctx context.Context, request api.AddNoteRequestObject) (api.AddNoteResponseObject, error) {
	if _, err := s.pool.Exec(ctx, insertNote, request.Body.Text); err != nil {
		return nil, fmt.Errorf("add note: %w", err)
	}
	return api.AddNote201JSONResponse{Text: request.Body.Text}, nil
}
`},
}
