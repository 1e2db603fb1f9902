//! Help texts for stable refusal codes.

/// A stable code and its explanation. The troubleshooting page is generated from these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeHelp {
    /// The code.
    pub code: &'static str,
    /// What happened, in one sentence.
    pub explanation: &'static str,
    /// What to do, in one sentence.
    pub remedy: &'static str,
}
