package main

// A service of yours has the line
//
//	//go:generate go tool -modfile=tools.mod idemgen generate
//
// This one lives beside the generator's own module.
//go:generate go run -C ../.. ./cmd/idemgen generate -c examples/river/idemgen.yaml
