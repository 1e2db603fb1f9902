//! Tests for the drawings.

mod fixtures;
mod geometry;
mod model;
mod pictures;
mod terminals;
mod texts;
