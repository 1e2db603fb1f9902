//! The shapes of `--json`, one document of each kind. Programs rely on them: within a version, fields are added and
//! none is renamed, removed or given another meaning. A snapshot that changes in any other way is a broken promise.

#[cfg(test)]
mod roles;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod setup;
#[cfg(test)]
mod skills;
#[cfg(test)]
mod steps;
#[cfg(test)]
mod support;
