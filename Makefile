# Everything that a developer or CI runs. Needs Go; make test also needs a
# PostgreSQL, which it finds or starts (see CONTRIBUTING.md).

MODULES := . runtime pgtest otelidem examples/river bench
GOLANGCI_LINT := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# The race detector needs a C compiler.
ifeq ($(shell go env CGO_ENABLED),1)
ifneq ($(shell command -v $(firstword $(shell go env CC)) 2>/dev/null),)
RACE := -race
endif
endif

.PHONY: help
help: ## List the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## Show in the terminal what a retry-safe service does
	@go run ./examples/petstore/demo

.PHONY: test
test: ## Run all tests but those of bench/, with the race detector if there is a C compiler
ifndef RACE
	@echo "no C compiler found: the tests run WITHOUT the race detector"
endif
	@for module in $(filter-out bench,$(MODULES)); do (cd $$module && go test $(RACE) -timeout 15m ./...) || exit 1; done

.PHONY: test-modes
test-modes: ## Run the contract's tests through PgBouncer, and with serializable as the default
	CONTRACT_VIA=pgbouncer go test $(RACE) -count=1 -timeout 15m ./examples/petstore/internal/contract
	CONTRACT_VIA=serializable go test $(RACE) -count=1 -timeout 15m ./examples/petstore/internal/contract

.PHONY: conformance
conformance: ## Check the enriched document with Redocly's linter and with Prism, from npm
	@command -v npm >/dev/null || { echo "make conformance needs Node.js 18 or newer, with npm; on Debian: apt-get install nodejs npm"; exit 1; }
	npm ci --prefix internal/conformance --ignore-scripts --no-audit --no-fund
	go test -tags conformance -count=1 -timeout 5m ./internal/conformance
	go test -tags conformance -count=1 -timeout 5m -run Prism ./examples/petstore/internal/contract

.PHONY: build
build: ## Build bin/idemgen
	go build -o bin/idemgen ./cmd/idemgen

.PHONY: generate
generate: ## Regenerate what is generated and committed
	@for module in $(MODULES); do (cd $$module && go generate ./...) || exit 1; done

.PHONY: fmt
fmt: ## Format the Go code
	gofmt -w $$(git ls-files '*.go')

.PHONY: lint
lint: ## Check formatting, vet and lint
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted (make fmt):"; echo "$$unformatted"; exit 1; fi
	@for module in $(MODULES); do (cd $$module && go mod tidy -diff && go vet ./... && $(GOLANGCI_LINT) run ./...) || exit 1; done

.PHONY: fresh
fresh: generate ## Check that the generated files are those of this commit
	@changed=$$(git status --porcelain); \
	if [ -n "$$changed" ]; then echo "not fresh:"; echo "$$changed"; git --no-pager diff; exit 1; fi

.PHONY: bench
bench: ## Measure what idempotency costs, with idemgen and otherwise, into bench/results (10 minutes)
	$(MAKE) -C bench compare

.PHONY: bench-smoke
bench-smoke: ## Run each Go benchmark once, and what make bench does in small
	@for module in $(MODULES); do (cd $$module && go test -run '^$$' -bench . -benchtime 1x ./...) || exit 1; done
	$(MAKE) -C bench smoke
