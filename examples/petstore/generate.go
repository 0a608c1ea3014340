package main

// A service of yours has the line
//
//	//go:generate go tool -modfile=tools.mod idemgen generate
//
// This one lives in the generator's own module.
//go:generate go run ../../cmd/idemgen generate
