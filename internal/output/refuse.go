package output

import "github.com/idemgen/idemgen/internal/diag"

// The rules of this package.
const (
	ruleForeign = "output/not-generated" // a file in the way that no generator wrote
	ruleEdited  = "output/edited"        // a generated file that somebody changed
)

// Foreign are the files in the way that no generator wrote. Nothing overwrites
// them. display turns a path into the one that messages show.
func (p *Plan) Foreign(display func(string) string) *diag.Set {
	diags := &diag.Set{}
	for _, f := range p.Files {
		if f.State == Foreign {
			diags.Addf(diag.Pos{File: display(f.Path)}, 0, ruleForeign,
				"this file would be overwritten, but it wasn't generated; move it, or choose another folder in the configuration")
		}
	}
	return diags
}

// Edited are the generated files that would lose an edit.
func (p *Plan) Edited(display func(string) string) *diag.Set {
	diags := &diag.Set{}
	for _, f := range p.Files {
		if f.State == Edited {
			diags.Addf(diag.Pos{File: display(f.Path)}, 0, ruleEdited,
				"this generated file was edited, or merged, since idemgen wrote it; see what would be lost with --diff, move it elsewhere, and overwrite the file with --force")
		}
	}
	return diags
}
