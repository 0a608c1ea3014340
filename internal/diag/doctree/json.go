package doctree

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// jsonError returns what is wrong with data as one JSON document.
func jsonError(data []byte) error {
	var raw json.RawMessage
	return json.Unmarshal(data, &raw)
}

// json reads the file through encoding/json's tokens: a YAML parser would refuse
// surrogate pairs, \/ and tabs, which JSON allows.
func (p *Parser) json() *Node {
	text := p.file.Text
	if err := jsonError(text); err != nil {
		off, msg := len(text), strings.TrimPrefix(err.Error(), "json: ")
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			off = int(syntax.Offset)
			if !strings.HasPrefix(msg, "unexpected end") {
				off-- // Offset counts the bytes read, the bad one included
			}
		}
		p.diags.Addf(p.file.Pos(off), 0, p.Rules.Syntax, "not valid JSON: %s", msg)
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	r := &jsonReader{p: p, dec: dec}
	return r.value(1)
}

type jsonReader struct {
	p   *Parser
	dec *json.Decoder
}

// next returns the next token and the offset at which it starts.
func (r *jsonReader) next() (json.Token, int, error) {
	text, off := r.p.file.Text, int(r.dec.InputOffset())
	for off < len(text) && strings.IndexByte(" \t\r\n,:", text[off]) >= 0 {
		off++
	}
	t, err := r.dec.Token()
	return t, off, err
}

// value reads one value, nil when a bound is hit (which has been reported).
func (r *jsonReader) value(depth int) *Node {
	t, off, err := r.next()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			r.p.diags.Addf(r.p.file.Pos(off), 0, r.p.Rules.Syntax, "not valid JSON: %v", err)
		}
		return nil
	}
	if depth > MaxDepth {
		r.p.limit(off, "nested more than %d levels deep", MaxDepth)
		return nil
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '[' {
			return r.list(off, depth)
		}
		return r.object(off, depth)
	case string:
		return r.p.node(String, t, off)
	case json.Number:
		kind := Int
		if strings.ContainsAny(t.String(), ".eE") {
			kind = Float
		}
		return r.p.node(kind, t.String(), off)
	case bool:
		if t {
			return r.p.node(Bool, "true", off)
		}
		return r.p.node(Bool, "false", off)
	}
	return r.p.node(Null, "null", off)
}

func (r *jsonReader) list(off, depth int) *Node {
	n := r.p.node(Seq, "", off)
	for r.dec.More() {
		item := r.value(depth + 1)
		if item == nil || !r.p.adopt(n, item) {
			return nil
		}
		n.Items = append(n.Items, item)
	}
	if _, _, err := r.next(); err != nil {
		return nil
	}
	return n
}

func (r *jsonReader) object(off, depth int) *Node {
	n := r.p.node(Map, "", off)
	for r.dec.More() {
		t, at, err := r.next()
		name, ok := t.(string)
		if err != nil || !ok {
			return nil
		}
		key := r.p.node(String, name, at)
		value := r.value(depth + 1)
		if value == nil || !r.p.add(n, key, value) {
			return nil
		}
	}
	if _, _, err := r.next(); err != nil {
		return nil
	}
	return n
}
