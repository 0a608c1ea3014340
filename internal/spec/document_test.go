package spec

import (
	"strings"
	"sync"
	"testing"
)

func TestDocuments(t *testing.T) {
	laughs := head + "paths: {}\nx-a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'i'; c++ {
		laughs += strings.NewReplacer("N", string(c), "P", string(c-1)).Replace("x-N: &N [*P,*P,*P,*P,*P,*P,*P,*P,*P,*P]\n")
	}
	for _, c := range []struct{ name, text, want string }{
		{"a.yaml", "", "a.yaml: the file is empty; an OpenAPI document starts with \"openapi: 3.0.3\" [openapi/version]\n1 problem; nothing was written\n"},
		{"a.yaml", "- a\n", "a.yaml:1:1: the document is a list, not a mapping; an OpenAPI document starts with \"openapi: 3.0.3\" [openapi/version]\n    1 | - a\n      | ^\n1 problem; nothing was written\n"},
		{"a.yaml", "swagger: '2.0'\n", "a.yaml:1:1: Swagger 2.0 is not supported; convert the document to OpenAPI 3.0 or 3.1 [openapi/version]\n    1 | swagger: '2.0'\n      | ^^^^^^^\n1 problem; nothing was written\n"},
		{"a.yaml", "openapi: 3.2.0\n", "a.yaml:1:10: openapi: version \"3.2.0\" is not supported; write 3.1.0 if the document needs nothing of 3.2 [openapi/version]\n    1 | openapi: 3.2.0\n      |          ^^^^^\n1 problem; nothing was written\n"},
		{"a.yaml", "openapi: 3.1\n", "a.yaml:1:10: openapi: 3.1 is a number; write the whole version, such as 3.1.0 [openapi/version]\n    1 | openapi: 3.1\n      |          ^^^\n1 problem; nothing was written\n"},
		{"a.yaml", "info: {}\n", "a.yaml: openapi is missing; this is not an OpenAPI document, which starts with \"openapi: 3.0.3\" [openapi/version]\n1 problem; nothing was written\n"},
		{"a.yaml", "\xff\xfeo\x00", "a.yaml: the file is UTF-16; save it as UTF-8 [openapi/syntax]\n1 problem; nothing was written\n"},
		{"a.yaml", "a: \xe4\n", "a.yaml:1:4: byte 0xe4 is not UTF-8; save the file as UTF-8 [openapi/syntax]\n    1 | a: \\xe4\n      |    ^^^^\n1 problem; nothing was written\n"},
		{"a.json", `{"openapi": "3.0.3",, }`, "a.json:1:21: not valid JSON: invalid character ',' looking for beginning of object key string [openapi/syntax]\n    1 | {\"openapi\": \"3.0.3\",, }\n      |                     ^\n1 problem; nothing was written\n"},
		{"a.json", `{"openapi": "3.0.3", "paths": {}, "paths": {}}`, "a.json:1:35: \"paths\" is a duplicate key; it is already on line 1 [openapi/duplicate-key]\n    1 | {\"openapi\": \"3.0.3\", \"paths\": {}, \"paths\": {}}\n      |                                   ^^^^^^^\n1 problem; nothing was written\n"},
		{"a.yaml", "openapi: 3.0.3\n200: a\n\"200\": b\n", "a.yaml:3:1: \"200\" is a duplicate key; it is already on line 2 [openapi/duplicate-key]\n    3 | \"200\": b\n      | ^^^^^\n1 problem; nothing was written\n"},
		{"a.yaml", head + "paths: {}\n---\nb: c\n", "a.yaml:5:1: a second YAML document starts here; only one per file is read [openapi/syntax]\n    5 | b: c\n      | ^\n1 problem; nothing was written\n"},
		{"a.yaml", laughs, "a.yaml:9:11: YAML aliases expand to more than 1000000 nodes [openapi/limit]\n    9 | x-f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n      |            ^\n1 problem; nothing was written\n"},
		{"a.yaml", "\xef\xbb\xbf" + strings.ReplaceAll(head, "\n", "\r\n") + "paths:\r\n  /ä: {post: {operationId: \"日本\", x-idempotent: 5, responses: {200: {}}}}\r\n", "a.yaml:4:48: x-idempotent: 5 is a number; write {} or true, or a mapping [extension/type]\n    4 |   /ä: {post: {operationId: \"日本\", x-idempotent: 5, responses: {200: {}}}}\n      |                                                  ^\n1 problem; nothing was written\n"},
	} {
		_, out := load(t, c.name, c.text)
		if c.text == laughs { // the very alias depends on the bound
			out = out[strings.Index(out, "YAML"):strings.Index(out, "\n")]
			c.want = "YAML aliases expand to more than 1000000 nodes [openapi/limit]"
		}
		expect(t, out, c.want)
	}
	_, diags := Load("no/such/file.yaml", "file.yaml")
	if all := diags.All(); len(all) != 1 || all[0].Message != "the file does not exist" || all[0].Rule != RuleFile {
		t.Errorf("missing file: %v", all)
	}
}

// column is the column of the first s on the second line of an ASCII text.
func column(text, s string) int {
	_, line, _ := strings.Cut(text, "\n")
	return strings.Index(line, s) + 1
}

