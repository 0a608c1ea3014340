package spec

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/diag"
)

// overlaid loads a document with overlays, each given as name and text.
func overlaid(t testing.TB, name, text string, overlays ...string) (*Document, string) {
	t.Helper()
	dir := write(t, append([]string{name, text}, overlays...)...)
	var list []Overlay
	for i := 0; i < len(overlays); i += 2 {
		if strings.HasPrefix(overlays[i], "overlay") {
			list = append(list, Overlay{Path: filepath.Join(dir, overlays[i]), Display: overlays[i]})
		}
	}
	d, diags := Load(filepath.Join(dir, name), name, list...)
	var b strings.Builder
	if err := diag.PrintText(&b, diags, d.Source); err != nil {
		t.Fatal(err)
	}
	return d, b.String()
}

func written(t *testing.T, d *Document) string {
	t.Helper()
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(d.Effective()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const overlayHead = "overlay: 1.0.0\ninfo: {title: t, version: '1'}\nactions:\n"

func TestEffectiveKeepsCommentsAndOrder(t *testing.T) {
	d, out := overlaid(t, "a.yaml", `# The shop.
openapi: 3.0.3 # not newer
info: {title: t, version: '1'}

# What there is.
paths:
  # pets
  /pets:
    post: &create
      operationId: createPet
      responses:
        200:
          description: |
            fine
            indeed
        404: {description: "no: such"}
      x-big: 0x10
  /orders:
    post:
      <<: *create
      operationId: placeOrder
  /old:
    get: {responses: {200: {description: ok}}}
# the end
`, "overlay.yaml", overlayHead+`  - target: $.paths['/pets'].post
    update:
      # retried by the app
      x-idempotent: {ttl: 2h} # not longer
      tags: ["yes", no, 2020-01-01]
  - target: $.paths['/old']
    remove: true
`)
	expect(t, out, "")
	expect(t, written(t, d), `
# The shop.
openapi: 3.0.3 # not newer
info: {title: t, version: '1'}
# What there is.
paths:
  # pets
  /pets:
    post:
      operationId: createPet
      responses:
        200:
          description: |
            fine
            indeed
        404: {description: "no: such"}
      x-big: 16
      # retried by the app
      x-idempotent: {ttl: 2h} # not longer
      tags: ["yes", no, "2020-01-01"]
  /orders:
    post:
      operationId: placeOrder
      responses:
        200:
          description: |
            fine
            indeed
        404: {description: "no: such"}
      x-big: 16
# the end
`)
}

func TestEffectiveOfJSON(t *testing.T) {
	d, out := overlaid(t, "a.json", `{"openapi": "3.0.3", "info": {"title": "\ud83d\ude00 yes", "version": "1.0"},
		"paths": {"/a": {"post": {"operationId": "no", "responses": {"200": {"description": "two\nlines"}}}}}}`,
		"overlay.json", `{"overlay": "1.1.0", "info": {"title": "t", "version": "1"}, "actions": [{"target": "$.paths['/a'].post.operationId", "update": "yes"}]}`)
	expect(t, out, "")
	expect(t, written(t, d), `
openapi: "3.0.3"
info:
  title: "\U0001F600 yes"
  version: "1.0"
paths:
  /a:
    post:
      operationId: "yes"
      responses:
        "200":
          description: "two\nlines"
`)
}

// What an overlay brings is part of the document: its $refs are relative to the
// document's folder, and other files see it.
func TestOverlayAcrossFiles(t *testing.T) {
	d, out := overlaid(t, "api/a.yaml", head+`paths:
  /a: {$ref: 'paths/a.yaml'}
components: {}
`, "api/paths/a.yaml", `post:
  operationId: a
  x-idempotent: {fingerprint: {exclude: [/at]}}
  requestBody: {content: {application/json: {schema: {$ref: '../a.yaml#/components/schemas/A'}}}}
  responses: {200: {description: ok}}
`, "api/types/at.yaml", "type: string\n", "overlay.yaml", overlayHead+`  - target: $.components
    update: {schemas: {A: {type: object, properties: {at: {$ref: types/at.yaml}}}}}
`)
	expect(t, out, "")
	doc, err := d.OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	at := doc.Paths.Value("/a").Post.RequestBody.Value.Content["application/json"].Schema.Value.Properties["at"]
	if at.Value == nil || !at.Value.Type.Is("string") {
		t.Errorf("at: %+v", at)
	}
	pos, _, ok := d.Find("components", "schemas", "A", "properties", "at")
	if !ok || pos.String() != "overlay.yaml:5:55" {
		t.Error(pos, ok)
	}
}

// A change at one place of an alias is none at its others.
func TestOverlayOnAlias(t *testing.T) {
	d, out := overlaid(t, "a.yaml", head+`x-op: &op {operationId: a, responses: {200: {description: ok}}}
paths:
  /a: {post: *op}
  /b: {post: *op}
`, "overlay.yaml", overlayHead+`  - target: $.paths['/b'].post
    update: {operationId: b, x-idempotent: {}}
`)
	expect(t, out, "")
	if a, b := d.Operations[0], d.Operations[1]; a.ID != "a" || a.Idempotent != nil || b.ID != "b" || b.Idempotent == nil {
		t.Errorf("%+v %+v", a, b)
	}
}

func TestOverlayLimits(t *testing.T) {
	const doc = head + "paths: {}\nx-a: [1, 2, 3]\nx-b: {}\n"
	double := strings.Replace(overlayHead, "1.0.0", "1.1.0", 1) + strings.Repeat("  - {target: \"$['x-a']\", copy: \"$['x-a']\"}\n", 30)
	_, out := overlaid(t, "a.yaml", doc, "overlay.yaml", double)
	if !strings.Contains(out, "overlays add more than 1000000 nodes [overlay/limit]") || !strings.HasSuffix(out, "\n1 problem; nothing was written\n") {
		t.Error(out)
	}
	nested := strings.Repeat("{a: ", 150) + "{}" + strings.Repeat("}", 150)
	_, out = overlaid(t, "a.yaml", doc, "overlay.yaml", overlayHead+"  - target: $['x-b']\n    update: {b: "+nested+"}\n"+
		"  - target: $['x-b'].b"+strings.Repeat(".a", 150)+"\n    update: {c: "+nested+"}\n")
	if !strings.Contains(out, "nested more than 250 levels deep [overlay/limit]") || !strings.HasSuffix(out, "\n1 problem; nothing was written\n") {
		t.Error(out)
	}
}
