package tables_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/tables"
)

// orders is a table in production, as a revision of the document had it.
func orders() []tables.Table {
	return []tables.Table{
		{Name: "customers", Operation: "createCustomer", Key: "id", Columns: []tables.Column{
			{Name: "id", Property: "id", Type: "uuid", NotNull: true, Default: "gen_random_uuid()"},
		}},
		{Name: "orders", Operation: "placeOrder", Key: "id", Columns: []tables.Column{
			{Name: "id", Property: "id", Type: "bigint", NotNull: true, Identity: true},
			{Name: "customer_id", Property: "customerId", Type: "uuid", References: "customers", Index: "orders_customer_id_idx"},
			{Name: "sku", Property: "sku", Type: "text", NotNull: true},
			{Name: "quantity", Property: "quantity", Type: "integer", NotNull: true},
			{Name: "status", Property: "status", Type: "text", NotNull: true, Default: "'new'", Enum: []string{"new", "paid"}},
			{Name: "note", Property: "note", Type: "text"},
		}},
	}
}

// oldInsert is the statement of a server that knows only that revision.
const oldInsert = "INSERT INTO orders (customer_id, sku, quantity, note) VALUES ((SELECT id FROM customers LIMIT 1), 'a', 1, NULL)"

type edit = func(t *tables.Table)

func column(name string, change func(c *tables.Column)) edit {
	return func(t *tables.Table) { change(t.Column(name)) }
}

func without(name string) edit {
	return func(t *tables.Table) {
		t.Columns = slices.DeleteFunc(t.Columns, func(c tables.Column) bool { return c.Name == name })
	}
}

func with(c tables.Column) edit {
	return func(t *tables.Table) { t.Columns = append(t.Columns, c) }
}

