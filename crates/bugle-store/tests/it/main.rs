//! Store tests: conformance tests for every engine, and tests of `SQLite` files.

#[cfg(test)]
mod agents;
#[cfg(test)]
mod claims;
#[cfg(test)]
mod concurrency;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod copy;
#[cfg(test)]
mod deliveries;
#[cfg(test)]
mod events;
#[cfg(test)]
mod interruptions;
#[cfg(test)]
mod machines;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod multi_row;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod postgres;
#[cfg(test)]
mod projects;
#[cfg(test)]
mod random_values;
#[cfg(test)]
mod read_ahead;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod search;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod sqlite;
#[cfg(test)]
mod task_model;
#[cfg(test)]
mod tasks;
#[cfg(test)]
mod test_run;
#[cfg(test)]
mod wakeups;

#[cfg(test)]
conformance::conformance!(on_sqlite, crate::sqlite::SqliteFile);
#[cfg(test)]
conformance::conformance!(on_postgres, crate::postgres::PostgresDatabase);
