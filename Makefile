# One place for every command; `make help` lists the targets.
GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS  = -s -w -X main.version=$(VERSION)
FUZZTIME ?= 20s
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.7.0

export CGO_ENABLED = 0

.PHONY: help build cross run quick study test race fuzz bench bench-peers lint check clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/loadgen and bin/target
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./loadgen ./target

cross: ## both programs for other machines: bin/linux-amd64 and bin/linux-arm64
	@for arch in amd64 arm64; do \
	  GOARCH=$$arch $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/linux-$$arch/ ./loadgen ./target || exit 1; \
	done

run: build ## the main job: four bursty cycles against the bundled worker node (about 5 min)
	bin/loadgen run bursty-ramp.yaml

quick: build ## the same shape in about 20 s
	bin/loadgen run bursty-ramp-quick.yaml

study: build ## the study's evaluation, its figures beside ours (5 min; FULL=1: hours, OUT=DIR)
	bin/loadgen study $(if $(FULL),--full) --out $(or $(OUT),study$(if $(FULL),-full))

test: build ## all tests
	$(GO) test ./...
	$(GO) test -tags otlp ./loadgen/metrics/otlp

race: ## all tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -short ./...

fuzz: ## every fuzz target for FUZZTIME each
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "== $$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg || exit 1; \
	  done; done

bench: build ## benchmarks of the hot paths, and the rate held against the node's /ping
	$(GO) test -run '^$$' -bench . -benchmem ./...

bench-peers: build ## beside wrk, vegeta, k6, fortio, bombardier (12 min; PEERS='-quick' 2 min, PEERS='-json FILE' raw figures)
	$(GO) run ./loadgen/peers $(PEERS)

lint: ## gofmt, go vet, staticcheck, and golangci-lint where it is installed
	@bad=$$(git ls-files '*.go' | xargs gofmt -l); if [ -n "$$bad" ]; then echo "not gofmt-ed: $$bad"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags otlp ./loadgen ./loadgen/metrics/...
	$(GO) run $(STATICCHECK) ./...
	@if command -v golangci-lint >/dev/null; then golangci-lint run; fi

check: lint test ## what CI runs

clean: ## remove what the build made
	rm -rf bin
