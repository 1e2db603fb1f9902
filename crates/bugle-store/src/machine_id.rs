//! The id of a machine that uses a store.

/// A machine's id. Empty in a `SQLite` store, which only one machine uses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MachineId(String);

impl MachineId {
    const PREFIX: &'static str = "h-";
    const DIGITS: usize = 16;

    /// Creates an id from random bits.
    pub fn from_random(random: u64) -> Self {
        Self(format!("{}{random:016x}", Self::PREFIX))
    }

    /// Parses an id.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(Self::PREFIX)?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let fits = digits.len() == Self::DIGITS && digits.bytes().all(is_digit);
        fits.then(|| Self(text.to_owned()))
    }

    pub(crate) fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
