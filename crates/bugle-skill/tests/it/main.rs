//! The errors that an author of an invalid skill sees. Every input gets an answer.

#[cfg(test)]
mod built_in;
#[cfg(test)]
mod front_matter;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod import;
#[cfg(test)]
mod outline;
#[cfg(test)]
mod parts;
#[cfg(test)]
mod plan_outline;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod sections;
#[cfg(test)]
mod selection_rules;
#[cfg(test)]
mod support;
#[cfg(test)]
mod workflow;
