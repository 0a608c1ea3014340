//go:build !cgo

package output_test

// everyStep is larger here: without a C compiler sqlc's parser takes a second.
const everyStep = 5
