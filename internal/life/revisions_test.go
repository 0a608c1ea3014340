package life

import "net/http"

// revisions are the service's life, in order: each of them begins where the one
// before it ended.
var revisions = []revision{
	{
		name: "new optional field",
		edits: []edit{
			{spec, "        note: { type: string, maxLength: 100 }\n", "        note: { type: string, maxLength: 100 }\n        reference: { type: string, maxLength: 50 }\n"},
			{spec, "        note: { type: string }\n", "        note: { type: string }\n        reference: { type: string }\n"},
		},
		migrates: "ALTER TABLE transfers ADD COLUMN reference text;",
		hand: []edit{
			{transfersSQL, "(amount, note,", "(amount, note, reference,"},
			{transfersSQL, "@note,", "@note, @reference,"},
			{transfersGo, "		Amount: request.Body.Amount,\n", "		Amount: request.Body.Amount,\n		Reference: request.Body.Reference,\n"},
			{transfersGo, "		Amount: row.Amount,\n", "		Amount: row.Amount,\n		Reference: row.Reference,\n"},
		},
		clients: func(k map[string]*kind) {
			k["transfer"].body = `{"amount": %d, "note": "rent", "batch": 7, "reference": "R-1"}`
		},
	},
	{
		name: "new required field",
		edits: []edit{
			{spec, "required: [amount, note]", "required: [amount, note, currency]"},
			{spec, "required: [id, amount, note]", "required: [id, amount, note, currency]"},
			{spec, "        batch: { type: integer, minimum: 0 }\n", "        batch: { type: integer, minimum: 0 }\n        currency: { type: string, maxLength: 3 }\n"},
			{spec, "        batch: { type: integer }\n", "        batch: { type: integer }\n        currency: { type: string }\n"},
		},
		warns:    []warning{{"deploy/answer", "transfer", all(replays, lacks("currency"))}},
		migrates: "ALTER TABLE transfers ADD COLUMN currency text;",
		leaves:   "SET NOT NULL",
		tells:    []string{"migration/left-to-you"},
		hand: []edit{
			{transfersSQL, ", batch)", ", batch, currency)"},
			{transfersSQL, ", @batch)", ", @batch, @currency)"},
			{transfersGo, "		Note:   request.Body.Note,\n", "		Note:   request.Body.Note,\n		Currency: &request.Body.Currency,\n"},
			{transfersGo, "		Note:   row.Note,\n", "		Note:   row.Note,\n		Currency: currency(row.Currency),\n"},
			{file: "internal/service/currency.go", new: `package service

// currency tells that of rows from before they had one.
func currency(of *string) string {
	if of == nil {
		return "EUR"
	}
	return *of
}
`},
		},
		clients: func(k map[string]*kind) {
			k["transfer"].body = `{"amount": %d, "note": "rent", "batch": 7, "reference": "R-1", "currency": "CHF"}`
		},
	},
	{
		name: "new operation",
		edits: []edit{{spec, "\n  /notes:\n", `
  /transfers/{transferId}/reversal:
    post:
      operationId: reverseTransfer
      x-idempotent: {}
      parameters:
        - { name: transferId, in: path, required: true, schema: { type: string, format: uuid } }
      responses:
        '201':
          description: The transfer back.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Transfer' }

  /notes:
`}},
		words: []string{"ReverseTransfer added", "Service (internal/service/service.go:19) lacks 1 method of Handlers"},
		stubs: true,
		hand: []edit{{"internal/service/stubs.go", `	return nil, idem.NewProblem(http.StatusNotImplemented, "not-implemented", "ReverseTransfer is not implemented yet")
`, `	was, err := db.New(tx).GetTransfer(ctx, request.TransferId)
	if err != nil {
		return nil, fmt.Errorf("reverse transfer: %w", err)
	}
	row, err := db.New(tx).CreateTransfer(ctx, db.CreateTransferParams{Amount: -was.Amount, Note: was.Note, Currency: was.Currency})
	if err != nil {
		return nil, refused("reverse transfer", err)
	}
	return api.ReverseTransfer201JSONResponse(toTransfer(row)), nil
`}, {"internal/service/stubs.go", `	"net/http"
`, `	"fmt"
`}, {"internal/service/stubs.go", `	"example.com/ledger/api"
`, `	"example.com/ledger/api"
	"example.com/ledger/internal/db"
`}},
		clients: func(k map[string]*kind) {
			k["reversal"] = &kind{method: "POST", path: "/transfers/{transfer}/reversal", keyHeader: "Idempotency-Key", table: "transfers"}
		},
	},
	{
		name:  "operation renamed, its name kept",
		edits: []edit{{spec, "operationId: createTransfer\n      x-idempotent: { ttl", "operationId: makeTransfer\n      x-idempotent: { name: createTransfer, ttl"}},
		words: []string{"lacks 1 method of Handlers", "MakeTransfer"},
		hand: []edit{
			{transfersGo, "CreateTransfer(ctx context.Context, tx *idem.Tx, request api.CreateTransferRequestObject) (api.CreateTransferResponseObject", "MakeTransfer(ctx context.Context, tx *idem.Tx, request api.MakeTransferRequestObject) (api.MakeTransferResponseObject"},
			{transfersGo, "api.CreateTransfer201", "api.MakeTransfer201"},
		},
	},
	{
		name:  "operation renamed",
		edits: []edit{{spec, "operationId: openAccount\n", "operationId: createAccount\n"}},
		words: []string{"lacks 1 method of Handlers", "write x-idempotent: {name: openAccount}"},
		warns: []warning{{"deploy/renamed", "account", runsAgain}},
		hand: []edit{
			{accountsGo, "OpenAccount(ctx context.Context, tx *idem.Tx, request api.OpenAccountRequestObject) (api.OpenAccountResponseObject", "CreateAccount(ctx context.Context, tx *idem.Tx, request api.CreateAccountRequestObject) (api.CreateAccountResponseObject"},
			{accountsGo, "api.OpenAccount201", "api.CreateAccount201"},
		},
	},
	{
		name: "enum grown",
		edits: []edit{
			{spec, "{ enum: [current, savings], type", "{ enum: [current, savings, joint], type"},
			{spec, "{ type: string, enum: [current, savings] }", "{ type: string, enum: [current, savings, joint] }"},
		},
		migrates: "CHECK (kind IN ('current', 'savings', 'joint'))",
		clients:  func(k map[string]*kind) { k["account"].body = `{"owner": "o-%d", "kind": "joint"}` },
	},
	{
		name: "integer widened",
		edits: []edit{
			{spec, "amount: { type: integer, format: int32, ", "amount: { type: integer, format: int64, "},
			{spec, "amount: { type: integer, format: int32 }", "amount: { type: integer, format: int64 }"},
		},
		migrates: "ALTER TABLE transfers ALTER COLUMN amount TYPE bigint",
	},
	{
		name:   "type changed",
		edits:  []edit{{spec, "batch: { type: integer }", "batch: { type: string }"}},
		warns:  []warning{{"deploy/answer", "transfer", replays}, {"deploy/answer", "reversal", replays}},
		leaves: "ALTER COLUMN batch TYPE text",
		tells:  []string{"migration/left-to-you"},
		hand: []edit{
			{transfersGo, "func(v int64) int { return int(v) }", "func(v int64) string { return strconv.FormatInt(v, 10) }"},
			{transfersGo, "	\"fmt\"\n", "	\"fmt\"\n	\"strconv\"\n"},
		},
	},
	{
		name:  "type changed in requests",
		edits: []edit{{spec, "batch: { type: integer, minimum: 0 }", "batch: { type: string, maxLength: 10 }"}},
		hand: []edit{{transfersGo, "func(v int) int64 { return int64(v) }",
			"func(v string) int64 { n, _ := strconv.ParseInt(v, 10, 64); return n }"}},
		clients: func(k map[string]*kind) {
			k["transfer"].body = `{"amount": %d, "note": "rent", "batch": "7", "reference": "R-1", "currency": "CHF"}`
		},
	},
	{
		name:  "extension added",
		edits: []edit{{spec, "x-idempotent: false", "x-idempotent: {}"}},
		words: []string{"addNote"},
		tells: []string{"stubs/signature"},
		hand: []edit{
			{notesGo, "(ctx context.Context, request", "(ctx context.Context, tx *idem.Tx, request"},
			{notesGo, "s.pool.Exec", "tx.Exec"},
			{notesGo, "	\"example.com/ledger/api\"\n", "	idem \"github.com/idemgen/idemgen/runtime\"\n\n	\"example.com/ledger/api\"\n"},
		},
		clients: func(k map[string]*kind) { k["note"].plain = false },
	},
	{
		name:  "extension changed: wait",
		edits: []edit{{spec, "ttl: 72h", "ttl: 72h, wait: 2s"}},
		words: []string{"wait none -> 2s"},
	},
	{
		name:  "extension changed: shorter ttl",
		edits: []edit{{spec, "ttl: 72h", "ttl: 24h"}},
		words: []string{"ttl 72h -> 24h"},
		// What is stored keeps its time.
		warns: []warning{{"deploy/ttl", "transfer", replays}},
	},
	{
		name:  "extension changed: fingerprint",
		edits: []edit{{spec, "ttl: 24h", "ttl: 24h, fingerprint: { exclude: [/note] }"}},
		warns: []warning{{"deploy/fingerprint", "transfer", all(replays, answersAnother(`{"amount": 1000000}`))}},
	},
	{
		name:   "extension removed",
		edits:  []edit{{spec, "operationId: createAccount\n      x-idempotent: {}\n", "operationId: createAccount\n"}},
		warns:  []warning{{"deploy/unmarked", "account", runsAgain}},
		leaves: "DROP TABLE accounts",
		tells:  []string{"migration/left-to-you", "stubs/signature"},
		hand: []edit{
			{accountsGo, "CreateAccount(ctx context.Context, tx *idem.Tx, request", "CreateAccount(ctx context.Context, request"},
			{accountsGo, "db.New(tx).OpenAccount", "db.New(s.pool).OpenAccount"},
			{accountsGo, "	idem \"github.com/idemgen/idemgen/runtime\"\n\n	\"example.com/ledger/api\"\n", "	\"example.com/ledger/api\"\n"},
		},
		clients: func(k map[string]*kind) { k["account"].plain = true },
	},
	{
		name:    "extension removed, and back",
		undo:    "extension removed",
		tells:   []string{"stubs/signature"},
		clients: func(k map[string]*kind) { k["account"].plain = false },
	},
	{
		name:      "record table renamed",
		edits:     []edit{{configuration, "spec: openapi.yaml\n", "spec: openapi.yaml\nstore: {table: ledger_records}\n"}},
		warns:     []warning{{"deploy/table", "", replays}},
		migrates:  "ALTER TABLE idempotency_records RENAME TO ledger_records;",
		leaves:    "CREATE VIEW",
		renames:   map[string]string{"idempotency_records": "ledger_records"},
		breaksOld: true,
	},
	{
		name:     "record table renamed back, beside a view",
		undo:     "record table renamed",
		warns:    []warning{{"deploy/table", "", replays}},
		migrates: "ALTER TABLE ledger_records RENAME TO idempotency_records;",
		leaves:   "CREATE VIEW ledger_records AS SELECT * FROM idempotency_records;",
		renames:  map[string]string{"ledger_records": "idempotency_records"},
		hand: []edit{{"db/migrations/00011_idempotency_rename.sql", "-- +goose Down\n",
			"CREATE VIEW ledger_records AS SELECT * FROM idempotency_records;\n\n-- +goose Down\nDROP VIEW ledger_records;\n"}},
	},
	{
		name:   "field removed",
		undo:   "new optional field",
		leaves: "DROP COLUMN reference",
		tells:  []string{"migration/left-to-you"},
		clients: func(k map[string]*kind) {
			k["transfer"].body = `{"amount": %d, "note": "rent", "batch": "7", "currency": "CHF"}`
		},
	},
	{
		name: "scope, key and parameters at once",
		edits: []edit{
			{spec, "operationId: createAccount\n      x-idempotent: {}\n", "operationId: createAccount\n      x-idempotent: { scope: public }\n"},
			{spec, "operationId: addNote\n      x-idempotent: {}\n", "operationId: addNote\n      x-idempotent: { key: { header: X-Request-Id } }\n"},
			{spec, "operationId: reverseTransfer\n      x-idempotent: {}\n      parameters:\n", "operationId: reverseTransfer\n      x-idempotent: {}\n      parameters:\n        - { name: X-Reason, in: header, required: true, schema: { type: string } }\n"},
		},
		warns: []warning{
			{"deploy/scope", "account", runsAgain},
			{"deploy/key", "note", refused(http.StatusBadRequest)},
			{"deploy/parameters", "reversal", refused(http.StatusBadRequest)},
		},
		clients: func(k map[string]*kind) {
			k["note"].keyHeader = "X-Request-Id"
			k["reversal"].header = http.Header{"X-Reason": {"mistake"}}
		},
	},
	{
		name: "key format, stored statuses and route at once",
		edits: []edit{
			{spec, "x-idempotent: { scope: public }", "x-idempotent: { scope: public, key: { pattern: '^k-' } }"},
			{spec, "name: createTransfer, ", "name: createTransfer, store: [201], "},
			{spec, "/transfers/{transferId}/reversal:", "/transfers/{transferId}/reversals:"},
		},
		warns: []warning{
			{"deploy/key-format", "account", refused(http.StatusBadRequest)},
			{"deploy/store", "transfer", replays},
			{"deploy/route", "reversal", refused(http.StatusNotFound)},
		},
		clients: func(k map[string]*kind) {
			k["account"].keyPrefix = "k-"
			k["reversal"].path += "s"
		},
	},
	{
		name: "operation removed",
		edits: []edit{{spec, `
  /transfers/{transferId}/reversals:
    post:
      operationId: reverseTransfer
      x-idempotent: {}
      parameters:
        - { name: X-Reason, in: header, required: true, schema: { type: string } }
        - { name: transferId, in: path, required: true, schema: { type: string, format: uuid } }
      responses:
        '201':
          description: The transfer back.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Transfer' }
`, ""}},
		hand:    []edit{{file: "internal/service/stubs.go"}},
		warns:   []warning{{"deploy/removed", "reversal", refused(http.StatusNotFound)}},
		clients: func(k map[string]*kind) { delete(k, "reversal") },
	},
}
