package oapi

import (
	"bytes"
	"errors"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// SyntaxError is oapi-codegen's code that isn't Go.
type SyntaxError struct {
	// Code is not formatted. Line is the one that Err is about, 0 if unknown.
	Code []byte
	Line int
	Err  error
}

func (e *SyntaxError) Error() string {
	return "oapi-codegen made Go that doesn't parse: " + e.Err.Error()
}

func (e *SyntaxError) Unwrap() error { return e.Err }

func syntaxError(code []byte, err error) error {
	e := &SyntaxError{Code: code, Err: err}
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		e.Line, e.Err = list[0].Pos.Line, errors.New(list[0].Msg)
	}
	return e
}

var buildLine = regexp.MustCompile(`^(//go:build [^\n]*)\n//`)

// formatted formats the code, without the imports that it doesn't need. goimports
// would look on this machine for packages with the names that a document gives.
func formatted(code []byte) ([]byte, error) {
	code = plainComments(code)
	// A build constraint is no part of the package's comment.
	code = buildLine.ReplaceAll(code, []byte("$1\n\n//"))
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", code, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, syntaxError(code, err)
	}
	used := map[string]bool{}
	for n := range ast.Preorder(f) {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
	}
	var needed []string
	start, end := -1, -1
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		if start < 0 {
			start = fset.Position(gen.Pos()).Offset
		}
		end = fset.Position(gen.End()).Offset
		for _, spec := range gen.Specs {
			if line, name := importLine(spec.(*ast.ImportSpec)); used[name] {
				needed = append(needed, line)
			}
		}
	}
	if start < 0 {
		return format.Source(code)
	}
	var out bytes.Buffer
	out.Write(code[:start])
	out.WriteString(importBlock(needed))
	out.Write(code[end:])
	return format.Source(out.Bytes())
}

// plainComments drops from comments what a reader doesn't see as what it is, such as
// what turns the direction of text, or what a terminal obeys. All comments of
// oapi-codegen are whole lines, and no string has more than one.
func plainComments(code []byte) []byte {
	hidden := func(r rune) bool { return r != '\t' && r != '\n' && !unicode.IsGraphic(r) }
	if !bytes.ContainsFunc(code, hidden) {
		return code
	}
	var out bytes.Buffer
	for line := range bytes.Lines(code) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("//")) {
			line = bytes.Map(func(r rune) rune {
				if hidden(r) {
					return -1
				}
				return r
			}, line)
		}
		out.Write(line)
	}
	return out.Bytes()
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// importLine is an import as it is written, and the name by which it is used.
func importLine(spec *ast.ImportSpec) (line, name string) {
	if spec.Name != nil {
		return spec.Name.Name + " " + spec.Path.Value, spec.Name.Name
	}
	importPath, _ := strconv.Unquote(spec.Path.Value) // it was parsed
	name = path.Base(importPath)
	if majorVersion.MatchString(name) {
		name = path.Base(path.Dir(importPath))
	}
	return spec.Path.Value, name
}

// importBlock groups imports as goimports does.
func importBlock(lines []string) string {
	quotedPath := func(line string) string { return line[strings.IndexAny(line, "\"`"):] }
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(quotedPath(a), quotedPath(b)) })
	var std, others []string
	for _, line := range slices.Compact(lines) {
		first, _, _ := strings.Cut(quotedPath(line), "/")
		if strings.Contains(first, ".") {
			others = append(others, line)
		} else {
			std = append(std, line)
		}
	}
	return "import (\n" + strings.Join(std, "\n") + "\n\n" + strings.Join(others, "\n") + "\n)\n"
}
