//! Keeps the repository itself in order: who may depend on whom, how long a file may get, what is not forgotten, and
//! that the documents speak of things that exist. Each check is a function from texts to faults, tried on a bad
//! example first and then on the repository.

#[cfg(test)]
mod client_names;
#[cfg(test)]
mod clock;
#[cfg(test)]
mod cycles;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod files;
#[cfg(test)]
mod guide;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod licence;
#[cfg(test)]
mod modules;
#[cfg(test)]
mod packages;
#[cfg(test)]
mod skills;
#[cfg(test)]
mod tree;
#[cfg(test)]
mod vocabulary;
