//! Splits a title into words, and records the separator and marks before each word.

use std::ops::Range;

use super::decoration::undecorated;
use super::phrase::{Phrase, same};
use super::words::{
    ADVERBS, ARTICLES, ASPECTS, AUXILIARIES, DIRECTIONS, FILLERS, METHODS, PREFIXES, QUANTIFIERS, STOPS,
    TOTALS,
};

/// The separator between a word and the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// Only space.
    Space,
    /// A hyphen, which joins the two words into one.
    Hyphen,
    /// A comma, bracket or full stop.
    Pause,
    /// A colon or a dash, which starts a new clause.
    Clause,
}

/// Whether to match words in backticks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Count,
    LeftOut,
}

#[derive(Debug)]
struct Word<'a> {
    spelled: &'a str,
    lower: String,
    joint: Joint,
    /// Whether an article, which is dropped, precedes the word.
    after_article: bool,
    /// Whether a quotation mark or backtick precedes the word.
    quoted: bool,
    /// Whether the word is a name, not a verb: a word in backticks, or an HTTP method.
    code: bool,
}

/// The words of a title.
#[derive(Debug)]
pub(super) struct Title<'a> {
    words: Vec<Word<'a>>,
}

/// Maximum number of words in a label: `Parser:` is a label, half a sentence is not.
const MAX_LABEL_LENGTH: usize = 3;

impl<'a> Title<'a> {
    pub(super) fn read(title: &'a str) -> Self {
        let mut words: Vec<Word<'a>> = Vec::new();
        let mut joint = Joint::Space;
        let mut after_article = false;
        for Piece {
            spelled,
            code,
            before,
            quoted,
        } in pieces(undecorated(title))
        {
            joint = stronger(joint, before);
            let code = code || METHODS.contains(&spelled);
            let lower = owner(&spelled.to_lowercase()).to_owned();
            if !code && joint != Joint::Hyphen && ARTICLES.contains(&lower.as_str()) {
                after_article = true;
                continue;
            }
            words.push(Word {
                spelled,
                lower,
                joint,
                after_article,
                quoted,
                code,
            });
            (joint, after_article) = (Joint::Space, false);
        }
        Self { words }
    }

    /// The positions where a verb can be, in matching order: the first word, the word after a prefix or adverb, and the
    /// words after short labels.
    pub(super) fn heads(&self) -> Vec<usize> {
        let mut heads = Vec::new();
        let mut begin = 0;
        loop {
            let head = self.unaided(begin);
            heads.push(head);
            let prefixed = self.is_one_of(head, PREFIXES)
                && self
                    .words
                    .get(head + 1)
                    .is_some_and(|word| word.joint == Joint::Hyphen);
            if prefixed || self.is_one_of(head, ADVERBS) {
                heads.push(head + 1);
            }
            let label = begin + 1..self.words.len().min(begin + MAX_LABEL_LENGTH + 1);
            match label
                .into_iter()
                .find(|at| self.words[*at].joint == Joint::Clause)
            {
                Some(next) => begin = next,
                None => return heads,
            }
        }
    }

    /// The position of the verb after fillers and after auxiliary verbs, such as `start` in `start writing`.
    fn unaided(&self, begin: usize) -> usize {
        let mut at = begin;
        while self.is_one_of(at, FILLERS) {
            at += 1;
        }
        let doing = self.words.get(at + 1).is_some_and(|next| {
            next.joint == Joint::Space && next.lower.len() > 4 && next.lower.ends_with("ing")
        });
        let aspect = self
            .words
            .get(at)
            .is_some_and(|word| ASPECTS.iter().any(|aspect| same(&word.lower, aspect)));
        if doing && aspect { at + 1 } else { at }
    }

    fn is_one_of(&self, at: usize, list: &[&str]) -> bool {
        self.words
            .get(at)
            .is_some_and(|word| !word.code && list.contains(&word.lower.as_str()))
    }

    /// The positions of a phrase's words at `at`: whole words that no hyphen joins to others.
    pub(super) fn phrase_at(&self, phrase: &Phrase, at: usize) -> Option<Range<usize>> {
        self.stands_at(phrase, at, Names::LeftOut)
    }

