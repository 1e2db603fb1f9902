//! What every store promises, and what an `SQLite` file promises besides.

#[cfg(test)]
mod agents;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod crowd;
#[cfg(test)]
mod events;
#[cfg(test)]
mod grove;
#[cfg(test)]
mod launches;
#[cfg(test)]
mod lite;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod projects;
#[cfg(test)]
mod search;
#[cfg(test)]
mod story;
#[cfg(test)]
mod tasks;

#[cfg(test)]
conformance::conformance!(sqlite, crate::lite::SqliteFile);