func TestDiffFollowsEveryKindOfChange(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	for _, c := range []struct {
		name string
		edit edit
		// up are statements of the migration, left those in comments.
		up, left []string
		// later is a statement of a server from after.
		later string
	}{
		{name: "nothing", edit: func(*tables.Table) {}},
		{
			name: "new optional property", edit: with(tables.Column{Name: "gift", Property: "gift", Type: "boolean"}),
			up:    []string{"ALTER TABLE orders ADD COLUMN gift boolean;"},
			later: "INSERT INTO orders (sku, quantity, gift) VALUES ('b', 2, true)",
		},
		{
			name: "new optional property with a default", edit: with(tables.Column{Name: "packed_at", Property: "packedAt", Type: "timestamptz", Default: "now()"}),
			up: []string{"ALTER TABLE orders ADD COLUMN packed_at timestamptz;", "ALTER TABLE orders ALTER COLUMN packed_at SET DEFAULT now();"},
		},
		{
			name: "new required property", edit: with(tables.Column{Name: "currency", Property: "currency", Type: "text", NotNull: true}),
			up:    []string{"ALTER TABLE orders ADD COLUMN currency text;"},
			left:  []string{"ALTER TABLE orders ALTER COLUMN currency SET NOT NULL"},
			later: "INSERT INTO orders (sku, quantity, currency) VALUES ('b', 2, 'eur')",
		},
		{
			name: "new property that the server makes", edit: with(tables.Column{Name: "state", Property: "state", Type: "text", NotNull: true, Default: "'open'", Enum: []string{"open", "shut"}}),
			up: []string{"ALTER TABLE orders ADD COLUMN state text NOT NULL DEFAULT 'open' CONSTRAINT orders_state_check CHECK (state IN ('open', 'shut'));"},
		},
		{
			name: "new reference", edit: with(tables.Column{Name: "payer_id", Property: "payerId", Type: "uuid", NotNull: true, References: "customers"}),
			up: []string{
				"ALTER TABLE orders ADD COLUMN payer_id uuid CONSTRAINT orders_payer_id_fkey REFERENCES customers (id);",
				"CREATE INDEX orders_payer_id_idx ON orders (payer_id);",
			},
			left: []string{"ALTER TABLE orders ALTER COLUMN payer_id SET NOT NULL"},
		},
		{
			name: "wider number", edit: column("quantity", func(c *tables.Column) { c.Type = "bigint" }),
			up:    []string{"ALTER TABLE orders ALTER COLUMN quantity TYPE bigint;"},
			later: "INSERT INTO orders (sku, quantity) VALUES ('b', 3000000000)",
		},
		{
			name: "narrower number", edit: column("id", func(c *tables.Column) { c.Type = "integer" }),
			left: []string{"ALTER TABLE orders ALTER COLUMN id DROP IDENTITY, ALTER COLUMN id TYPE integer USING id::integer"},
		},
		{
			name: "another type", edit: column("status", func(c *tables.Column) { c.Type, c.Enum, c.Default = "jsonb", nil, "'{}'" }),
			left: []string{"ALTER TABLE orders DROP CONSTRAINT orders_status_check, ALTER COLUMN status DROP DEFAULT, ALTER COLUMN status TYPE jsonb USING to_jsonb(status)"},
		},
		{
			name: "enum grown", edit: column("status", func(c *tables.Column) { c.Enum = []string{"new", "paid", "sent"} }),
			up:    []string{"ALTER TABLE orders DROP CONSTRAINT orders_status_check, ADD CONSTRAINT orders_status_check CHECK (status IN ('new', 'paid', 'sent'));"},
			later: "INSERT INTO orders (sku, quantity, status) VALUES ('b', 2, 'sent')",
		},
		{
			name: "enum shrunk", edit: column("status", func(c *tables.Column) { c.Enum = []string{"new"} }),
			left: []string{"ALTER TABLE orders DROP CONSTRAINT orders_status_check, ADD CONSTRAINT orders_status_check CHECK (status IN ('new'))"},
		},
		{
			name: "enum value replaced", edit: column("status", func(c *tables.Column) { c.Enum, c.Default = []string{"open", "paid"}, "'open'" }),
			up: []string{
				"ALTER TABLE orders DROP CONSTRAINT orders_status_check, ADD CONSTRAINT orders_status_check CHECK (status IN ('new', 'paid', 'open'));",
				"ALTER TABLE orders ALTER COLUMN status SET DEFAULT 'open';",
			},
			left:  []string{"ALTER TABLE orders DROP CONSTRAINT orders_status_check, ADD CONSTRAINT orders_status_check CHECK (status IN ('open', 'paid'))"},
			later: "INSERT INTO orders (sku, quantity) VALUES ('b', 2)",
		},
		{
			name: "no enum any more", edit: column("status", func(c *tables.Column) { c.Enum = nil }),
			up:    []string{"ALTER TABLE orders DROP CONSTRAINT orders_status_check;"},
			later: "INSERT INTO orders (sku, quantity, status) VALUES ('b', 2, 'anything')",
		},
		{
			name: "now an enum", edit: column("sku", func(c *tables.Column) { c.Enum = []string{"b"} }),
			left: []string{"ALTER TABLE orders ADD CONSTRAINT orders_sku_check CHECK (sku IN ('b'))"},
		},
		{
			name: "no longer required", edit: column("sku", func(c *tables.Column) { c.NotNull = false }),
			up:    []string{"ALTER TABLE orders ALTER COLUMN sku DROP NOT NULL;"},
			later: "INSERT INTO orders (quantity) VALUES (2)",
		},
		{
			name: "now required", edit: column("note", func(c *tables.Column) { c.NotNull = true }),
			left: []string{"ALTER TABLE orders ALTER COLUMN note SET NOT NULL"},
		},
		{
			name: "property removed", edit: without("sku"),
			up:    []string{"ALTER TABLE orders ALTER COLUMN sku DROP NOT NULL;"},
			left:  []string{"ALTER TABLE orders DROP COLUMN sku"},
			later: "INSERT INTO orders (quantity) VALUES (2)",
		},
		{
			name: "property renamed", edit: column("sku", func(c *tables.Column) { c.Name, c.Property = "article", "article" }),
			up:    []string{"ALTER TABLE orders ADD COLUMN article text;", "ALTER TABLE orders ALTER COLUMN sku DROP NOT NULL;"},
			left:  []string{"ALTER TABLE orders ALTER COLUMN article SET NOT NULL", "ALTER TABLE orders DROP COLUMN sku"},
			later: "INSERT INTO orders (article, quantity) VALUES ('b', 2)",
		},
		{
			name: "property spelt otherwise", edit: column("customer_id", func(c *tables.Column) { c.Property = "customer_id" }),
		},
		{
			name: "key no longer sent", edit: without("id"),
		},
		{
			name: "another key", edit: func(o *tables.Table) {
				with(tables.Column{Name: "order_id", Property: "order_id", Type: "uuid", NotNull: true, Default: "gen_random_uuid()"})(o)
				o.Key = "order_id"
				without("id")(o)
			},
			up:   []string{"ALTER TABLE orders ADD COLUMN order_id uuid NOT NULL DEFAULT gen_random_uuid();"},
			left: []string{"ALTER TABLE orders DROP CONSTRAINT orders_pkey, ADD CONSTRAINT orders_pkey PRIMARY KEY (order_id)"},
		},
		{
			name: "no reference any more", edit: column("customer_id", func(c *tables.Column) { c.References = "" }),
			up:    []string{"ALTER TABLE orders DROP CONSTRAINT orders_customer_id_fkey;"},
			later: "INSERT INTO orders (customer_id, sku, quantity) VALUES (gen_random_uuid(), 'b', 2)",
		},
		{
			name: "operation removed", edit: func(o *tables.Table) { o.Operation, o.Name = "another", "others" },
			left: []string{"DROP TABLE orders"},
		},
		{
			name: "operation renamed", edit: func(o *tables.Table) { o.Operation = "createOrder" },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := db.schema(t)
			had, want := orders(), orders()
			s.add(tables.Create(had))
			s.up()
			s.exec("INSERT INTO customers DEFAULT VALUES")
			s.exec(oldInsert)
			rows := s.lines("SELECT orders::text FROM orders")
			before := s.catalog()

			c.edit(&want[1])
			change := tables.Diff(had, want, "00002_tables.sql", nil)
			var left []string
			for _, l := range change.Left {
				left = append(left, l.Statement)
				line := strings.Split(string(change.Migration), "\n")[l.Line-1]
				if line != "-- "+l.Statement+";" {
					t.Errorf("line %d is %q, not %q", l.Line, line, l.Statement)
				}
			}
			if !slices.Equal(left, c.left) {
				t.Errorf("left to the user: %q", left)
			}
			if got := statements(change.Migration); !slices.Equal(got, c.up) {
				t.Errorf("up: %q", got)
			}
			if change.Migration == nil {
				return
			}

			s.add(change.Migration)
			s.up()
			after := s.catalog()
			s.exec(oldInsert)
			if c.later != "" {
				s.exec(c.later)
			}
			n := s.lines("SELECT count(*)::text FROM orders")
			s.down()
			if got := s.lines("SELECT count(*)::text FROM orders"); got != n {
				t.Errorf("after down there are %s rows, not %s", got, n)
			}
			if got := s.lines("SELECT orders::text FROM orders ORDER BY id LIMIT 1"); got != rows {
				t.Errorf("after down the row is %q, not %q", got, rows)
			}
			if c.later == "" && s.catalog() != before {
				t.Errorf("down leaves\n%s, not\n%s", s.catalog(), before)
			}
			s.exec(oldInsert)
			s.up()
			if got := s.catalog(); got != after {
				t.Errorf("up again makes\n%s, not\n%s", got, after)
			}

			fresh := db.schema(t)
			fresh.add(tables.Create(change.Tables))
			fresh.up()
			if got := fresh.catalog(); got != after {
				t.Errorf("the database has\n%s, and the lock\n%s", after, got)
			}
			if again := tables.Diff(change.Tables, want, "00003_tables.sql", nil); again.Migration != nil {
				t.Errorf("the same is written again:\n%s", again.Migration)
			}
			checkUncommented(t, db, had, want, change)
		})
	}
}

