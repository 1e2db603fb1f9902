//! The behaviour of the core, seen from outside: what the validator refuses, how runs move, and what holds for all of
//! them.

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
