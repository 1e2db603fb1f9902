# The verbs of the house. Each is one command that also runs without just.

# Show the verbs
default:
    @just --list

# Run every check
test:
    scripts/test

# Put right what can be put right without thinking
fix:
    cargo clippy --workspace --all-targets --fix --allow-dirty --allow-staged
    cargo fmt --all

# Measure, as ratios in one run
bench:
    scripts/bench

# Run a skill's first steps in a scratch project
demo:
    scripts/demo

# What continuous integration runs
ci:
    .ci/run

# Build the binary that is shipped
dist:
    scripts/dist

# Build the guide as a book
book:
    scripts/book

# Draw the pictures of the guide
pictures:
    scripts/pictures
