package spec

import "testing"

func TestMarkedOperations(t *testing.T) {
	_, out := load(t, "openapi.yaml", head+`paths:
  /a:
    get: {operationId: getA, x-idempotent: {}, responses: {200: {description: ok}}}
    post: {x-idempotent: {}, responses: {200: {description: ok}}}
  /b:
    post: {operationId: b, x-idempotent: {name: same}, responses: {200: {description: ok}}}
    put: {operationId: c, x-idempotent: {name: same}, responses: {200: {description: ok}}}
    patch: {operationId: same, x_idempotent: {}, x-idempotent: {}, responses: {200: {description: ok}}}
  /c:
    post: {operationId: b, x-idempotent: {}, responses: {200: {description: ok}}}
    put: {operationId: getA, responses: {200: {description: ok}}}
`)
	expect(t, out, `
openapi.yaml:5:30: GET "/a" is safe already; remove x-idempotent [extension/method]
    5 |     get: {operationId: getA, x-idempotent: {}, responses: {200: {description: ok}}}
      |                              ^^^^^^^^^^^^
openapi.yaml:6:12: POST "/a" is marked x-idempotent but has no operationId; add one, it names the method to implement [extension/operation-id]
    6 |     post: {x-idempotent: {}, responses: {200: {description: ok}}}
      |            ^^^^^^^^^^^^
openapi.yaml:9:48: "same" is also the identity of POST "/b" at openapi.yaml:8:49; their records would mix, so give each its own name [extension/name]
    9 |     put: {operationId: c, x-idempotent: {name: same}, responses: {200: {description: ok}}}
      |                                                ^^^^
openapi.yaml:10:26: "same" is also the identity of POST "/b" at openapi.yaml:8:49; their records would mix, so give each its own name [extension/name]
   10 |     patch: {operationId: same, x_idempotent: {}, x-idempotent: {}, responses: {200: {description: ok}}}
      |                          ^^^^
openapi.yaml:10:32: "x_idempotent" means nothing; did you mean "x-idempotent"? [extension/unknown-field]
   10 |     patch: {operationId: same, x_idempotent: {}, x-idempotent: {}, responses: {200: {description: ok}}}
      |                                ^^^^^^^^^^^^
openapi.yaml:12:25: operationId "b" is also that of POST "/b" at openapi.yaml:8:25; give each marked operation its own [extension/name]
   12 |     post: {operationId: b, x-idempotent: {}, responses: {200: {description: ok}}}
      |                         ^
openapi.yaml:13:24: operationId "getA" is also that of GET "/a" at openapi.yaml:5:24; operationIds must be unique [openapi/invalid]
   13 |     put: {operationId: getA, responses: {200: {description: ok}}}
      |                        ^^^^
7 problems; nothing was written
`)
}

func TestPlace(t *testing.T) {
	_, out := load(t, "openapi.yaml", head+`x-idempotent: {}
paths:
  x-idempotent: {}
  /a:
    x-idempotent: {}
    post:
      operationId: a
      requestBody: {content: {a/b: {schema: {properties: {x-idempotent: {type: string, x-idempotent: {}}}, example: {x-idempotent: 1}}}}}
      responses: {200: {description: ok, headers: {x-idempotent: {schema: {enum: [{x-idempotent: 1}]}}}}}
      callbacks: {cb: {'{$url}': {post: {x-idempotent: {}, responses: {200: {description: ok}}}}}}
      x-vendor: {x-idempotent: {}}
components:
  x-idempotent: {}
  schemas: {S: {default: {x-idempotent: 1}, allOf: [{x-idempotent: {}}]}}
`)
	expect(t, out, `
openapi.yaml:3:1: x-idempotent has no effect on the document; put it into the operation that it is meant for [extension/place]
    3 | x-idempotent: {}
      | ^^^^^^^^^^^^
openapi.yaml:5:3: x-idempotent has no effect on paths; put it into the operation that it is meant for [extension/place]
    5 |   x-idempotent: {}
      |   ^^^^^^^^^^^^
openapi.yaml:7:5: x-idempotent has no effect on a path item; put it into the operation that it is meant for [extension/place]
    7 |     x-idempotent: {}
      |     ^^^^^^^^^^^^
openapi.yaml:10:88: x-idempotent has no effect in a schema; put it into the operation that it is meant for [extension/place]
   10 | ...operties: {x-idempotent: {type: string, x-idempotent: {}}}, example: {x-idempotent: 1}}}}}
      |                                            ^^^^^^^^^^^^
openapi.yaml:12:42: x-idempotent has no effect on this operation; the server only serves operations under paths [extension/place]
   12 |       callbacks: {cb: {'{$url}': {post: {x-idempotent: {}, responses: {200: {description: ok}}}}}}
      |                                          ^^^^^^^^^^^^
openapi.yaml:15:3: x-idempotent has no effect in components; put it into the operation that it is meant for [extension/place]
   15 |   x-idempotent: {}
      |   ^^^^^^^^^^^^
openapi.yaml:16:54: x-idempotent has no effect in a schema; put it into the operation that it is meant for [extension/place]
   16 |   schemas: {S: {default: {x-idempotent: 1}, allOf: [{x-idempotent: {}}]}}
      |                                                      ^^^^^^^^^^^^
7 problems; nothing was written
`)
}

