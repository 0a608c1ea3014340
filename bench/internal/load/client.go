// Package load asks a server for answers as fast as it gives them.
package load

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Request is one POST of JSON.
type Request struct {
	Path, KeyHeader, Key, Body string
}

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Client is one connection, on which it does one request after the other. It
// does less than http.Client: the CPU that it takes is missing elsewhere.
type Client struct {
	address string
	conn    net.Conn
	in      *bufio.Reader
	out     []byte
}

// timeout is far above what any answer takes.
const timeout = 30 * time.Second

// Dial connects with a server.
func Dial(ctx context.Context, address string) (*Client, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &Client{address: address, conn: conn, in: bufio.NewReader(conn)}, nil
}

// Do sends a request and waits for its answer. After an error the client is of
// no use.
func (c *Client) Do(r Request) (Answer, error) {
	if err := c.conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return Answer{}, err
	}
	c.out = fmt.Appendf(c.out[:0], "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nX-Api-Key: bench\r\n%s: %s\r\nContent-Length: %d\r\n\r\n%s",
		r.Path, c.address, r.KeyHeader, r.Key, len(r.Body), r.Body)
	if _, err := c.conn.Write(c.out); err != nil {
		return Answer{}, err
	}
	response, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = response.Body.Close() }() // it is read to its end
	body, err := io.ReadAll(response.Body)
	return Answer{Status: response.StatusCode, Header: response.Header, Body: body}, err
}

// Close hangs up.
func (c *Client) Close() { _ = c.conn.Close() }
