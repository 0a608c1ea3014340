package shop

//go:generate go run -C ../../.. ./cmd/idemgen generate -c bench/internal/shop/idemgen.yaml
