# Two commands do everything on a fresh machine with Python >= 3.11, a Rust toolchain and a C compiler:
#   make demo    runs membar on shipped examples
#   make test    static checks, unit tests, and a slice of every other suite
# Both create .venv, install the locked dependencies and build the core when needed. Longer runs (see CONTRIBUTING):
#   make test-all, make conformance, make campaigns, make mutants

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUST_SOURCES := $(shell find core Cargo.toml Cargo.lock -name '*.rs' -o -name 'Cargo.toml' -o -name 'Cargo.lock' 2>/dev/null)
PYTHON_SOURCES := $(shell find python/membar -name '*.py')
MODELS := $(shell find python/membar/models -name '*.cat' -o -name '*.rules' -o -name '*.claims' -o -name '*.bell')
JOBS ?= 2
# Some tests wait for a clock or another process; meanwhile the cores serve one worker more.
WORKERS ?= $(shell expr $(JOBS) + 1)
# Test modules and subprocesses import bytecode instead of compiling it again.
unexport PYTHONDONTWRITEBYTECODE
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist worksteal -q
# Random programs against oracles; each file says what it compares, and takes options when run alone.
CAMPAIGNS ?= any_threads any_threads_arithmetic c_arithmetic c_containers c_hardware c_heap c_heap_threads c_layouts c_lifetimes \
  c_unions campaign classes dependency_campaign lassos ltl mutations object_answers object_systems overtaking \
  parameterized promela_campaign promela_labels reductions repairs spin_models states symmetry translations unbounded \
  unbounded_machines
HAS_CARGO := command -v cargo >/dev/null || { echo "membar's core is written in Rust and cargo was not found: install a Rust toolchain (for example with rustup, or your system's packages rustc and cargo) and run make again."; exit 1; }
# make mutants TARGETS='membar.program core:states' SAMPLE=0
TARGETS ?=
SAMPLE ?= 30

.PHONY: page demo test test-all checks static types rust python conformance campaigns mutants setup clean

demo: setup
	@sh examples/demo.sh $(abspath $(BIN))/membar

test: checks
	$(PYTEST)

test-all: LINTED := --all-targets
test-all: checks
	$(PYTEST) --full

python: setup
	$(PYTEST)

# The core is checked and tested while dependencies are installed, mypy runs while the core is built.
# Collecting the tests compiles them once; otherwise each worker would. `make test-all` also lints the core's tests.
checks:
	@$(MAKE) --no-print-directory -j $(JOBS) LINTED=$(LINTED) rust static

static: setup types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m mypy.stubtest membar._core --mypy-config-file pyproject.toml
	@$(BIN)/pytest --collect-only -qq > $(VENV)/collected || { cat $(VENV)/collected; exit 1; }

types: $(VENV)/.dependencies
	$(BIN)/mypy

rust:
	@$(HAS_CARGO)
	cargo fmt --all --check
	PYO3_PYTHON=$(PYTHON) cargo clippy --workspace $(LINTED) --locked --quiet -- -D warnings
	cargo test --workspace --exclude membar-py --tests --locked --quiet

# Every test of the corpus beside the repository, compared with herd7's and Dartagnan's answers.
conformance: setup
	$(BIN)/python tests/conformance/corpus.py --jobs $(JOBS)

campaigns: setup
	@failed=; for name in $(CAMPAIGNS); do \
	  echo "== $$name"; $(BIN)/python tests/differential/$$name.py || failed="$$failed $$name"; \
	done; test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

# Changes of the program that no test notices. For the core: cargo install cargo-mutants --locked
mutants: setup
	cd tests && PYTHONPATH=. $(abspath $(BIN))/python -m mutants.targets --sample $(SAMPLE) $(TARGETS)

setup: $(VENV)/.core $(VENV)/.bytecode $(VENV)/.compiler

$(VENV)/.dependencies: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "membar needs Python 3.11 or newer; set PYTHON=/path/to/python3.11 and run make again."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.lock
	@touch $@

$(VENV)/.core: $(VENV)/.dependencies pyproject.toml $(RUST_SOURCES)
	@$(HAS_CARGO)
	@VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --profile develop --quiet --locked
	@touch $@

# Bytecode and compiled models: a small check starts four times as fast, also where PYTHONDONTWRITEBYTECODE is set.
$(VENV)/.bytecode: $(VENV)/.core $(PYTHON_SOURCES) $(MODELS)
	@$(BIN)/python -m compileall -q python/membar
	@$(BIN)/python -c 'from membar.languages.registry import compile_shipped_models; compile_shipped_models()'
	@touch $@

# C is read by clang 14 or newer; where there is none, by the clang inside the package ziglang (a download of 100 MB).
$(VENV)/.compiler: $(VENV)/.dependencies requirements-clang.lock
	@PYTHONPATH=python $(BIN)/python -c 'import os; from membar.languages.compiled.compiler import find_compilers; next(find_compilers(None, os.environ))' 2>/dev/null \
	  || $(BIN)/pip install --quiet --disable-pip-version-check -r requirements-clang.lock \
	  || echo "There is no clang, and ziglang could not be installed: membar cannot read C programs, and their tests are skipped."
	@touch $@

# The web page: TypeScript bundled into python/membar/server/static, which is part of the repository. Needs npm.
page:
	cd page && npm ci --no-audit --no-fund && npx tsc --noEmit && node build.mjs

clean:
	rm -rf $(VENV) target .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
