package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/diag"
)

// write puts files, given as name and text in turn, into a new folder.
func write(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t testing.TB, name, text string, more ...string) (*Document, string) {
	t.Helper()
	dir := write(t, append([]string{name, text}, more...)...)
	d, diags := Load(filepath.Join(dir, name), name)
	var b strings.Builder
	if err := diag.PrintText(&b, diags, d.Source); err != nil {
		t.Fatal(err)
	}
	return d, b.String()
}

func expect(t *testing.T, got, want string) {
	t.Helper()
	want = strings.TrimPrefix(want, "\n")
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

const head = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\n"

// post is a document with one operation that has this x-idempotent, on line 8.
func post(ext string) string {
	return head + `paths:
  /pets:
    post:
      operationId: createPet
      responses: {200: {description: ok}}
      x-idempotent: ` + ext + "\n"
}

func TestLoadOperations(t *testing.T) {
	d, out := load(t, "openapi.yaml", head+`paths:
  /z/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    patch:
      operationId: patchZ
      x-idempotent: {name: z.patch, ttl: P1DT12H, key: {header: X-Request-Key, required: false, format: uuid}}
      responses: {200: {description: ok}}
    get: {operationId: getZ, x-idempotent: false, responses: {200: {description: ok}}}
  /a:
    post: {operationId: a, x-idempotent: true, responses: {200: {description: ok}}}
    put: {responses: {200: {}}}
`)
	expect(t, out, "")
	var got []string
	for _, o := range d.Operations {
		got = append(got, o.Method+" "+o.Path+" "+o.Identity())
	}
	expect(t, strings.Join(got, "\n"), "PATCH /z/{id} z.patch\nGET /z/{id} getZ\nPOST /a a\nPUT /a ")
	e := d.Operations[0].Idempotent
	if e.TTL.String() != "36h0m0s" || e.Key.Header != "X-Request-Key" || e.Key.Required || e.Key.Format != "uuid" {
		t.Errorf("extension: %+v", e)
	}
	if e := d.Operations[2].Idempotent; e.TTL.String() != "24h0m0s" || e.Key.Header != "Idempotency-Key" || !e.Key.Required {
		t.Errorf("defaults: %+v", e)
	}
	if !d.Operations[1].Declined || d.Operations[1].Idempotent != nil || d.Operations[3].Declined {
		t.Error("declined")
	}
}

func TestExtensionFields(t *testing.T) {
	for _, c := range []struct{ ext, want string }{
		{"{ttl: soon}", `
openapi.yaml:8:27: ttl: "soon" is not a duration; write 24h or PT24H [extension/ttl]
    8 |       x-idempotent: {ttl: soon}
      |                           ^^^^
1 problem; nothing was written
`},
		{`{ttl: "1h", kye: {}, key: {header: 'Cookie', requird: yes}, effects: 2s}`, `
openapi.yaml:8:33: "kye" is not a field of x-idempotent; did you mean "key"? [extension/unknown-field]
    8 |       x-idempotent: {ttl: "1h", kye: {}, key: {header: 'Cookie', requird: yes}, effects: 2s}
      |                                 ^^^
openapi.yaml:8:56: key.header: "Cookie" means something else in HTTP; write one such as Idempotency-Key [extension/key-header]
    8 |       x-idempotent: {ttl: "1h", kye: {}, key: {header: 'Cookie', requird: yes}, effects: 2s}
      |                                                        ^^^^^^^^
openapi.yaml:8:66: "requird" is not a field of x-idempotent key; did you mean "required"? [extension/unknown-field]
    8 |       x-idempotent: {ttl: "1h", kye: {}, key: {header: 'Cookie', requird: yes}, effects: 2s}
      |                                                                  ^^^^^^^
openapi.yaml:8:81: effects is not supported yet [extension/unsupported]
    8 |       x-idempotent: {ttl: "1h", kye: {}, key: {header: 'Cookie', requird: yes}, effects: 2s}
      |                                                                                 ^^^^^^^
4 problems; nothing was written
`},
		{"", `
openapi.yaml:8:7: x-idempotent is null, which says nothing; write {} or true, or false to decline [extension/type]
    8 |       x-idempotent:
      |       ^^^^^^^^^^^^
1 problem; nothing was written
`},
		{`"\e[2J"`, `
openapi.yaml:8:21: x-idempotent: "\x1b[2J" is a string; write {} or true, or a mapping [extension/type]
    8 |       x-idempotent: "\e[2J"
      |                     ^^^^^^^
1 problem; nothing was written
`},
		{`{sensitive: [/a], key: null}`, `
openapi.yaml:8:22: sensitive is not supported yet [extension/unsupported]
    8 |       x-idempotent: {sensitive: [/a], key: null}
      |                      ^^^^^^^^^
openapi.yaml:8:44: key is null; write a mapping [extension/type]
    8 |       x-idempotent: {sensitive: [/a], key: null}
      |                                            ^^^^
2 problems; nothing was written
`},
	} {
		_, out := load(t, "openapi.yaml", post(c.ext))
		expect(t, out, c.want)
	}
}

func TestValues(t *testing.T) {
	// An empty rule means that the value is fine.
	for ext, rule := range map[string]string{
		"{ttl: 24h}": "", "{ttl: 1h30m}": "", "{ttl: PT24H}": "", "{ttl: P1D}": "", "{ttl: P1W}": "", "{ttl: P1DT12H}": "", "{ttl: PT1.5S}": "", "{ttl: P3650D}": "", "{ttl: 1s}": "",
		"{ttl: 24}": RuleTTL, "{ttl: 1.5}": RuleTTL, "{ttl: 1:30}": RuleTTL, "{ttl: 0s}": RuleTTL, "{ttl: -1h}": RuleTTL, "{ttl: 999ms}": RuleTTL, "{ttl: P3651D}": RuleTTL,
		"{ttl: P1M}": RuleTTL, "{ttl: P1Y}": RuleTTL, "{ttl: P}": RuleTTL, "{ttl: PT}": RuleTTL, "{ttl: P1DT}": RuleTTL, "{ttl: 30d}": RuleTTL, "{ttl: ''}": RuleTTL, "{ttl: P99999999999999999999D}": RuleTTL, "{ttl: 99999999999999h}": RuleTTL, "{ttl: ' 1h'}": RuleTTL,
		"{ttl: true}": RuleType, "{ttl: {}}": RuleType, "{ttl: }": RuleType,
		"{name: a.b_c~d-1}": "", "{name: ''}": RuleName, "{name: a b}": RuleName, "{name: 5}": RuleType, "{name: " + strings.Repeat("a", 129) + "}": RuleName,
		"{key: {header: X-Key}}": "", "{key: {header: ' X'}}": RuleKeyHeader, "{key: {header: AUTHORIZATION}}": RuleKeyHeader, "{key: {header: 'a:b'}}": RuleKeyHeader, "{key: {header: Sec-Fetch-Mode}}": RuleKeyHeader, "{key: {header: 5}}": RuleType,
		"{key: {format: ulid}}": "", "{key: {format: opaque}}": "", "{key: {format: UUID}}": RuleKeyFormat, "{key: {format: 1}}": RuleType,
		"{key: {required: false}}": "", "{key: {required: 'false'}}": RuleType,
		"{key: {pointer: /id}}": RuleKeySource, "{key: {natural: [/a]}}": RuleKeySource, "{key: {pointer: id}}": RulePointer, "{key: {pointer: ''}}": RulePointer, "{key: {pointer: /a~2}}": RulePointer,
		"{key: {pointer: /a~}}": RulePointer, "{key: {pointer: [/a]}}": RuleType, "{key: {natural: /a}}": RuleType, "{key: {natural: [1]}}": RuleType, "{key: {natural: []}}": RuleKeySource,
		"{key: {minLength: 8}}": "", "{key: {maxLength: 255, minLength: 255}}": "", "{key: {maxLength: 256}}": RuleKeyLength, "{key: {minLength: 0}}": RuleKeyLength, "{key: {minLength: -1}}": RuleKeyLength, "{key: {minLength: 8.0}}": RuleKeyLength,
		"{key: {maxLength: '8'}}": RuleType, "{key: {minLength: 0x10, maxLength: 16}}": "", "{key: {minLength: 9, maxLength: 8}}": RuleKeyLength, "{key: {minLength: 37, format: uuid}}": RuleKeyLength, "{key: {maxLength: 26, format: ulid}}": "", "{key: {minLength: 99999999999999999999}}": RuleKeyLength,
		"{key: {pattern: a}}": "", "{key: {pattern: '(?!a)'}}": RuleKeyPattern, "{key: {pattern: ''}}": RuleKeyPattern, "{key: {pattern: 5}}": RuleType,
		"{scope: public}": "", "{scope: principal}": "", "{scope: [public]}": "", "{scope: []}": RuleScope, "{scope: [public, principal]}": RuleScope, "{scope: [principal, principal]}": RuleScope, "{scope: 'path:id'}": RuleScope, "{scope: ['path:']}": RuleScope,
		"{scope: ['header:X-A', 'header:x-a']}": RuleScope, "{scope: 'header:X-A'}": "", "{scope: 'header: X'}": RuleScope, "{scope: tenant}": RuleScope, "{scope: [1]}": RuleType, "{scope: {}}": RuleType, "{scope: true}": RuleType,
		"{fingerprint: {include: []}}": RuleFingerprint, "{fingerprint: {include: [/a]}}": RuleFingerprint, "{fingerprint: {headers: []}}": RuleFingerprint, "{fingerprint: {headers: [X-A]}}": "", "{fingerprint: {headers: [a b]}}": RuleFingerprint,
		"{fingerprint: {headers: [idempotency-key]}}": RuleFingerprint, "{fingerprint: {headers: [X-A, x-a]}}": RuleFingerprint, "{fingerprint: {headers: X-A}}": RuleType, "{fingerprint: {exclude: [{}]}}": RuleType,
		"{wait: 2s}": "", "{wait: 0s}": "", "{wait: PT60S}": "", "{wait: 61s}": RuleWait, "{wait: -1s}": RuleWait, "{wait: 2}": RuleWait, "{wait: soon}": RuleWait, "{wait: true}": RuleType,
		"{store: [2XX]}": "", "{store: [200, '201', 4XX]}": "", "{store: [2XX, 500]}": RuleStore, "{store: [2XX, 5XX]}": RuleStore, "{store: [1XX, 2XX]}": RuleStore, "{store: [2XX, 199]}": RuleStore, "{store: [4XX]}": RuleStore, "{store: []}": RuleStore, "{store: [2XX, 6XX]}": RuleStore,
		"{store: [2XX, 20]}": RuleStore, "{store: [2XX, '+201']}": RuleStore, "{store: 2XX}": RuleType, "{store: [2XX, true]}": RuleType,
		"{keep-writes: true}": "", "{keep-writes: 'true'}": RuleType, "{isolation: serializable}": "", "{isolation: Serializable}": RuleIsolation, "{isolation: 1}": RuleType, "{effects: []}": RuleUnsupported, "{sensitive: []}": RuleUnsupported,
		"[]": RuleType, "5": RuleType, "yes": RuleType, "null": RuleType, "{x-note: a}": RuleUnknown, "{key.header: X-A}": RuleUnknown, "{key: {a.b: 1}}": RuleUnknown,
		"{ttl: 1h, ttl: 2h}": RuleDuplicate, "&a {ttl: *a}": RuleSyntax,
	} {
		_, out := load(t, "openapi.yaml", post(ext))
		if rule == "" && out != "" || rule != "" && (strings.Count(out, "[") == 0 || !strings.Contains(out, "["+rule+"]") || !strings.HasSuffix(out, "\n1 problem; nothing was written\n")) {
			t.Errorf("%s: want %q, got\n%s", ext, rule, out)
		}
	}
}
