package pgtest

import (
	"context"
	"sync"
)

// Server is a server for one program. Its methods are safe for concurrent use.
type Server struct {
	client *client
	url    string
	stop   func() error
}

// Start returns a server that lives as long as the calling program: Stop removes it with all files and processes, and
// so does the program's end, SIGKILL included. With DATABASE_URL set, no server is started and only the databases made
// through the Server are removed. Start blocks until the server accepts connections, ctx ends, or 3 minutes have passed;
// the error of a machine without PostgreSQL says how to get one.
func Start(ctx context.Context) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	c, err := connect(ctx, privateConfig())
	if err != nil {
		return nil, err
	}
	s := &Server{client: c, url: c.url, stop: sync.OnceValue(c.close)}
	if c.external { // The database in DATABASE_URL is not ours to use.
		if s.url, err = s.NewDatabase(ctx, "main"); err != nil {
			_ = s.Stop()
			return nil, err
		}
	}
	return s, nil
}

// URL returns the URL of a database in the server: over TCP, as a user who may create databases.
func (s *Server) URL() string { return s.url }

// NewDatabase creates an empty database and returns its URL. It has exactly this name (at most 63 bytes), unless the
// server is that of DATABASE_URL: there a prefix keeps it apart from others. A name that exists is an error.
func (s *Server) NewDatabase(ctx context.Context, name string) (string, error) {
	if s.client.external {
		name = s.client.prefix + name
	}
	return s.client.create(ctx, name)
}

// Stop ends connections, stops the server and removes its files. It returns once that is done, at most 30 seconds later.
// Further calls return what the first returned.
func (s *Server) Stop() error { return s.stop() }
