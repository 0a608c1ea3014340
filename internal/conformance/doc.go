// Package conformance holds what checks the enriched document from outside, with
// tools that know nothing of idemgen: Redocly's linter here, and Prism in the
// petstore's contract tests. They come from npm; make conformance runs them.
package conformance
