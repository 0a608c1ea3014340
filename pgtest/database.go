package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// readyTimeout leaves room for the slowest road, a download over a slow line.
	readyTimeout = 3 * time.Minute
	sqlTimeout   = 30 * time.Second
	maxName      = 63 // PostgreSQL cuts longer identifiers without failing.
)

// TB is what Database needs of a testing.TB. It is declared here so that programs can link this package without
// importing testing.
type TB interface {
	Helper()
	Name() string
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
	Cleanup(func())
}

var shared struct {
	sync.Mutex
	client *client
}

// Database returns the URL of a new, empty database for this test alone, copied from template0. It is dropped in
// tb.Cleanup, connections to it included. The first call in a `go test` starts the server, which takes a second or two,
// or the time of a download (at most 3 minutes). If there is no server to be had, the test ends with tb.Fatalf.
// Database is safe in parallel tests; like Fatalf it is for the test's own goroutine.
func Database(tb TB) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
	defer cancel()
	c, err := sharedClient(ctx)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
		return ""
	}
	name := c.databaseName(tb.Name())
	dsn, err := c.create(ctx, name)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
		return ""
	}
	tb.Cleanup(func() {
		if err := c.drop(name); err != nil {
			tb.Logf("pgtest: %v", err)
		}
	})
	return dsn
}

// sharedClient returns this process's connection to the supervisor of its `go test`; a new one if that supervisor has gone.
func sharedClient(ctx context.Context) (*client, error) {
	shared.Lock()
	defer shared.Unlock()
	if c := shared.client; c != nil && c.alive() {
		return c, nil
	}
	c, err := connect(ctx, sharedConfig())
	if err != nil {
		return nil, err
	}
	shared.client = c
	return c, nil
}

var databases atomic.Int64

func (c *client) databaseName(test string) string {
	number := fmt.Sprintf("_%d", databases.Add(1))
	slug := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(test))
	return c.prefix + slug[:min(len(slug), maxName-len(c.prefix)-len(number))] + number
}

func (c *client) create(ctx context.Context, name string) (string, error) {
	if len(name) > maxName {
		return "", fmt.Errorf("create database %s: the name is longer than %d bytes", name, maxName)
	}
	dsn, err := withDatabase(c.url, name)
	if err != nil {
		return "", err
	}
	// template0 alone is sure to be empty and without sessions that would make CREATE DATABASE fail.
	if err := execute(ctx, c.url, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" TEMPLATE template0"); err != nil {
		return "", fmt.Errorf("create database %s: %w", name, err)
	}
	return dsn, nil
}

func (c *client) drop(name string) error {
	// Not the test's context: it has usually ended by now.
	ctx, cancel := context.WithTimeout(context.Background(), sqlTimeout)
	defer cancel()
	return dropDatabase(ctx, c.url, name)
}

func dropDatabase(ctx context.Context, server, name string) error {
	if err := execute(ctx, server, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)"); err != nil {
		return fmt.Errorf("drop database %s: %w", name, err)
	}
	return nil
}

// dropDatabases drops what a client that died had made.
func dropDatabases(ctx context.Context, server, prefix string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, _ := conn.Query(ctx, "SELECT datname FROM pg_database WHERE starts_with(datname, $1)", prefix)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("list databases: %w", err)
	}
	for _, name := range names {
		if err := dropDatabase(ctx, server, name); err != nil {
			return err
		}
	}
	return nil
}

func execute(ctx context.Context, server, sql string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, sql)
	return err
}

func withDatabase(server, name string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", fmt.Errorf("server URL: %w", err)
	}
	query := u.Query()
	query.Del("dbname") // It would win over the path.
	u.Path, u.RawPath, u.RawQuery = "/"+name, "", query.Encode()
	return u.String(), nil
}
