//! Tests for the core's public interface: validation, runs and properties.

#[cfg(test)]
mod engine;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod shell_corpus;
#[cfg(test)]
mod skill_selection;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tasks;
