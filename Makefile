# `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
SWIFT ?= swift
PYTEST_FLAGS ?=

binary := .build/release/callrunner
python := .venv/bin/python
# Packages whose hashes differ from the pinned ones are refused.
pip_install := .venv/bin/pip install --quiet --disable-pip-version-check --require-hashes
share := $(DESTDIR)$(PREFIX)/share
shared := $(share)/callrunner
# Exported symbols would keep unused code, and unpacked relocations take 3 MB of memory (ld.lld, glibc 2.36). Those that
# are exported take the place of functions of libraries (Sources/CBuild).
exported := g_socket_receive_message g_socket_send_message gnutls_session_get_data2 stun_agent_init \
	stun_agent_validate stun_usage_ice_conncheck_process stun_usage_turn_process
# The tests are built in the same configuration, so that everything is compiled once.
build_flags := --configuration release -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic \
	-Xlinker -z -Xlinker pack-relative-relocs $(foreach name,$(exported),-Xlinker --export-dynamic-symbol=$(name))
# A terminal shows the progress, a file gets only errors.
quiet := $(shell test -t 2 || echo --quiet)
# SwiftPM 6.3 passes the traits of packages to the compiler in the order of a set: if it changes, half of the modules are
# compiled again.
swift_build := CALLRUNNER_TESTABLE=1 SWIFT_DETERMINISTIC_HASHING=1 $(SWIFT) build $(quiet) $(build_flags)
units := $(DESTDIR)$(PREFIX)/lib/systemd/system
swift_files := Sources Tests Package.swift bench

# Options for tests that `build-tests` has built.
built := --configuration release --skip-build
embedding := --package-path Tests/Embedding --scratch-path .build

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: packages test-packages $(python) ## install what a developer needs: Debian packages and the Python environment

.PHONY: packages
packages:
	@packaging/debian-packages.sh build run

.PHONY: test-packages
test-packages:
	@packaging/debian-packages.sh test

$(python): Tests/requirements.txt Tests/requirements-alone.txt | test-packages
	@echo "Making .venv with the packages in Tests/requirements*.txt"
	@rm -rf .venv
	@python3 -m venv .venv
	@$(pip_install) --requirement Tests/requirements.txt
	@$(pip_install) --no-deps --requirement Tests/requirements-alone.txt
	@touch $@

.PHONY: build
build: packages ## make a release build that runs without Swift: .build/release/callrunner
	CALLRUNNER_STATIC=1 $(swift_build) --product callrunner
	@strip $(binary)

# The Swift tests, and the program as `make build` makes it.
.PHONY: build-tests
build-tests: packages
	$(swift_build) --build-tests
	@$(MAKE) --no-print-directory build

.PHONY: demo
demo: build ## run the demo: a call between two peers in one process, recorded and checked
	$(binary) demo

.PHONY: demo-live
demo-live: build ## run the demo of a live stream: a server and a player in one process, in a window if possible
	$(binary) demo --live --duration 10s

.PHONY: test
test: setup lint build-tests ## run the checks of CI: lint, Swift tests, end-to-end tests of the release build
	SWIFT="$(SWIFT)" Tests/swift-tests $(built)
	$(swift_build) $(embedding) --build-tests
	timeout 600 $(SWIFT) test $(quiet) $(built) $(embedding)
	Tests/end-to-end -m "not long" $(PYTEST_FLAGS)

# No leak detection, because XCTest itself leaks; LeakTests cover our own code. Tests that measure memory are skipped,
# because the address sanitizer retains freed memory. The thread sanitizer covers the targets without threads of C
# libraries.
pure := SocketIOTests|LiveCoreTests|AccountsCoreTests|ChatCoreTests|FrontParsersTests|HTTPFrontTests|TextModelTests|CallCoreTests|AppFlowTests|SignalingServerTests|SocketIOClientTests|CallSignalingTests

.PHONY: quick
quick: setup lint build-tests ## run a sample of the tests, in less than two minutes after a small change
	$(SWIFT) test $(quiet) $(built) --filter "$(pure)"
	Tests/end-to-end -m quick $(PYTEST_FLAGS)

.PHONY: long
long: setup build-tests ## run the tests that `make test` omits: soak tests, matrices, sanitizers, fuzzing
	@packaging/debian-packages.sh long
	$(MAKE) --jobs=2 long-fuzzing long-sanitizers
	Tests/end-to-end -m long $(PYTEST_FLAGS)

