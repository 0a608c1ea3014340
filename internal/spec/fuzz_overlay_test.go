package spec

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/diag"
)

func FuzzOverlay(f *testing.F) {
	base := post("{}") + "x-a: &a [1, {b: [2, x]}]\nx-b: {c: *a, d: 0x1F, e: 'no', f: |\n  text\n}\n"
	f.Add(base, overlayHead+"  - {target: $.paths.*.post, update: {x-idempotent: {ttl: soon}}}\n")
	f.Add(post("{}"), overlayHead+"  - {target: '$', update: {x-idempotent: {}}}\n  - {target: $.info, update: []}\n")
	for _, actions := range []string{
		"- {target: \"$..*\", remove: true}", "- {target: \"$\", remove: true}", "- {target: $..b, update: [a]}",
		"- {target: \"$['x-a']\", copy: $}", "- {target: \"$['x-b']\", copy: $}", "- {target: \"$['x-a', 'x-a'][0,0,-1]\", remove: true}",
		"- {target: \"$['x-a'][?@.b[?@>1]]\", update: {b: &x {y: *x}}}", "- {target: \"$['x-a'][::-1]\", update: 1}",
		"- {target: \"$.paths[?match(@.post.operationId, 'a(+')]\", update: {}}", "- {target: \"$['x-b'].d\", update: 010}",
		"- {target: \"$[\", update: {}}", "- {target: \"$.a%s.b\", update: {}}", "- {target: [], update: {}, copy: 5, remove: 1}", "-", "- a", "{}",
	} {
		f.Add(post("{}")+"x-a: &a [1, {b: [2, x]}]\nx-b: {c: *a, d: 0x1F, e: 'no', 5: \"\\e\"}\n", "overlay: 1.1.0\ninfo: {title: t, version: '1'}\nactions:\n  "+actions+"\n")
	}
	f.Add("openapi: 3.0.0\ninfo: {title: A, version: 0A}\npaths: {}\nx-a: [{b: [0]}]\nx-b: {c, d:}\n", overlayHead+"- {target: $..b, update}\n")
	f.Add(`{"openapi":"3.1.0","info":{"title":"\ud83d\ude00","version":"1"},"paths":{}}`, `{"overlay":"1.1.0","info":{"title":"t","version":"1"},"actions":[{"target":"$.info.title","update":"\u0000 a: b # c"}]}`)
	f.Fuzz(func(t *testing.T, text, overlay string) {
		dir := write(t, "doc", text, "overlay", overlay)
		start := time.Now()
		d, diags := Load(filepath.Join(dir, "doc"), "doc", Overlay{Path: filepath.Join(dir, "overlay"), Display: "overlay"})
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
		for _, x := range diags.All() {
			if x.Message == "" || x.Rule == "" || x.Pos.File == "" || !utf8.ValidString(diag.Escape(x.Message)) || x.Len < 0 {
				t.Errorf("bad diagnostic %+v", x)
			}
		}
		if err := diag.PrintText(io.Discard, diags, d.Source); err != nil {
			t.Error(err)
		}
		if diags.Empty() {
			sameWhenWritten(t, d)
		}
	})
}

// sameWhenWritten checks that the effective document, written and read again, is
// the document.
func sameWhenWritten(t *testing.T, d *Document) {
	t.Helper()
	text, err := yaml.Marshal(d.Effective())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(write(t, "written.yaml", string(text)), "written.yaml")
	again, diags := Load(path, "written.yaml")
	if !diags.Empty() {
		t.Fatalf("%v of\n%s", diags.All(), text)
	}
	want, _ := d.files.byKey[d.key].src.normal()
	got, _ := again.files.byKey[again.key].src.normal()
	if !bytes.Equal(got, want) {
		t.Errorf("written as\n%s\nwhich reads\n%s\nwant\n%s", text, got, want)
	}
}
