//! Help texts for stable refusal codes.

/// A stable code and its explanation. The troubleshooting page is generated from these entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeHelp {
    /// The code.
    pub code: &'static str,
    /// What happened, in one sentence.
    pub explanation: &'static str,
    /// What to do, in one sentence.
    pub remedy: &'static str,
}

/// Implements `code` and `CODES` for a refusal type from one table, so that every refusal has help.
macro_rules! refusal_codes {
    ($type:ident; $($refusal:pat, $code:literal, $explanation:literal, $remedy:literal;)*) => {
        impl $type {
            /// All codes of this type, with their help. A refusal for missing permission uses the code of its
            /// [`MissingAuthority`](crate::rights::MissingAuthority) instead.
            pub const CODES: &'static [$crate::code_help::CodeHelp] = &[
                $($crate::code_help::CodeHelp {
                    code: $code,
                    explanation: $explanation,
                    remedy: $remedy,
                },)*
            ];

            /// The stable code.
            pub fn code(&self) -> &'static str {
                match self {
                    $($refusal => $code,)*
                    Self::NotAllowed(_, missing) => missing.code(),
                }
            }
        }
    };
}

pub(crate) use refusal_codes;
