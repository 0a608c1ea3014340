package doctree

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/diag"
)

// block is the distance of the column check points: finding a column in a
// minified document of many megabytes must not mean reading it from the start.
const block = 1024

// File is the text that a tree was read from.
type File struct {
	Name string // as in messages
	Text []byte // without a byte order mark

	lines    []int      // offsets at which lines start
	runes    []int      // characters before each block
	document *yaml.Node // nil in JSON files
}

func newFile(name string, text []byte) *File {
	f := &File{Name: name, Text: text, lines: []int{0}}
	count := 0
	for i := range text {
		if i%block == 0 {
			f.runes = append(f.runes, count)
		}
		if utf8.RuneStart(text[i]) {
			count++
		}
		if text[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// Pos returns the position of a byte offset.
func (f *File) Pos(off int) diag.Pos {
	off = max(0, min(off, len(f.Text)))
	line := sort.SearchInts(f.lines, off+1) - 1
	return diag.Pos{File: f.Name, Line: line + 1, Col: f.runesBefore(off) - f.runesBefore(f.lines[line]) + 1}
}

func (f *File) runesBefore(off int) int {
	b := off / block
	if b >= len(f.runes) {
		if len(f.runes) == 0 {
			return 0
		}
		b = len(f.runes) - 1
	}
	n := f.runes[b]
	for _, c := range f.Text[b*block : off] {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

// token returns the scalar that starts at off, up to the end of its line. value
// is what it decodes to: a plain scalar of YAML can't be delimited without it.
func (f *File) token(off int, value string) string {
	if off >= len(f.Text) {
		return ""
	}
	rest := f.Text[off:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	rest = bytes.TrimRight(rest, "\r")
	switch {
	case len(rest) == 0 || value == "" && rest[0] != '"' && rest[0] != '\'':
		return ""
	case rest[0] == '"':
		for i := 1; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case '"':
				return string(rest[:i+1])
			}
		}
	case rest[0] == '\'':
		for i := 1; i < len(rest); i++ {
			if rest[i] != '\'' {
				continue
			}
			if i+1 < len(rest) && rest[i+1] == '\'' {
				i++
				continue
			}
			return string(rest[:i+1])
		}
	case rest[0] == '|' || rest[0] == '>':
		return string(rest[:1])
	case bytes.HasPrefix(rest, []byte(value)):
		return value
	}
	s := string(rest)
	if i := strings.Index(s, " #"); i >= 0 && s[0] != '"' && s[0] != '\'' {
		s = s[:i]
	}
	return strings.TrimRight(s, " \t")
}

func (f *File) tokenLen(off int, value string) int {
	return utf8.RuneCountInString(f.token(off, value))
}
