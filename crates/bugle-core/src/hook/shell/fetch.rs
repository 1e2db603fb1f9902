//! Download programs and the files that they write.

use super::word::Word;

/// A download program's options.
struct Fetching {
    /// Short options that take an output file.
    into: &'static str,
    /// The long forms of these options.
    into_words: &'static [&'static str],
    /// Short options that give the output file the same name as the remote file.
    under_its_name: &'static str,
    /// Other short options that take a value.
    valued: &'static str,
}

const CURL: Fetching = Fetching {
    into: "oDc",
    into_words: &[
        "--output",
        "--dump-header",
        "--cookie-jar",
        "--trace",
        "--trace-ascii",
    ],
    under_its_name: "OJ",
    valued: "AbCdeEFHKmPQrtTuUwxXyYz",
};
const WGET: Fetching = Fetching {
    into: "Oo",
    into_words: &["--output-document", "--output-file"],
    under_its_name: "",
    valued: "aABDeGiIlPQRtTUwX",
};

impl Fetching {
    /// Whether a word names the output file.
    fn says_where(&self, word: &str) -> bool {
        let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        letters.is_some_and(|letters| {
            let flags = letters
                .chars()
                .take_while(|letter| !self.valued.contains(*letter));
            flags.into_iter().any(|letter| letter == 'O')
        }) || word.starts_with("--output-document")
    }
}

/// The files that a program downloads to; `None` means that the server chooses the name.
pub(super) fn downloaded(name: &str, arguments: &[Word]) -> Vec<Option<Word>> {
    let has = |option: &str| arguments.iter().any(|word| word.text == option);
    match name {
        "curl" => written(arguments, &CURL),
        "wget" if has("--spider") || has("--version") || has("--help") => Vec::new(),
        "wget" => {
            let named = written(arguments, &WGET);
            let says_where = arguments.iter().any(|word| WGET.says_where(&word.text));
            if named.is_empty() && !says_where {
                vec![None]
            } else {
                named
            }
        }
        _ => vec![None],
    }
}

fn written(arguments: &[Word], how: &Fetching) -> Vec<Option<Word>> {
    let mut found = Vec::new();
    let mut words = arguments.iter();
    let attached = |word: &Word, value: &str| Word {
        text: value.to_owned(),
        ..word.clone()
    };
    while let Some(word) = words.next() {
        if let Some(long) = word.text.strip_prefix("--") {
            let (option, value) = long
                .split_once('=')
                .map_or((long, None), |(option, value)| (option, Some(value)));
            if how.into_words.iter().any(|known| known[2..] == *option) {
                match value {
                    Some(value) => found.push(Some(attached(word, value))),
                    None => found.extend(words.next().map(|word| Some(word.clone()))),
                }
            } else if option.starts_with("remote-name") {
                found.push(None);
            }
            continue;
        }
        let Some(letters) = word.text.strip_prefix('-') else {
            continue;
        };
        for (at, letter) in letters.char_indices() {
            let value = &letters[at + letter.len_utf8()..];
            if how.into.contains(letter) {
                if value.is_empty() {
                    found.extend(words.next().map(|word| Some(word.clone())));
                } else {
                    found.push(Some(attached(word, value)));
                }
                break;
            }
            if how.valued.contains(letter) {
                if value.is_empty() {
                    words.next();
                }
                break;
            }
            if how.under_its_name.contains(letter) {
                found.push(None);
            }
        }
    }
    found.retain(|file| file.as_ref().is_none_or(|word| word.text != "-"));
    found
}