func TestRefs(t *testing.T) {
	const item = "post:\n  operationId: item\n  x-idempotent: {ttl: bad}\n  responses: {200: {$ref: 'common.yaml#/r'}}\n"
	d, out := load(t, "openapi.yaml", head+`paths:
  /a: {$ref: './sub/item.yaml'}
  /b: {$ref: '#/components/pathItems/b'}
  /c: {$ref: '#/paths/~1a/get'}
  /d: {$ref: nofile.yaml, post: {}}
  /e: {$ref: '#/paths/~1e'}
components:
  pathItems:
    b: {post: {operationId: b, x-idempotent: {}, responses: {200: {description: ok}}}}
  schemas:
    H: {$ref: 'http://example.com/h.yaml#/H'}
    F: {$ref: 'file:///etc/passwd'}
    P: {$ref: '/etc/passwd'}
    D: {type: object, discriminator: {propertyName: k, mapping: {a: 'https://example.com/d.yaml', b: H}}}
`,
		"sub/item.yaml", item, "sub/common.yaml", "r: {description: ok, x-idempotent: {}}\n")
	if len(d.Operations) != 2 || d.Operations[0].Path != "/a" || d.Operations[0].Pos.File != "sub/item.yaml" {
		t.Errorf("operations: %+v", d.Operations)
	}
	expect(t, out, `
openapi.yaml:6:14: $ref "#/paths/~1a/get" leads nowhere [openapi/ref]
    6 |   /c: {$ref: '#/paths/~1a/get'}
      |              ^^^^^^^^^^^^^^^^^
openapi.yaml:7:14: $ref "nofile.yaml": the file does not exist [openapi/ref]
    7 |   /d: {$ref: nofile.yaml, post: {}}
      |              ^^^^^^^^^^^
openapi.yaml:7:27: "post" beside the $ref of a path item is undefined in OpenAPI; move it to where the $ref leads [openapi/ref]
    7 |   /d: {$ref: nofile.yaml, post: {}}
      |                           ^^^^
openapi.yaml:8:7: the $refs of this path item never reach a path item [openapi/ref]
    8 |   /e: {$ref: '#/paths/~1e'}
      |       ^
openapi.yaml:13:15: $ref "http://example.com/h.yaml#/H" is on the network, which idemgen doesn't use; download the file beside the spec and refer to that [openapi/remote-ref]
   13 |     H: {$ref: 'http://example.com/h.yaml#/H'}
      |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
openapi.yaml:14:15: $ref "file:///etc/passwd" is a file URL; write the path relative to this file [openapi/ref]
   14 |     F: {$ref: 'file:///etc/passwd'}
      |               ^^^^^^^^^^^^^^^^^^^^
openapi.yaml:15:15: $ref "/etc/passwd" is an absolute path; write it relative to this file [openapi/ref]
   15 |     P: {$ref: '/etc/passwd'}
      |               ^^^^^^^^^^^^^
openapi.yaml:16:69: $ref "https://example.com/d.yaml" is on the network, which idemgen doesn't use; download the file beside the spec and refer to that [openapi/remote-ref]
   16 |     D: {type: object, discriminator: {propertyName: k, mapping: {a: 'https://example.com/d.yaml', b: H}}}
      |                                                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
sub/common.yaml:1:22: x-idempotent has no effect in a response; put it into the operation that it is meant for [extension/place]
    1 | r: {description: ok, x-idempotent: {}}
      |                      ^^^^^^^^^^^^
sub/item.yaml:3:23: ttl: "bad" is not a duration; write 24h or PT24H [extension/ttl]
    3 |   x-idempotent: {ttl: bad}
      |                       ^^^
10 problems; nothing was written
`)
}