var commented = regexp.MustCompile(`(?m)^-- (ALTER|DROP|CREATE) `)

// checkUncommented lets run what was left to the user. The lock must take it for
// what it is.
func checkUncommented(t *testing.T, db *database, had, want []tables.Table, change *tables.Change) {
	t.Helper()
	s := db.schema(t)
	s.add(tables.Create(had))
	s.up()
	before := s.catalog()
	s.add(commented.ReplaceAll(change.Migration, []byte("$1 ")))
	s.up()
	all := func(tables.Open) bool { return true }
	then := tables.Diff(change.Tables, want, "00003_tables.sql", all)
	if then.Migration != nil {
		s.add(then.Migration)
		s.up()
	}
	fresh := db.schema(t)
	fresh.add(tables.Create(then.Tables))
	fresh.up()
	if got, want := s.catalog(), fresh.catalog(); got != want {
		t.Errorf("without comments the database has\n%s, and the lock\n%s", got, want)
	}
	if bytes.Contains(change.Migration, []byte("-- DROP")) || bytes.Contains(change.Migration, []byte(" DROP COLUMN sku")) || bytes.Contains(change.Migration, []byte(" DROP COLUMN id")) {
		return // there is no way back
	}
	if then.Migration != nil {
		s.down()
	}
	s.down()
	if got := s.catalog(); got != before {
		t.Errorf("without comments, down leaves\n%s, not\n%s", got, before)
	}
}

