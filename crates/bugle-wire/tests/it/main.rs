//! Snapshots of `--json`, one document of each kind. Programs rely on these shapes: within a version, fields may be
//! added, but not renamed, removed or redefined. Any other change to a snapshot breaks programs.

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
