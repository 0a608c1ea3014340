// Package templates holds the templates of the generated files. They render;
// every string in them was decided before.
package templates

import "embed"

// FS holds the templates.
//
//go:embed *.tmpl new
var FS embed.FS