    fn stands_at(&self, phrase: &Phrase, at: usize, names: Names) -> Option<Range<usize>> {
        let wanted = phrase.words();
        let range = at..at + wanted.len();
        let found = self.words.get(range.clone())?;
        let fits = found
            .iter()
            .zip(wanted)
            .enumerate()
            .all(|(index, (word, wanted))| {
                let joined = index == 0 || matches!(word.joint, Joint::Space | Joint::Hyphen);
                joined && (names == Names::Count || !word.code) && same(&word.lower, wanted)
            });
        let after = self.words.get(range.end).map(|word| word.joint);
        let whole = after != Some(Joint::Hyphen);
        let ended = !phrase.ends() || matches!(after, None | Some(Joint::Clause | Joint::Pause));
        (fits && whole && ended).then_some(range)
    }

    /// The positions of a phrase's words anywhere from `from` on. Names in backticks count.
    pub(super) fn phrase_after(&self, phrase: &Phrase, from: usize) -> Option<Range<usize>> {
        (from..self.words.len()).find_map(|at| self.stands_at(phrase, at, Names::Count))
    }

    /// Whether the word at `at` continues a compound: no article, mark or break precedes it.
    pub(super) fn is_compound(&self, at: usize) -> bool {
        self.words
            .get(at)
            .is_some_and(|word| word.joint == Joint::Space && !word.after_article && !word.quoted)
    }

    /// Whether the word before `from` is a plural noun, because no object follows: `Changes`, `Changes to the parser`.
    pub(super) fn is_plural(&self, from: usize, bases: &Phrase) -> bool {
        let Some(word) = from.checked_sub(1).and_then(|at| self.words.get(at)) else {
            return false;
        };
        let base = bases
            .words()
            .last()
            .is_some_and(|bases| bases.split('/').any(|base| base == word.lower));
        let about = self
            .words
            .get(from)
            .is_some_and(|next| next.joint == Joint::Space)
            && !self.is_one_of(from, STOPS);
        word.lower.ends_with('s') && !base && !about
    }

    /// Whether the word at `at` must be a verb because an article or similar word follows: `mirror the settings`.
    pub(super) fn is_command(&self, at: usize) -> bool {
        let verbal = self.words.get(at).is_some_and(|word| {
            !word.code && !word.after_article && word.lower.bytes().all(|byte| byte.is_ascii_lowercase())
        });
        let followed = self.words.get(at + 1).is_some_and(|next| {
            next.joint == Joint::Space && (next.after_article || self.is_one_of(at + 1, TOTALS))
        });
        let small = [STOPS, QUANTIFIERS, AUXILIARIES]
            .iter()
            .any(|list| self.is_one_of(at, list));
        verbal && followed && !small
    }

    /// Whether the words from `from` on show that the ambiguous word before them is a verb: `reset the counters`,
    /// `reset all counters`, `reset counters when idle`, but not `reset button`.
    pub(super) fn is_governed(&self, from: usize) -> bool {
        let Some(word) = self.words.get(from).filter(|word| word.joint == Joint::Space) else {
            return false;
        };
        let behind = self.stretch(from, from).end;
        let led_on =
            behind > from && self.is_one_of(behind, DIRECTIONS) && self.words[behind].joint == Joint::Space;
        word.after_article || word.quoted || self.is_one_of(from, QUANTIFIERS) || led_on
    }

    /// The object of the verb that ends before `from`: the words up to a preposition or break, without trailing
    /// numbers. In `update or remove the page`, both verbs have the object `page`.
    pub(super) fn object(&self, from: usize) -> Range<usize> {
        let shared = self.is_one_of(from, &["and", "or"]) && self.words[from].joint == Joint::Space;
        let from = if shared {
            self.words.len().min(from + 2)
        } else {
            from
        };
        self.stretch(from, from)
    }

    /// The noun at the start of a title or after a label.
    pub(super) fn noun(&self, head: usize) -> Range<usize> {
        self.stretch(head, head + 1)
    }

    /// The words from `from` up to a preposition or break. Breaks before `breaks` are ignored.
    fn stretch(&self, from: usize, breaks: usize) -> Range<usize> {
        let mut end = from;
        while let Some(word) = self.words.get(end) {
            let broken = end >= breaks && matches!(word.joint, Joint::Pause | Joint::Clause);
            // `End-to-end` and `step-by-step` each count as one word.
            let next = self.words.get(end + 1).map(|next| next.joint);
            let inside = word.joint == Joint::Hyphen || next == Some(Joint::Hyphen);
            let stops = !inside && self.is_one_of(end, STOPS);
            if broken || stops {
                break;
            }
            end += 1;
        }
        while end > from && is_number(&self.words[end - 1].lower) {
            end -= 1;
        }
        from..end
    }

