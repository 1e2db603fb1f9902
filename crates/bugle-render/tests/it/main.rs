//! Output for agents, people and programs: the same content in every format, complete and safe for any input.

#[cfg(test)]
mod delegations;
#[cfg(test)]
mod geometry;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod outlines;
#[cfg(test)]
mod pictures;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod roles;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod skills;
#[cfg(test)]
mod steps;
#[cfg(test)]
mod support;
#[cfg(test)]
mod task_sentences;
#[cfg(test)]
mod wake_activity;
#[cfg(test)]
mod wake_amnesia;
#[cfg(test)]
mod wake_facts;
#[cfg(test)]
mod wake_messages;
#[cfg(test)]
mod wake_project;
#[cfg(test)]
mod wake_properties;
#[cfg(test)]
mod wake_recoveries;
#[cfg(test)]
mod wakes;