// Keys widen with what refers to them, and what the database counts goes on.
func TestKeysWiden(t *testing.T) {
	t.Parallel()
	list := func(typ string) []tables.Table {
		return []tables.Table{
			{Name: "pets", Operation: "createPet", Key: "id", Columns: []tables.Column{{Name: "id", Property: "id", Type: typ, NotNull: true, Identity: true}}},
			{Name: "visits", Operation: "visit", Key: "id", Columns: []tables.Column{
				{Name: "id", Property: "id", Type: typ, NotNull: true, Identity: true},
				{Name: "pet_id", Property: "petId", Type: typ, NotNull: true, References: "pets", Index: "visits_pet_id_idx"},
			}},
		}
	}
	s := newDatabase(t).schema(t)
	s.add(tables.Create(list("integer")))
	s.up()
	const insert = "WITH p AS (INSERT INTO pets DEFAULT VALUES RETURNING id) INSERT INTO visits (pet_id) SELECT id FROM p"
	s.exec(insert)
	before := s.catalog()
	s.add(tables.Diff(list("integer"), list("bigint"), "00002_tables.sql", nil).Migration)
	s.up()
	s.exec(insert)
	s.down()
	if got := s.catalog(); got != before {
		t.Errorf("down leaves\n%s, not\n%s", got, before)
	}
	s.up()
	s.exec("ALTER TABLE pets ALTER COLUMN id RESTART 3000000000")
	s.exec(insert)
	s.down() // what doesn't fit stays
	if got := s.lines("SELECT max(pet_id)::text FROM visits"); got != "3000000000\n" {
		t.Errorf("the largest key is %s", got)
	}
	s.up()
	s.exec(insert)
}

// statements are those of the way up, but for the timeout.
func statements(migration []byte) []string {
	up, _, _ := strings.Cut(string(migration), "-- +goose Down")
	var list []string
	for line := range strings.Lines(up) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "--") && !strings.HasPrefix(line, "SET LOCAL") {
			list = append(list, line)
		}
	}
	return list
}
