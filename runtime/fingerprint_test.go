package runtime

import (
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// request is a POST with these headers, given as name and value in turns.
func request(target, body string, headers ...string) (*http.Request, []byte) {
	r := httptest.NewRequest(http.MethodPost, target, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r, []byte(body)
}

func sumOf(t *testing.T, f Fingerprint, r *http.Request, body []byte) string {
	t.Helper()
	sum, err := fingerprint(&Operation{Name: "createPet", Fingerprint: f}, r, body)
	if err != nil {
		t.Fatal(err)
	}
	return string(sum)
}

func TestFingerprintBodies(t *testing.T) {
	const (
		plainJSON = "application/json"
		form      = formEncoded
	)
	type sent struct{ target, contentType, body string }
	for name, tt := range map[string]struct {
		a, b sent
		same bool
	}{
		"members":            {sent{"/", plainJSON, `{"a":1,"b":2}`}, sent{"/", plainJSON, `{ "b":2, "a":1 }`}, true},
		"charset":            {sent{"/", plainJSON, `{"a":1}`}, sent{"/", "Application/JSON; charset=utf-8", ` {"a":1}`}, true},
		"+json":              {sent{"/", "application/vnd.pet+json", `{"a":1,"b":2}`}, sent{"/", "application/vnd.pet+json", `{"b":2,"a":1}`}, true},
		"merge patch":        {sent{"/", "application/merge-patch+json", `{"a":null}`}, sent{"/", "application/merge-patch+json", `{}`}, false},
		"large numbers":      {sent{"/", plainJSON, `{"id":9007199254740993}`}, sent{"/", plainJSON, `{"id":9007199254740992}`}, false},
		"unknown fields":     {sent{"/", plainJSON, `{"a":1}`}, sent{"/", plainJSON, `{"a":1,"unknown":2}`}, false},
		"elements":           {sent{"/", plainJSON, `[1,2]`}, sent{"/", plainJSON, `[2,1]`}, false},
		"no body":            {sent{"/", plainJSON, ``}, sent{"/", plainJSON, `null`}, false},
		"form order":         {sent{"/", form, `a=1&b=2&a=3`}, sent{"/", form, `b=%32&a=1&a=3`}, true},
		"form values' order": {sent{"/", form, `a=1&a=3`}, sent{"/", form, `a=3&a=1`}, false},
		"form and query":     {sent{"/?x=1", form, `a=1`}, sent{"/?x=2", form, `a=1`}, false},
		"malformed form":     {sent{"/", form, `a=%zz`}, sent{"/", form, `a=%zy`}, false},
		"JSON as a form":     {sent{"/", form, `{"a":"+1","b":2}`}, sent{"/", form, ` {"b":2,"a":"+1"}`}, true},
		"plus in JSON":       {sent{"/", form, `{"a":"+1"}`}, sent{"/", form, `{"a":" 1"}`}, false},
		"plus in bytes":      {sent{"/", form, `{"a":"+1"} x`}, sent{"/", form, `{"a":" 1"} x`}, false},
		"plus in a form":     {sent{"/", form, `a=+1`}, sent{"/", form, `a=%201`}, true},
		"text":               {sent{"/", "text/plain", `{"a":1}`}, sent{"/", "text/plain", `{ "a":1}`}, false},
		"no type":            {sent{"/", "", `{"a":1}`}, sent{"/", "", `{"a":1 }`}, false},
		"bytes":              {sent{"/", "application/octet-stream", "\x00\xff"}, sent{"/", "image/png", "\x00\xff"}, true},
		"undeclared query":   {sent{"/?x=1", plainJSON, `{}`}, sent{"/?x=2", plainJSON, `{}`}, true},
	} {
		t.Run(name, func(t *testing.T) {
			ra, a := request(tt.a.target, tt.a.body, "Content-Type", tt.a.contentType)
			rb, b := request(tt.b.target, tt.b.body, "Content-Type", tt.b.contentType)
			if same := sumOf(t, Fingerprint{}, ra, a) == sumOf(t, Fingerprint{}, rb, b); same != tt.same {
				t.Errorf("%q and %q: the same is %v, want %v", a, b, same, tt.same)
			}
		})
	}
}

func TestFingerprintEncodedBodyIsBytes(t *testing.T) {
	r, body := request("/", "\x1f\x8b{", "Content-Type", "application/json", "Content-Encoding", "gzip")
	zipped := sumOf(t, Fingerprint{}, r, body)
	plain, body := request("/", "\x1f\x8b{")
	if zipped != sumOf(t, Fingerprint{}, plain, body) {
		t.Error("a compressed body must count as bytes")
	}
	r, body = request("/", `{ }`, "Content-Type", "application/json", "Content-Encoding", "Identity")
	plain, empty := request("/", `{}`, "Content-Type", "application/json")
	if sumOf(t, Fingerprint{}, r, body) != sumOf(t, Fingerprint{}, plain, empty) {
		t.Error("identity isn't a coding")
	}
}

func TestFingerprintParsedForm(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("b=2&a=1"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	want := sumOf(t, Fingerprint{}, r, []byte("b=2&a=1"))
	if err := r.ParseForm(); err != nil { // as a middleware may
		t.Fatal(err)
	}
	if sumOf(t, Fingerprint{}, r, nil) != want {
		t.Error("a form that was parsed before has another fingerprint")
	}
}

func TestFingerprintParameters(t *testing.T) {
	f := Fingerprint{PathParams: []string{"id", "part"}, QueryParams: []string{"dry", "x"}}
	sums := map[string]string{}
	for _, tt := range [][3]string{ // the path's values and the query
		{"1", "2", ""}, {"12", "", ""}, {"", "12", ""}, {"2", "1", ""}, {"1", "2", "dry=1"}, {"1", "2", "x=1"}, {"1", "2", "dry="},
		{"1", "2", "dry=1&dry=2"}, {"1", "2", "dry=2&dry=1"}, {"1", "2", "dry=1&x=2"},
	} {
		r, body := request("/?"+tt[2], `{}`)
		r.SetPathValue("id", tt[0])
		r.SetPathValue("part", tt[1])
		sum := sumOf(t, f, r, body)
		what := strings.Join(tt[:], " ")
		if other, ok := sums[sum]; ok {
			t.Errorf("%q and %q differ", what, other)
		}
		sums[sum] = what
		r.URL.RawQuery += "&undeclared=1"
		if sumOf(t, f, r, body) != sum {
			t.Errorf("%q: an undeclared parameter counts", what)
		}
	}
	r, body := request("/", `{}`)
	other, err := fingerprint(&Operation{Name: "other", Fingerprint: f}, r, body)
	if err != nil || sums[string(other)] != "" || string(other) == sumOf(t, f, r, body) {
		t.Error("the operation doesn't count")
	}
}

func TestFingerprintHeaders(t *testing.T) {
	f := Fingerprint{Headers: []string{"x-tenant", "Accept", "host"}}
	r, body := request("/", `{}`, "X-Tenant", "a", "Accept", "b", "Accept", "c", "User-Agent", "d")
	want := sumOf(t, f, r, body)
	for name, tt := range map[string]struct {
		headers []string
		same    bool
	}{
		"another spelling": {[]string{"x-tenant", "a", "accept", "b", "accept", "c"}, true},
		"an unlisted one":  {[]string{"X-Tenant", "a", "Accept", "b", "Accept", "c", "User-Agent", "e"}, true},
		"order":            {[]string{"X-Tenant", "a", "Accept", "c", "Accept", "b"}, false},
		"joined":           {[]string{"X-Tenant", "a", "Accept", "b, c"}, false},
		"missing":          {[]string{"Accept", "b", "Accept", "c"}, false},
		"empty":            {[]string{"X-Tenant", "", "Accept", "b", "Accept", "c"}, false},
	} {
		r, body := request("/", `{}`, tt.headers...)
		if same := sumOf(t, f, r, body) == want; same != tt.same {
			t.Errorf("%s: the same is %v, want %v", name, same, tt.same)
		}
	}
	r.Host = "other.example"
	if sumOf(t, f, r, body) == want {
		t.Error("Host, which net/http keeps apart, doesn't count")
	}
}

func TestFingerprintIncludeExclude(t *testing.T) {
	for name, tt := range map[string]struct {
		f    Fingerprint
		a, b string
		same bool
	}{
		"excluded":                   {Fingerprint{Exclude: []string{"/at"}}, `{"a":1,"at":1}`, `{"at":2,"a":1}`, true},
		"excluded is absent":         {Fingerprint{Exclude: []string{"/at"}}, `{"a":1,"at":{}}`, `{"a":1}`, true},
		"beside the excluded":        {Fingerprint{Exclude: []string{"/at"}}, `{"a":1,"at":1}`, `{"a":2,"at":1}`, false},
		"deep":                       {Fingerprint{Exclude: []string{"/o/p/at"}}, `{"o":{"p":{"at":1,"b":2}}}`, `{"o":{"p":{"b":2}}}`, true},
		"the parent stays":           {Fingerprint{Exclude: []string{"/o/at"}}, `{"o":{"at":1}}`, `{}`, false},
		"another level":              {Fingerprint{Exclude: []string{"/at"}}, `{"o":{"at":1}}`, `{"o":{"at":2}}`, false},
		"no way through arrays":      {Fingerprint{Exclude: []string{"/a/0"}}, `{"a":[1]}`, `{"a":[2]}`, false},
		"nor into their elements":    {Fingerprint{Exclude: []string{"/a/at"}}, `{"a":[{"at":1}]}`, `{"a":[{"at":2}]}`, false},
		"members may be digits":      {Fingerprint{Exclude: []string{"/a/0"}}, `{"a":{"0":1}}`, `{"a":{}}`, true},
		"escaped names":              {Fingerprint{Exclude: []string{"/a~1b", "/c~0d"}}, `{"a/b":1,"c~d":1}`, `{"a\/b":2}`, true},
		"escaped in the body":        {Fingerprint{Exclude: []string{"/at"}}, `{"\u0061t":1}`, `{}`, true},
		"by the whole name":          {Fingerprint{Exclude: []string{"/at"}}, `{"att":1}`, `{}`, false},
		"case counts":                {Fingerprint{Exclude: []string{"/at"}}, `{"At":1}`, `{}`, false},
		"the empty name":             {Fingerprint{Exclude: []string{"/"}}, `{"":1}`, `{}`, true},
		"the whole":                  {Fingerprint{Exclude: []string{""}}, `{"a":1}`, `[]`, true},
		"included":                   {Fingerprint{Include: []string{"/a", "/b"}}, `{"a":1,"b":2,"c":3}`, `{"d":4,"b":2,"a":1}`, true},
		"an included value":          {Fingerprint{Include: []string{"/a", "/b"}}, `{"a":1,"b":2}`, `{"a":1,"b":3}`, false},
		"absent is not null":         {Fingerprint{Include: []string{"/a"}}, `{"a":null}`, `{}`, false},
		"absent is not empty":        {Fingerprint{Include: []string{"/a"}}, `{"a":{}}`, `{}`, false},
		"absent":                     {Fingerprint{Include: []string{"/a"}}, `{"b":1}`, `{}`, true},
		"an object on the way":       {Fingerprint{Include: []string{"/a/b"}}, `{"a":{"c":1}}`, `{}`, true},
		"a scalar on the way":        {Fingerprint{Include: []string{"/a/b"}}, `{"a":"b"}`, `{}`, true},
		"an array on the way":        {Fingerprint{Include: []string{"/a/b"}}, `{"a":[{"b":1}]}`, `{"a":[]}`, true},
		"the way counts":             {Fingerprint{Include: []string{"/a/x", "/b/x"}}, `{"a":{"x":1}}`, `{"b":{"x":1}}`, false},
		"all of the included":        {Fingerprint{Include: []string{"/a"}}, `{"a":[{"x":1}]}`, `{"a":[{"x":2}]}`, false},
		"included within included":   {Fingerprint{Include: []string{"/a", "/a/b"}}, `{"a":{"b":1,"c":1}}`, `{"a":{"b":1,"c":2}}`, false},
		"excluded within included":   {Fingerprint{Include: []string{"/a"}, Exclude: []string{"/a/at"}}, `{"a":{"x":1,"at":1},"b":1}`, `{"a":{"x":1}}`, true},
		"included within excluded":   {Fingerprint{Include: []string{"/a/b"}, Exclude: []string{"/a"}}, `{"a":{"b":1}}`, `{}`, true},
		"a scalar with include":      {Fingerprint{Include: []string{"/a"}}, `1`, `[2]`, true},
		"a scalar with include \"\"": {Fingerprint{Include: []string{""}}, `1`, `2`, false},
	} {
		t.Run(name, func(t *testing.T) {
			ra, a := request("/", tt.a, "Content-Type", "application/json")
			rb, b := request("/", tt.b, "Content-Type", "application/json")
			if same := sumOf(t, tt.f, ra, a) == sumOf(t, tt.f, rb, b); same != tt.same {
				t.Errorf("%s and %s: the same is %v, want %v", a, b, same, tt.same)
			}
		})
	}
	f := Fingerprint{Exclude: []string{"/at"}}
	r, body := request("/", `{"a":1,"at":{"x":1,"x":1}}`, "Content-Type", "application/json")
	if _, err := fingerprint(&Operation{Fingerprint: f}, r, body); err == nil {
		t.Error("a member that is there twice is an error also in what is excluded")
	}
	ra, a := request("/", `{"at":1}`, "Content-Type", "text/plain")
	rb, b := request("/", `{"at":2}`, "Content-Type", "text/plain")
	if sumOf(t, f, ra, a) == sumOf(t, f, rb, b) {
		t.Error("pointers apply to JSON bodies only")
	}
}

// Records outlive deployments: what an operation that chooses nothing has
// stored under version 1 must be found again. A change here needs a new version.
func TestFingerprintVersion1(t *testing.T) {
	f := Fingerprint{PathParams: []string{"id"}, QueryParams: []string{"dry", "x"}}
	for name, tt := range map[string]struct {
		contentType, body, want string
	}{
		"json": {"application/json", `{"b":[1,{"x":null}],"a":"\u00e9"}`, "01c8eebe21305e75ae2e5ab9ede11793ae"},
		"form": {"application/x-www-form-urlencoded", `b=2&a=1`, "012d80df67fdb1025560c66fdaad03bb0d"},
		"text": {"text/plain", `hello`, "014c8bcd614e9445ee85007d524edb481b"},
		"none": {"", ``, "01396bef1d3f564a8f9474c7a357e6b75a"},
	} {
		r, body := request("/?dry=1", tt.body, "Content-Type", tt.contentType)
		r.SetPathValue("id", "7")
		if got := hex.EncodeToString([]byte(sumOf(t, f, r, body))); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// What a new version of the spec may do while requests are in flight: declare
// one more query parameter, which they don't have, and rename one in the path.
func TestFingerprintSurvivesANewSpec(t *testing.T) {
	r, body := request("/?dry=1", `{}`, "Content-Type", "application/json")
	r.SetPathValue("id", "7")
	r.SetPathValue("petId", "7")
	before := sumOf(t, Fingerprint{PathParams: []string{"id"}, QueryParams: []string{"dry"}}, r, body)
	after := sumOf(t, Fingerprint{PathParams: []string{"petId"}, QueryParams: []string{"force", "dry"}}, r, body)
	if before != after {
		t.Error("the same request has another fingerprint")
	}
}

func TestSameRequest(t *testing.T) {
	r, body := request("/", `{"a":1,"at":1}`, "Content-Type", "application/json")
	_, other := request("/", `{"a":2,"at":1}`)
	plain := Fingerprint{}
	excludes := Fingerprint{Exclude: []string{"/at"}}
	excludesMore := Fingerprint{Exclude: []string{"/at", "/by"}}
	sum := func(f Fingerprint, body []byte) []byte { return []byte(sumOf(t, f, r, body)) }
	for name, tt := range map[string]struct {
		stored, got []byte
		same        bool
	}{
		"same":                    {sum(plain, body), sum(plain, body), true},
		"other":                   {sum(plain, body), sum(plain, other), false},
		"same, chosen":            {sum(excludes, body), sum(excludes, body), true},
		"other, chosen":           {sum(excludes, body), sum(excludes, other), false},
		"a choice was added":      {sum(plain, body), sum(excludes, other), true},
		"a choice was taken away": {sum(excludes, body), sum(plain, other), true},
		"another choice":          {sum(excludes, body), sum(excludesMore, other), true},
		"another version":         {[]byte("\x09abc"), sum(plain, body), true},
		"nothing":                 {nil, sum(excludes, body), true},
		"a message's":             {[]byte{fingerprintVersion}, []byte{fingerprintVersion}, true},
	} {
		if same := sameRequest(tt.stored, tt.got); same != tt.same {
			t.Errorf("%s: %v, want %v", name, same, tt.same)
		}
	}
}

func TestFingerprintSize(t *testing.T) {
	r, body := request("/", `{}`)
	for _, tt := range []struct {
		f       Fingerprint
		version byte
		size    int
	}{
		{Fingerprint{PathParams: []string{"id"}, Include: []string{}, Exclude: []string{}}, fingerprintVersion, 17},
		{Fingerprint{Include: []string{"/a"}}, fingerprintChosen, 21},
		{Fingerprint{Exclude: []string{"/a"}}, fingerprintChosen, 21},
		{Fingerprint{Headers: []string{"Accept"}}, fingerprintChosen, 21},
	} {
		if sum := sumOf(t, tt.f, r, body); sum[0] != tt.version || len(sum) != tt.size {
			t.Errorf("%+v: % x, want version %d and %d bytes", tt.f, sum, tt.version, tt.size)
		}
	}
}

// orderBody is what most requests are like: 200 bytes of JSON.
const orderBody = `{"customer_id":"cus_8f14e45fceea167a","amount":12999,"currency":"EUR","items":[{"sku":"A-100","qty":2},` +
	`{"sku":"B-7","qty":1}],"shipping":{"street":"1 Main St","zip":"10115","city":"Berlin"},"gift":false}`

func BenchmarkFingerprint(b *testing.B) {
	r, body := request("/orders/1", orderBody, "Content-Type", "application/json")
	r.SetPathValue("id", "1")
	for name, f := range map[string]Fingerprint{
		"plain":   {PathParams: []string{"id"}, QueryParams: []string{"dry"}},
		"exclude": {PathParams: []string{"id"}, QueryParams: []string{"dry"}, Exclude: []string{"/gift", "/shipping/zip"}},
	} {
		b.Run(name, func(b *testing.B) {
			op := &Operation{Name: "createOrder", Fingerprint: f}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := fingerprint(op, r, body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
