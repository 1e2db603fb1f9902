//! Calls use cases in-process, on a real store in a temporary folder.

#[cfg(test)]
mod agents;
#[cfg(test)]
mod children;
#[cfg(test)]
mod database;
#[cfg(test)]
mod gates;
#[cfg(test)]
mod hooks;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod moved_folder;
#[cfg(test)]
mod new_ids;
#[cfg(test)]
mod ownership;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod project;
#[cfg(test)]
mod reads;
#[cfg(test)]
mod reviewed;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod setup;
#[cfg(test)]
mod skills;
#[cfg(test)]
mod stages;
#[cfg(test)]
mod supervisor;
#[cfg(test)]
mod tasks;
