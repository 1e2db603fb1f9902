//! Checks the repository: dependencies, file lengths, forgotten files, and documents that refer to missing things. Each
//! check is a function from texts to faults, tested on a bad example and then run on the repository.

#[cfg(test)]
mod book;
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
mod imports;
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
