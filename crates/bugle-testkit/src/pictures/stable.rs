//! Replaces ids and times, which differ from run to run, with fixed values, so that drawing a scene twice gives the
//! same bytes.

use std::collections::BTreeMap;

use super::screen::{Cell, Row};

/// The alphabet of ids.
const ALPHABET: &[u8] = b"23456789bcdfghjkmnpqrstvwxyz";

/// The id prefixes of runs, tasks, plans, messages and wake-ups.
const KINDS: &str = "rtpmw";

const ID_LENGTHS: [usize; 2] = [6, 8];

/// Time formats (`0` is any digit) and their replacements. Longer formats come first.
const TIMES: &[(&str, &str)] = &[
    ("0000-00-00", "2026-03-02"),
    ("00:00:00", "09:41:07"),
    ("00:00", "09:41"),
];

/// Stable ids, keyed by the ids they replace.
#[derive(Debug, Default)]
pub(super) struct Stable {
    ids: BTreeMap<String, String>,
}

impl Stable {
    /// Replaces the ids and times in a row.
    pub(super) fn replace(&mut self, row: &mut Row) {
        let letters: Vec<char> = row.iter().map(first_letter).collect();
        let mut at = 0;
        while at < letters.len() {
            let rest = &letters[at..];
            let in_word = at > 0 && is_word(letters[at - 1]);
            let replacement = match (in_word, id_length(rest)) {
                (false, Some(length)) => Some(self.stable_id(&rest[..length])),
                (false, None) => time(rest).map(str::to_owned),
                (true, _) => None,
            };
            let Some(text) = replacement else {
                at += 1;
                continue;
            };
            for letter in text.chars() {
                row[at].text = letter.to_string();
                at += 1;
            }
        }
        replace_duration(row);
    }

    fn stable_id(&mut self, id: &[char]) -> String {
        let id: String = id.iter().collect();
        let number = self.ids.len();
        let stable = self.ids.entry(id);
        let stable = stable.or_insert_with_key(|id| new_id(&id[..2], id.len() - 2, number));
        stable.clone()
    }
}

/// The stable id with this number. It looks as random as a real one.
fn new_id(kind: &str, length: usize, number: usize) -> String {
    let mut seed = 7_717 + 7_919 * (number as u64 + 1);
    let mut id = kind.to_owned();
    for _ in 0..length {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let index = (seed >> 33) as usize % ALPHABET.len();
        id.push(char::from(ALPHABET[index]));
    }
    id
}

fn first_letter(cell: &Cell) -> char {
    cell.text.chars().next().unwrap_or(' ')
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '-'
}

/// The length of the id at the start of the text: a letter for its kind, a dash, six or eight letters and digits.
fn id_length(text: &[char]) -> Option<usize> {
    let [kind, '-', rest @ ..] = text else { return None };
    let is_id_letter = |letter: &char| u8::try_from(*letter).is_ok_and(|byte| ALPHABET.contains(&byte));
    let length = rest.iter().take_while(|letter| is_id_letter(letter)).count();
    let ends = rest.get(length).is_none_or(|next| !is_word(*next));
    (KINDS.contains(*kind) && ends && ID_LENGTHS.contains(&length)).then_some(length + 2)
}

/// The replacement for the time at the start of the text.
fn time(text: &[char]) -> Option<&'static str> {
    let begins_with = |shape: &str| {
        let fits = |(shape, letter): (char, &char)| match shape {
            '0' => letter.is_ascii_digit(),
            other => other == *letter,
        };
        let length = shape.len();
        text.len() >= length
            && shape.chars().zip(text).all(fits)
            && text.get(length).is_none_or(|next| !is_word(*next))
    };
    let found = TIMES.iter().find(|(shape, _)| begins_with(shape));
    found.map(|(_, replacement)| *replacement)
}

/// Replaces a duration in milliseconds, with any number of digits.
fn replace_duration(row: &mut Row) {
    let text: String = row.iter().map(first_letter).collect();
    let Some(before) = text
        .split(" ms")
        .next()
        .filter(|before| before.len() < text.len())
    else {
        return;
    };
    let end = before.chars().count();
    let digits = before.chars().rev().take_while(char::is_ascii_digit).count();
    if digits > 0 {
        row.drain(end - digits + 1..end);
        "5".clone_into(&mut row[end - digits].text);
    }
}
