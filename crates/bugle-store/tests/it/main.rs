//! What every store promises, and what an `SQLite` file promises besides.

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod crowd;
#[cfg(test)]
mod events;
#[cfg(test)]
mod lite;
#[cfg(test)]
mod story;

#[cfg(test)]
conformance::conformance!(sqlite, crate::lite::SqliteFile);
