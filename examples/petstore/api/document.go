// Package api is the shop's API. Only this file is written by hand.
package api

import _ "embed"

// Document is the enriched OpenAPI document: what the service really does.
//
//go:embed openapi.gen.yaml
var Document []byte
