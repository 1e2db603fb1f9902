//! Whether a licence expression is satisfied by allowed licences.

/// Licences whose only requirement is to include their text.
pub(crate) const WELCOME: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether an SPDX expression can be satisfied with allowed licences only.
pub(crate) fn is_welcome(expression: &str) -> bool {
    // Older packages write a slash for "or".
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words };
    let welcome = reader.any();
    welcome == Some(true) && reader.words.is_empty()
}

struct Reader<'a> {
    words: &'a [&'a str],
}

impl Reader<'_> {
    fn take(&mut self, word: &str) -> bool {
        let there = self.words.first() == Some(&word);
        if there {
            self.words = &self.words[1..];
        }
        there
    }

    /// `a OR b`: one of them is enough.
    fn any(&mut self) -> Option<bool> {
        let mut welcome = self.all()?;
        while self.take("OR") {
            welcome |= self.all()?;
        }
        Some(welcome)
    }

    /// `a AND b`: all of them are required.
    fn all(&mut self) -> Option<bool> {
        let mut welcome = self.one()?;
        while self.take("AND") {
            welcome &= self.one()?;
        }
        Some(welcome)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let welcome = self.any()?;
            return self.take(")").then_some(welcome);
        }
        let (name, rest) = self.words.split_first()?;
        self.words = rest;
        let name = if self.take("WITH") {
            let (exception, rest) = self.words.split_first()?;
            self.words = rest;
            format!("{name} WITH {exception}")
        } else {
            (*name).to_owned()
        };
        Some(WELCOME.contains(&name.as_str()))
    }
}

#[test]
fn or_needs_one_allowed_licence_and_and_needs_all() {
    for expression in [
        "MIT",
        "MIT/Apache-2.0",
        "MIT OR Apache-2.0 OR LGPL-2.1-or-later",
        "(MIT OR GPL-3.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
    ] {
        assert!(is_welcome(expression), "{expression}");
    }
    for expression in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT OR GPL-3.0",
        "MIT Apache-2.0",
        "MIT OR",
    ] {
        assert!(!is_welcome(expression), "{expression}");
    }
}
