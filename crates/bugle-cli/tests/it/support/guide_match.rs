//! Compares the output shown in the guide with a command's actual output: ids may differ, and `[...]` matches any text.

const ELISION: &str = "[...]";

/// A piece of the output that a page shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    Id(&'a str),
    /// Any text, across lines or within one.
    Anything {
        lines: bool,
    },
}

/// Maps ids on the page to ids in this run.
#[derive(Debug, Default)]
pub(super) struct Bindings(pub(super) Vec<(String, String)>);

impl Bindings {
    pub(super) fn actual(&self, page: &str) -> Option<&str> {
        let mut pairs = self.0.iter();
        pairs
            .find(|(name, _)| name == page)
            .map(|(_, actual)| actual.as_str())
    }

    pub(super) fn page(&self, actual: &str) -> Option<&str> {
        let mut pairs = self.0.iter();
        pairs.find(|(_, id)| id == actual).map(|(name, _)| name.as_str())
    }
}

/// The length of the id at the start of the text: a letter for its kind, a dash, six or eight letters and digits.
pub(super) fn id_length(text: &str) -> Option<usize> {
    let rest = text
        .strip_prefix(|kind: char| "rtpmw".contains(kind))?
        .strip_prefix('-')?;
    let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let (id, after) = rest.split_at(length);
    let plain = id.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
    ([6, 8].contains(&length) && plain && !after.starts_with('-')).then_some(length + 2)
}

/// Splits the text at ids and elisions.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut begin = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let in_word = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-');
        let whole_line = (at == 0 || text[..at].ends_with('\n')) && rest.starts_with(&format!("{ELISION}\n"));
        let (piece, length) = if whole_line {
            (Piece::Anything { lines: true }, ELISION.len() + 1)
        } else if rest.starts_with(ELISION) {
            (Piece::Anything { lines: false }, ELISION.len())
        } else if let Some(length) = id_length(rest).filter(|_| !in_word) {
            (Piece::Id(&rest[..length]), length)
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        if begin < at {
            found.push(Piece::Text(&text[begin..at]));
        }
        found.push(piece);
        at += length;
        begin = at;
    }
    if begin < text.len() {
        found.push(Piece::Text(&text[begin..]));
    }
    found
}

/// Whether the text matches the page. If so, binds new ids.
pub(super) fn fits(shown: &[Piece<'_>], text: &str, bindings: &mut Bindings) -> bool {
    let Some((first, rest)) = shown.split_first() else {
        return text.is_empty();
    };
    match first {
        Piece::Text(words) => text
            .strip_prefix(words)
            .is_some_and(|after| fits(rest, after, bindings)),
        Piece::Id(name) => {
            if let Some(id) = bindings.actual(name).map(str::to_owned) {
                return text
                    .strip_prefix(id.as_str())
                    .is_some_and(|after| fits(rest, after, bindings));
            }
            let Some((id, after)) = id_length(text).map(|length| text.split_at(length)) else {
                return false;
            };
            if name[..1] != id[..1] || bindings.page(id).is_some() {
                return false;
            }
            bindings.0.push(((*name).to_owned(), id.to_owned()));
            let all = fits(rest, after, bindings);
            if !all {
                bindings.0.pop();
            }
            all
        }
        Piece::Anything { lines } => {
            let ends = text
                .char_indices()
                .map(|(at, _)| at)
                .chain([text.len()])
                .take_while(|at| *lines || !text[..*at].contains('\n'))
                .filter(|at| !*lines || *at == 0 || text[..*at].ends_with('\n'));
            ends.into_iter().any(|at| fits(rest, &text[at..], bindings))
        }
    }
}

/// Replaces every known id in the text.
pub(super) fn replaced<'a>(text: &str, known: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut all = String::new();
    for piece in pieces(text) {
        match piece {
            Piece::Text(words) => all.push_str(words),
            Piece::Id(id) => all.push_str(known(id).unwrap_or(id)),
            Piece::Anything { lines } => {
                all.push_str(ELISION);
                all.push_str(if lines { "\n" } else { "" });
            }
        }
    }
    all
}

#[test]
fn output_matches_if_only_ids_and_elided_text_differ() {
    let fit = |shown: &str, text: &str| fits(&pieces(shown), text, &mut Bindings::default());
    assert!(fit(
        "run r-aaaaaa, again r-aaaaaa\n",
        "run r-b2c3d4, again r-b2c3d4\n"
    ));
    assert!(!fit(
        "run r-aaaaaa, again r-aaaaaa\n",
        "run r-b2c3d4, again r-zzzzzz\n"
    ));
    assert!(
        !fit("r-aaaaaa r-bbbbbb\n", "r-cccccc r-cccccc\n"),
        "two ids on the page are two ids in the output"
    );
    assert!(!fit("r-aaaaaa\n", "p-aaaaaa\n"), "kinds differ");
    assert!(fit("a\n[...]\nz\n", "a\nb\nc\nz\n"));
    assert!(fit("a\n[...]\nz\n", "a\nz\n"));
    assert!(!fit("a\n[...]\nz\n", "a\nz\ny\n"));
    assert!(fit("a [...] z\n", "a b c z\n"));
    assert!(!fit("a [...] z\n", "a b\nc z\n"), "not across lines");
    assert!(!fit("", "a\n"));
}

#[test]
fn words_that_only_look_like_ids_are_text() {
    assert_eq!(
        pieces("for-example a-r-aaaaaa"),
        [Piece::Text("for-example a-r-aaaaaa")]
    );
    assert_eq!(
        pieces("x r-aaaaaa#1"),
        [Piece::Text("x "), Piece::Id("r-aaaaaa"), Piece::Text("#1")]
    );
}
