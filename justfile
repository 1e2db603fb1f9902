# Shortcuts. Each is one command that also runs without just.

# List the recipes
default:
    @just --list

# Run every check
test:
    scripts/test

# Apply automatic fixes and format
fix:
    cargo clippy --workspace --all-targets --fix --allow-dirty --allow-staged
    cargo fmt --all

# Run the benchmarks
bench:
    scripts/bench

# Run the first steps of a skill in a scratch project
demo:
    scripts/demo

# Run the CI checks
ci:
    .ci/run

# Build the release binary
dist:
    scripts/dist

# Build the guide
book:
    scripts/book

# Draw the guide's pictures
pictures:
    scripts/pictures
