//! Plans.

mod import;
mod invalid_plans;
mod order;
