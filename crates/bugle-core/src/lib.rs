//! The rules of Bugle: what a workflow is, when it is sound, and how a run moves through it.
//!
//! Values in, values out. Nothing here reads a file, a clock, the environment or chance, and nothing is
//! written for people beyond what a refusal or a broken rule has to say.

pub mod engine;
pub mod expression;
pub mod id;
pub mod name;
pub mod outcome;
pub mod path;
pub mod review;
pub mod role;
pub mod shape;
pub mod tool;
pub mod validate;
pub mod workflow;
