//! The shapes of `--json`, one document of each kind. Programs rely on them: within a version, fields are added, and none
//! is renamed, removed or redefined. A snapshot that changes in any other way breaks them.

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