    /// The positions of a phrase's words at the end of a range. Names in backticks count, but only as a whole.
    pub(super) fn ending(&self, stretch: &Range<usize>, phrase: &Phrase) -> Option<Range<usize>> {
        let wanted = phrase.words();
        let begin = stretch.end.checked_sub(wanted.len())?;
        let torn = |word: &Word<'_>| word.code && word.joint == Joint::Hyphen && !phrase.is_ending();
        let fits = begin >= stretch.start
            && !self.words.get(begin).is_some_and(torn)
            && self.words[begin..stretch.end]
                .iter()
                .zip(wanted)
                .all(|(word, wanted)| same(&word.lower, wanted));
        fits.then_some(begin..stretch.end)
    }

    /// The words as written in the title.
    pub(super) fn spelled(&self, words: &[usize]) -> Vec<String> {
        words
            .iter()
            .filter_map(|at| self.words.get(*at))
            .map(|word| word.spelled.to_owned())
            .collect()
    }
}

/// The word without a possessive 's. `it's` and `let's` are not possessive.
fn owner(word: &str) -> &str {
    let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
    owner.filter(|owner| owner.len() > 3).unwrap_or(word)
}

/// Whether a word is a number: `42`, `v2`, `1.4.0`.
fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or(word);
    !digits.is_empty() && !digits.contains(char::is_alphabetic)
}

/// A word, with the text that precedes it.
struct Piece<'a> {
    spelled: &'a str,
    code: bool,
    before: Joint,
    quoted: bool,
}

/// Splits text into words of letters, digits and underscores. Full stops and apostrophes may occur only inside a word.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    let mut code = false;
    let mut path_until = 0;
    std::iter::from_fn(move || {
        let begin = rest.find(is_word)?;
        let between = &rest[..begin];
        code ^= between.matches('`').count() % 2 == 1;
        let from = &rest[begin..];
        let at = text.len() - from.len();
        if at >= path_until {
            let written = from.split(char::is_whitespace).next().unwrap_or_default();
            path_until = if is_path(written) { at + written.len() } else { at };
        }
        let mut end = from.len();
        let mut letters = from.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let inside =
                matches!(letter, '.' | '\'' | '’') && letters.peek().is_some_and(|(_, next)| is_word(*next));
            if !is_word(letter) && !inside {
                end = at;
                break;
            }
        }
        rest = &from[end..];
        Some(Piece {
            spelled: &from[..end],
            code: code || at < path_until,
            before: joint(between),
            quoted: between.ends_with(['"', '“', '`']),
        })
    })
}

/// Whether text between spaces is a file path; `add/remove` is not.
fn is_path(written: &str) -> bool {
    let last = written.rsplit('/').next().unwrap_or_default();
    written.contains('/') && (written.matches('/').count() > 1 || last.trim_end_matches('.').contains('.'))
}

fn joint(between: &str) -> Joint {
    let bare = between.trim_matches('`');
    // The leading full stop of `.gitignore` belongs to the word.
    let bare = bare
        .strip_suffix('.')
        .filter(|rest| rest.ends_with(char::is_whitespace))
        .unwrap_or(bare);
    let dash = bare.contains(" - ") || bare.contains(['–', '—', '→']);
    if bare.contains([':', '：']) || dash {
        Joint::Clause
    } else if bare.contains([',', ';', '.', '!', '?', '(', ')', '[', ']', '{', '}'])
        || [" + ", " & "].contains(&bare)
    {
        Joint::Pause
    } else if bare == "-" {
        Joint::Hyphen
    } else {
        Joint::Space
    }
}

/// The stronger of two separators around an article.
fn stronger(one: Joint, other: Joint) -> Joint {
    let strength = |joint| match joint {
        Joint::Space => 0,
        Joint::Hyphen => 1,
        Joint::Pause => 2,
        Joint::Clause => 3,
    };
    if strength(one) >= strength(other) {
        one
    } else {
        other
    }
}
