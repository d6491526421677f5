# Commands that are used often. The README's two come first.

.PHONY: run test confirm race model bench fuzz ci

run:
	go run ./cmd/limpet run $(SCRIPT)

test:
	go test ./...

# The transcripts in real bash and GNU tools.
confirm:
	CONFIRM=1 go test -run Confirm ./...

race:
	go test -race -short ./...

# A million random operations on each file system, against a map of paths and
# against what the kernel does, which takes root for some.
model:
	MODEL_STEPS=200000 CONFIRM=1 go test -count=1 -timeout 2h -run 'TestModel$$|TestCompare$$|TestConfirmModel$$' ./vfs ./vfs/hostdir

# Side by side with bash and mvdan.cc/sh's own interpreter, and with the tools of the host.
bench:
	go run ./bench
	go run ./bench -filters

fuzz:
	go test ./fuzz -run '^$$' -fuzz FuzzScript -fuzztime 5m

ci:
	.ci/run
