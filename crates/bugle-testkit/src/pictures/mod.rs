//! Pictures for the guide. `scripts/pictures` draws each from a shell script in `scripts/scenes`:
//!
//! - `terminal`: is played in a pseudo-terminal, whose screen is drawn as an SVG file;
//! - `page`: serves the dashboard, and a browser takes a screenshot;
//! - `graph`: prints an SVG file itself.

mod animation;
mod home;
mod page;
mod scene;
mod screen;
mod stable;
mod svg;
#[cfg(test)]
mod tests;

pub use page::ServedPage;
pub use scene::{Recording, Scene};
pub use svg::draw;
