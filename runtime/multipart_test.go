package runtime

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
)

// multipartBody is of parts that are each headers, an empty line and content.
func multipartBody(boundary string, parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString("--" + boundary + "\r\n" + part + "\r\n")
	}
	b.WriteString("--" + boundary + "--\r\n")
	return b.String()
}

func field(name, value string) string {
	return "Content-Disposition: form-data; name=" + strconv.Quote(name) + "\r\n\r\n" + value
}

func file(header, content string) string {
	return "Content-Disposition: form-data; " + header + "\r\nContent-Type: image/png\r\n\r\n" + content
}

func TestFingerprintMultipart(t *testing.T) {
	two := []string{field("a", "1"), file(`name="f"; filename="x.png"`, "\x00\r\n\xff--other")}
	for name, tt := range map[string]struct {
		media string
		a, b  []string
		same  bool
	}{
		"boundary":                    {formData, two, two, true},
		"order of parts":              {formData, two, []string{two[1], two[0]}, false},
		"a part less":                 {formData, two, two[:1], false},
		"no parts":                    {formData, two, nil, false},
		"content":                     {formData, []string{field("a", "1")}, []string{field("a", "2")}, false},
		"name":                        {formData, []string{field("a", "1")}, []string{field("b", "1")}, false},
		"between the parts":           {formData, []string{field("a", "1"), field("a", "2")}, []string{field("a", "12"), field("a", "")}, false},
		"file name":                   {formData, two, []string{two[0], file(`name="f"; filename="y.png"`, "\x00\r\n\xff--other")}, false},
		"spelling of the disposition": {formData, two, []string{two[0], file(`filename=x.png;  NAME=f`, "\x00\r\n\xff--other")}, true},
		"encoded file name":           {formData, []string{file(`name=f; filename="é.png"`, "")}, []string{file(`name=f; filename*=UTF-8''%C3%A9.png`, "")}, true},
		"spelling of headers":         {formData, []string{"content-disposition: form-data; name=a\r\ncontent-TYPE: Text/Plain;charset=utf-8\r\n\r\n1"}, []string{"Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1"}, true},
		"type of a part":              {formData, []string{"Content-Disposition: form-data; name=a\r\nContent-Type: text/plain\r\n\r\n1"}, []string{field("a", "1")}, false},
		"malformed disposition":       {formData, []string{"Content-Disposition: form-data; name=\"a\r\n\r\n1"}, []string{"Content-Disposition: form-data; name=\"b\r\n\r\n1"}, false},
		"encoding of a part":          {formData, []string{"Content-Transfer-Encoding: quoted-printable\r\n\r\n=31"}, []string{"\r\n=31"}, false},
		"headers that are ignored":    {formData, []string{"X-Trace: 1\r\nContent-Disposition: form-data; name=a\r\n\r\n1"}, []string{field("a", "1")}, true},
		"headers of other multiparts": {"multipart/related", []string{"Content-ID: <1>\r\n\r\n1"}, []string{"Content-ID: <2>\r\n\r\n1"}, false},
		"boundary of others":          {"multipart/mixed", []string{"Content-ID: <1>\r\n\r\n1"}, []string{"content-id: <1>\r\n\r\n1"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			ra, a := request("/", multipartBody("xyz", tt.a...), "Content-Type", tt.media+"; boundary=xyz")
			rb, b := request("/", multipartBody("=_1 2", tt.b...), "Content-Type", strings.ToUpper(tt.media)+`; Boundary="=_1 2"`)
			if same := sumOf(t, Fingerprint{}, ra, a) == sumOf(t, Fingerprint{}, rb, b); same != tt.same {
				t.Errorf("%q and %q: the same is %v, want %v", a, b, same, tt.same)
			}
		})
	}
}

func TestFingerprintMultipartParameters(t *testing.T) {
	body := multipartBody("xyz", "Content-ID: <1>\r\n\r\n1")
	seen := map[string]string{}
	for _, contentType := range []string{
		"multipart/related; boundary=xyz", "multipart/related; boundary=xyz; start=\"<1>\"", "multipart/related; boundary=xyz; start=\"<2>\"", "multipart/mixed; boundary=xyz",
	} {
		r, b := request("/?undeclared=1", body, "Content-Type", contentType)
		sum := sumOf(t, Fingerprint{}, r, b)
		if other, ok := seen[sum]; ok {
			t.Errorf("%s and %s differ", contentType, other)
		}
		seen[sum] = contentType
	}
}

