//! Clients' hook calls, output, settings and agent definitions.

#[cfg(test)]
mod clients;
#[cfg(test)]
mod hook_fuzz;
#[cfg(test)]
mod roles;
#[cfg(test)]
mod setup_random;
#[cfg(test)]
mod transcripts;
