//! End-to-end tests of the `bugle` binary, with real files and processes.

#[cfg(test)]
mod agents;
#[cfg(test)]
mod children;
#[cfg(test)]
mod cli;
#[cfg(test)]
mod gates;
#[cfg(test)]
mod hooks;
#[cfg(test)]
mod mcp;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod page;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod projects;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod setup;
#[cfg(test)]
mod skills;
#[cfg(test)]
mod store;
#[cfg(test)]
mod supervisor;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tasks;
#[cfg(test)]
mod wake;
