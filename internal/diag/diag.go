// Package diag holds what the generator has to say about its inputs: a
// message, the rule behind it, and the exact place in the user's file.
package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// Pos is a place in a text file. Lines end at "\n" or "\r\n"; columns count
// characters (not bytes), as editors do. Both start at 1. Line 0 means that only
// the file is known.
type Pos struct {
	File string
	Line int
	Col  int
}

// String gives file:line:col, or less where less is known.
func (p Pos) String() string {
	switch {
	case p.Line <= 0:
		return p.File
	case p.Col <= 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Severity says whether a diagnostic stops the run. The zero value does.
type Severity int

// The severities.
const (
	Error Severity = iota
	Warning
)

// String is "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one problem.
type Diagnostic struct {
	Severity Severity
	Pos      Pos
	Len      int    // characters to underline; 0 means unknown, one caret is printed
	Message  string // lower case, with the suggestion after "; "
	Rule     string // stable identifier, such as extension/ttl
}

// Set collects diagnostics. The zero value is ready, a nil *Set reads as empty.
// A Set is not safe for concurrent use.
type Set struct {
	list []Diagnostic
}

// Add appends d.
func (s *Set) Add(d Diagnostic) { s.list = append(s.list, d) }

// Addf appends a diagnostic with a formatted message. Text that comes from a
// file belongs under %q.
func (s *Set) Addf(pos Pos, length int, rule, format string, args ...any) {
	s.Add(Diagnostic{Pos: pos, Len: length, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

// Warnf is Addf for a warning.
func (s *Set) Warnf(pos Pos, length int, rule, format string, args ...any) {
	s.Add(Diagnostic{Severity: Warning, Pos: pos, Len: length, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

// Errors returns the same diagnostics, with all warnings as errors.
func (s *Set) Errors() *Set {
	strict := &Set{}
	for _, d := range s.All() {
		d.Severity = Error
		strict.Add(d)
	}
	return strict
}

// Merge appends everything that o holds.
func (s *Set) Merge(o *Set) {
	if o != nil {
		s.list = append(s.list, o.list...)
	}
}

// Empty reports whether there is nothing to say.
func (s *Set) Empty() bool { return s == nil || len(s.list) == 0 }

// All returns the diagnostics sorted by file, line, column, rule and message,
// without duplicates. The caller owns the slice.
func (s *Set) All() []Diagnostic {
	if s.Empty() {
		return nil
	}
	all := slices.Clone(s.list)
	slices.SortFunc(all, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message),
			cmp.Compare(a.Len, b.Len),
			cmp.Compare(a.Severity, b.Severity),
		)
	})
	return slices.Compact(all)
}
