//! Imported plans.

mod order;
