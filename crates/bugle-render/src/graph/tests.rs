//! What drawings of graphs promise.

mod fixtures;
mod geometry;
mod model;
mod pictures;
mod terminals;
mod texts;
