//! Use cases in process, on a real store in a temporary folder.

#[cfg(test)]
mod plan_import;
#[cfg(test)]
mod project;
#[cfg(test)]
mod tasks;