func TestJSONAndYAMLAgree(t *testing.T) {
	const text = "{\"openapi\":\"3.1.0\",\n\t\"info\":{\"title\":\"\\ud83d\\ude00 a\\/b\",\"version\":\"1\"},\"paths\":{\"/a\":{\"post\":{\"operationId\":\"a\",\"x-idempotent\":{\"ttl\":\"so\\tn\"},\"responses\":{\"200\":{\"description\":\"ok\"}}}}}}"
	d, out := load(t, "a.json", text)
	expect(t, out, `
a.json:2:116: ttl: "so\tn" is not a duration; write 24h or PT24H [extension/ttl]
    2 | ..."operationId":"a","x-idempotent":{"ttl":"so\tn"},"responses":{"200":{"description":"ok"}}}}}}
      |                                            ^^^^^^^
1 problem; nothing was written
`)
	doc, err := d.OpenAPI()
	if err != nil || doc.Info.Title != "😀 a/b" {
		t.Fatal(err, doc)
	}
	if o := doc.Paths.Value("/a").Post.Origin; o == nil {
		t.Error("no origin")
	} else if pos, _, ok := d.At(*o.Key); !ok || pos.Line != 2 || pos.Col != column(text, `"post"`) {
		t.Error(pos, ok, o.Key)
	}
	pos, n, ok := d.Find("paths", "/a", "post", "operationId")
	if !ok || pos.Line != 2 || pos.Col != column(text, `"a",`) || n != 3 {
		t.Error(pos, n, ok)
	}
	if _, _, ok := d.Find("paths", "/b"); ok {
		t.Error("found what isn't there")
	}
}

func TestInvalid(t *testing.T) {
	_, out := load(t, "a.yaml", head+`paths:
  /pets/{id}:
    get:
      parameters: [{name: q, in: body, schema: {type: string}}]
      responses: {200: {description: ok}}
    put:
      parameters: [{name: id, in: path, required: true, schema: {type: bool}}]
components:
  schemas: {A: {type: array}, B: {typo: 1, properties: {c: {type: strin}}}}
`)
	expect(t, out, `
a.yaml:4:3: operation GET /pets/{id} must define exactly all path parameters (missing: [id]) [openapi/invalid]
    4 |   /pets/{id}:
      |   ^^^^^^^^^^
a.yaml:6:34: parameter can't have 'in' value "body" [openapi/invalid]
    6 |       parameters: [{name: q, in: body, schema: {type: string}}]
      |                                  ^^^^
a.yaml:8:5: value of responses must be an object [openapi/invalid]
    8 |     put:
      |     ^^^
a.yaml:9:72: unsupported 'type' value "bool" [openapi/invalid]
    9 |       parameters: [{name: id, in: path, required: true, schema: {type: bool}}]
      |                                                                        ^^^^
a.yaml:11:13: when schema type is 'array', schema 'items' must be non-null [openapi/invalid]
   11 |   schemas: {A: {type: array}, B: {typo: 1, properties: {c: {type: strin}}}}
      |             ^
a.yaml:11:67: unsupported 'type' value "strin" [openapi/invalid]
   11 |   schemas: {A: {type: array}, B: {typo: 1, properties: {c: {type: strin}}}}
      |                                                                   ^^^^^
6 problems; nothing was written
`)
	_, out = load(t, "a.yaml", "openapi: 3.0.3\ninfo: {title: t, version: 1}\npaths: {}\n")
	expect(t, out, `
a.yaml:2:27: version: a number where OpenAPI has text; quote it [openapi/invalid]
    2 | info: {title: t, version: 1}
      |                           ^
1 problem; nothing was written
`)
	_, out = load(t, "a.yaml", head+"paths: {/a: {post: {requestBody: {$ref: '#/components/schemas/A'}, responses: {200: {description: d}}}}}\ncomponents: {schemas: {A: {}}}\n")
	expect(t, out, `
a.yaml:3:41: bad data in "#/components/schemas/A" (expecting ref to requestBody object) [openapi/invalid]
    3 | paths: {/a: {post: {requestBody: {$ref: '#/components/schemas/A'}, responses: {200: {description: d}}}}}
      |                                         ^^^^^^^^^^^^^^^^^^^^^^^^
1 problem; nothing was written
`)
}

// What oapi-codegen takes must not be refused for style.
func TestLenient(t *testing.T) {
	_, out := load(t, "a.yaml", head+`paths:
  /a:
    post:
      operationId: a
      unknown: 1
      requestBody: {content: {a/b: {schema: {$ref: '#/components/schemas/S', description: sibling}, example: 5}}}
      responses: {200: {}}
components:
  schemas:
    S: {type: string, pattern: '(?!x)', default: 5, example: 5, format: own, const: a, examples: [1]}
  securitySchemes: {k: {type: http, scheme: hoba}}
x-defaults: &d {type: object}
`)
	expect(t, out, "")
	_, out = load(t, "a.yaml", `openapi: 3.0.3
info: {title: t, version: "1"}
x-base: &base {type: object, properties: {a: {type: string}}}
paths: {}
components:
  schemas:
    A: {<<: *base, description: merged}
    B: *base
    C: {type: integer, minimum: 0x10, enum: [1_000, 010]}
`)
	expect(t, out, "")
}

func TestOpenAPIIsFreshAndConcurrent(t *testing.T) {
	d, out := load(t, "a.yaml", post("{}"))
	expect(t, out, "")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			doc, err := d.OpenAPI()
			if err != nil {
				t.Error(err)
				return
			}
			doc.Paths.Value("/pets").Post.OperationID = "changed"
		})
	}
	wg.Wait()
	doc, err := d.OpenAPI()
	if err != nil || doc.Paths.Value("/pets").Post.OperationID != "createPet" {
		t.Error(err, "a change reached the next document")
	}
}
