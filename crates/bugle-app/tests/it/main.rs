//! Use cases in process, on a real store in a temporary folder.

#[cfg(test)]
mod project;
#[cfg(test)]
mod reads;
#[cfg(test)]
mod tasks;