// http.Request.ParseMultipartForm merges the query into the form.
func TestFingerprintMultipartQuery(t *testing.T) {
	sums := map[string]bool{}
	for _, target := range []string{"/", "/?a=1", "/?a=2"} {
		r, body := request(target, multipartBody("xyz", field("b", "1")), "Content-Type", formData+"; boundary=xyz")
		sums[sumOf(t, Fingerprint{}, r, body)] = true
	}
	if len(sums) != 3 {
		t.Error("the query doesn't count")
	}
}

func TestFingerprintMultipartAsBytes(t *testing.T) {
	whole := multipartBody("xyz", field("a", "1"))
	many := make([]string, maxParts+1)
	for i := range many {
		many[i] = field("a", "")
	}
	for name, tt := range map[string][2]string{ // Content-Type and body
		"cut":            {formData + "; boundary=xyz", whole[:len(whole)-6]},
		"empty":          {formData + "; boundary=xyz", ""},
		"no boundary":    {formData, whole},
		"other boundary": {formData + "; boundary=abc", whole},
		"broken header":  {formData + "; boundary=xyz", multipartBody("xyz", "no colon\r\n\r\n1")},
		"too many parts": {formData + "; boundary=xyz", multipartBody("xyz", many...)},
	} {
		r, body := request("/", tt[1], "Content-Type", tt[0])
		plain, _ := request("/", "")
		if sumOf(t, Fingerprint{}, r, body) != sumOf(t, Fingerprint{}, plain, body) {
			t.Errorf("%s: it must count as bytes", name)
		}
	}
	r, body := request("/", multipartBody("xyz", many[1:]...), "Content-Type", formData+"; boundary=xyz")
	plain, _ := request("/", "")
	if sumOf(t, Fingerprint{}, r, body) == sumOf(t, Fingerprint{}, plain, body) {
		t.Error("as many parts as are allowed count as bytes")
	}
}

func BenchmarkMultipart(b *testing.B) {
	many := make([]string, maxParts)
	for i := range many {
		many[i] = file(`name="f"; filename="x.png"`, strings.Repeat("x", 900))
	}
	for name, parts := range map[string][]string{"2 parts": {field("a", "1"), file("name=f; filename=x", "x")}, "1000 parts": many} {
		b.Run(name, func(b *testing.B) {
			r, body := request("/", multipartBody("xyz", parts...), "Content-Type", formData+"; boundary=xyz")
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := fingerprint(&Operation{}, r, body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzMultipart: the parts that a body is read as, written with another
// boundary, are the same; with another content or one more part they aren't.
func FuzzMultipart(f *testing.F) {
	f.Add("xyz", []byte(multipartBody("xyz", field("a", "1"), file("name=f; filename=x", "\x00"))))
	f.Add("xyz", []byte(multipartBody("xyz", "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=3D")))
	f.Add("b", []byte("preamble\n--b\nX: y\n\n1\n--b--epilogue"))
	f.Add("", []byte("--"))
	f.Fuzz(func(t *testing.T, boundary string, body []byte) {
		params := func() map[string]string { return map[string]string{"boundary": boundary} }
		form, ok := appendMultipart(nil, formData, params(), body)
		again, okAgain := appendMultipart([]byte("x"), formData, params(), body)
		if ok != okAgain || ok && string(again) != "x"+string(form) {
			t.Fatalf("%q: two forms of one body", body)
		}
		if !ok || bytes.Contains(body, []byte(rewriteBoundary)) {
			return
		}
		rewritten, other := rewrite(t, boundary, body, nil), rewrite(t, boundary, body, []byte("more"))
		params2 := map[string]string{"boundary": rewriteBoundary}
		if got, ok := appendMultipart(nil, formData, params2, rewritten); !ok || !bytes.Equal(got, form) {
			t.Fatalf("%q and %q: two forms", body, rewritten)
		}
		params2 = map[string]string{"boundary": rewriteBoundary}
		if got, ok := appendMultipart(nil, formData, params2, other); ok && bytes.Equal(got, form) {
			t.Fatalf("%q and %q: one form", body, other)
		}
	})
}

const rewriteBoundary = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"

// rewrite sends the same parts again, and one more if its content isn't nil.
func rewrite(t *testing.T, boundary string, body, more []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary(rewriteBoundary); err != nil {
		t.Fatal(err)
	}
	add := func(h textproto.MIMEHeader, content []byte) {
		pw, err := w.CreatePart(h)
		if err == nil {
			_, err = pw.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for reader := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := reader.NextRawPart()
		if err == io.EOF { //nolint:errorlint // as in appendMultipart
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		add(part.Header, content)
	}
	if more != nil {
		add(nil, more)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
