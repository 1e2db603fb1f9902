//! Generates the strings of a field-less enum from one table.

/// Implements `ALL`, `as_str`, `Display` and `FromStr` for a field-less enum, from a table of variants and strings.
#[macro_export]
macro_rules! enum_text {
    ($name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
        impl $name {
            /// All values, in table order.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// This value's string in files, commands and output.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = ();

            fn from_str(text: &str) -> Result<Self, ()> {
                Self::ALL.into_iter().find(|value| value.as_str() == text).ok_or(())
            }
        }
    };
}