# They run in parallel on two processors. Tests with sanitizers have time limits, so fuzzing gives way to them.
.PHONY: long-fuzzing
long-fuzzing:
	nice -n 19 env RUNS=1000000 SEED=0 AT_ONCE=2 BUILD_FLAGS="$(build_flags)" Tests/Fuzz/run

# Sanitizers slow tests down several times, but each has the usual time limit, and a test that computes holds one of the
# two threads for which all others wait: a tenth of the simulations takes as long as all of them without a sanitizer.
few := PATIENCE=600 CALLRUNNER_SCHEDULES=50 CALLRUNNER_EDITS=2000 SWIFT="$(SWIFT)"

.PHONY: long-sanitizers
long-sanitizers:
	$(few) ASAN_OPTIONS=detect_leaks=0 Tests/swift-tests --sanitize=address \
		--scratch-path .build-asan --skip "LeakTests|TransportNumberingTests/memory"
	$(few) TSAN_OPTIONS=halt_on_error=1:suppressions=$(CURDIR)/Tests/tsan-suppressions.txt Tests/swift-tests \
		--sanitize=thread --scratch-path .build-tsan --filter "$(pure)"
	CALLRUNNER_SCHEDULES=10000 $(SWIFT) test $(quiet) $(built) --filter "(Call|Chat|Room|Session)ScheduleTests"
	CALLRUNNER_EDITS=1000000 $(SWIFT) test $(quiet) $(built) --filter RandomEditTests

.PHONY: fuzz
fuzz: packages ## run libFuzzer for a minute on each target in Tests/Fuzz
	BUILD_FLAGS="$(build_flags)" Tests/Fuzz/run

.PHONY: bench
bench: setup build ## measure calls and the signaling server, and compare them with other programs
	bench/call
	bench/network
	bench/calls
	bench/window
	bench/list
	bench/live
	bench/live-server
	bench/signaling
	bench/accounts
	bench/chat
	bench/cluster

.PHONY: format
format: ## rewrite the Swift files in the project's style
	$(SWIFT) format --in-place --recursive --parallel $(swift_files)

.PHONY: lint
lint: ## check the style, and the rules in Tests/lint.sh
	$(SWIFT) format lint --strict --recursive --parallel $(swift_files)
	Tests/lint.sh

.PHONY: install
install: ## copy the built program and its files below PREFIX (/usr/local)
	@[[ -x $(binary) ]] || { echo "Nothing to install yet: run 'make build' first." >&2; exit 1; }
	@! readelf --dynamic $(binary) | grep --quiet libswiftCore || { echo "The build is not complete: run 'make build'." >&2; exit 1; }
	install -D --mode=755 $(binary) $(DESTDIR)$(PREFIX)/bin/callrunner
	install -d $(shared)/pipelines $(shared)/assets
	cp --recursive --no-preserve=ownership pipelines/. $(shared)/pipelines
	find assets -type f ! -name '*.sh' -exec install -D --mode=644 {} $(shared)/{} \;
	install -d $(units)
	sed 's|/usr/local/bin/|$(PREFIX)/bin/|' packaging/callrunner.service >$(units)/callrunner.service
	chmod 644 $(units)/callrunner.service
	install -D --mode=644 packaging/callrunner.desktop $(share)/applications/callrunner.desktop
	install -D --mode=644 packaging/callrunner.metainfo.xml $(share)/metainfo/callrunner.metainfo.xml
	install -D --mode=644 packaging/callrunner.svg $(share)/icons/hicolor/scalable/apps/callrunner.svg
	umask 022 && CALLRUNNER_BINARY=$(binary) packaging/man-pages $(share)/man/man1
	umask 022 && CALLRUNNER_BINARY=$(binary) packaging/completions $(share)

.PHONY: uninstall
uninstall: ## remove the files that `make install` copied
	rm -f $(DESTDIR)$(PREFIX)/bin/callrunner
	rm -f $(units)/callrunner.service
	rm -f $(share)/metainfo/callrunner.metainfo.xml
	rm -f $(share)/applications/callrunner.desktop $(share)/icons/hicolor/scalable/apps/callrunner.svg
	rm -f $(share)/man/man1/callrunner.1 $(share)/man/man1/callrunner-*.1
	rm -f $(share)/bash-completion/completions/callrunner $(share)/zsh/site-functions/_callrunner
	rm -f $(share)/fish/vendor_completions.d/callrunner.fish
	rm -rf $(shared)

.PHONY: deb
deb: build ## make the Debian package: out/callrunner_VERSION_ARCHITECTURE.deb
	packaging/deb $(binary)
