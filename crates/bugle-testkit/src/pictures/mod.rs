//! Pictures for the guide. `scripts/pictures` draws all of them, from one shell script each in `scripts/scenes`:
//!
//! - `terminal`: played in a pseudo-terminal, whose screen is drawn as an SVG file;
//! - `page`: serves the dashboard, of which a browser takes a picture;
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
