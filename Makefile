# Two commands do everything on a fresh machine with Python >= 3.11, a Rust toolchain and a C compiler:
#   make demo    runs membar on shipped examples
#   make test    runs all tests and static checks
# Both create .venv, install the locked dependencies and build the core when needed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUST_SOURCES := $(shell find core Cargo.toml Cargo.lock -name '*.rs' -o -name 'Cargo.toml' -o -name 'Cargo.lock' 2>/dev/null)
JOBS ?= 2

.PHONY: demo test static rust python conformance bench fuzz setup clean

demo: setup
	@sh examples/demo.sh $(abspath $(BIN))/membar

test: setup static rust python

static: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest membar._core --mypy-config-file pyproject.toml
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

rust: setup
	cargo test -p membar-core --release --locked --quiet

python: setup
	$(BIN)/pytest -n $(JOBS) --dist worksteal -q -m "not slow"

# Every test of the corpus beside the project (../shared), compared with herd7's and Dartagnan's answers.
conformance: setup
	$(BIN)/python tests/conformance/corpus.py --jobs $(JOBS)

# The fast engine against the reference on 20,000 random programs, over all models.
fuzz: setup
	$(BIN)/python tests/differential/campaign.py --jobs $(JOBS)

setup: $(VENV)/.core

$(VENV)/.dependencies: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "membar needs Python 3.11 or newer; set PYTHON=/path/to/python3.11 and run make again."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.lock
	@touch $@

$(VENV)/.core: $(VENV)/.dependencies pyproject.toml $(RUST_SOURCES)
	@command -v cargo >/dev/null || { echo "membar's core is written in Rust and cargo was not found: install a Rust toolchain (for example with rustup, or your system's packages rustc and cargo) and run make again."; exit 1; }
	@VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --quiet --locked
	@touch $@

clean:
	rm -rf $(VENV) target .mypy_cache .ruff_cache .pytest_cache .hypothesis
