# make run     installs, builds and shows the whole thing on the shipped sample (under a minute once installed)
# make test    installs what the tests need, builds, checks the gates, runs all tests; last line "N passed, N failed"
#              make test ONLY='test/unit/ledger/*.test.ts' runs just these files, after the build
# make check   the gates, and the tests of what differs from the branch main (BASE=... another one) that run within one process
# make verify  the gates alone
# make sim     worlds that go wrong by seed: SEEDS=20000 so many, FROM=1 from here, SEED=7 TRACE=1 this one and what happens in it
# make mutants plants known faults in a copy of the code, and fails where one is not noticed: ONLY=name plants that one
# make bench    measures it beside a bare path and BullMQ, over an hour; writes bench/results.json and the table of the README
#              ONLY=end-to-end,start these parts alone; ROUNDS=3; SCALE=small to try a change, tiny takes seconds
# make cluster-up, make cluster-down
#              a Kubernetes cluster on this machine (Linux, root), on which the files of test/cluster can be run by hand; NODES=3
# make kind-smoke
#              the files of test/cluster on a cluster of kind, with the image that docker builds; needs docker, kind and kubectl
# make smoke-3node-aws, make smoke-3node-gcp
#              one coordinator and three workers by hand: a steal, a drain by that provider's notice, the proof, within a minute.
#              ROLLOUT_SMOKE_CLOUD=1 runs them on hosts of yours over ssh, and says what it needs to know for that
#
# A machine needs Node 20.19 or later, npm and make. Everything else comes with `npm ci`: also the Node 24 that runs the tests,
# which is why node_modules/.bin goes first in PATH once it is installed.
SHELL := /bin/sh
PINNED := PATH="$(CURDIR)/node_modules/.bin:$$PATH"

.PHONY: run test check bench sim mutants smoke-3node-aws smoke-3node-gcp cluster-up cluster-down kind-smoke verify install build generate format clean

run: build
	@$(PINNED) sh scripts/demo.sh

test: install
	@$(PINNED) node scripts/run-tests.ts $(ONLY)

check: install
	@$(PINNED) node scripts/check.ts

bench: build
	@$(PINNED) node bench/main.ts

sim: install
	@$(PINNED) node scripts/sim.ts

mutants: install
	@$(PINNED) node scripts/mutants.ts

smoke-3node-aws smoke-3node-gcp: build
	@$(PINNED) node scripts/smoke.ts $(@:smoke-3node-%=%)

cluster-up: build
	@$(PINNED) node scripts/cluster.ts up

cluster-down: install
	@$(PINNED) node scripts/cluster.ts down

kind-smoke: build
	@$(PINNED) node scripts/kind-smoke.ts

verify: install
	@$(PINNED) node scripts/verify.ts

install:
	@command -v node >/dev/null && command -v npm >/dev/null || { echo 'make: Node.js 20.19 or later and npm are needed: see https://nodejs.org' >&2; exit 1; }
	@node scripts/install.js

build: install
	@$(PINNED) npm run --silent build

generate: install
	@$(PINNED) npm run --silent generate

format: install
	@$(PINNED) npm run --silent format

clean:
	rm -rf dist
