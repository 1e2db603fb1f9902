//! Operands and options of programs.

use super::word::Word;

/// The words that are neither options nor option values.
pub(super) fn operands(arguments: &[Word], valued: &[&str]) -> Vec<Word> {
    let mut found = Vec::new();
    let mut words = arguments.iter();
    let mut all = false;
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "--" if !all => all = true,
            option if !all && option.starts_with('-') && option.len() > 1 => {
                if valued.contains(&option) {
                    words.next();
                }
            }
            _ => found.push(word.clone()),
        }
    }
    found
}

/// The operands, and the folder given by `-t` or `--target-directory`.
pub(super) fn with_target_directory(arguments: &[Word], valued: &[&str]) -> (Vec<Word>, Option<Word>) {
    let into = option_values(arguments, 't', "--target-directory");
    let valued: Vec<&str> = valued
        .iter()
        .copied()
        .chain(["-t", "--target-directory"])
        .collect();
    (operands(arguments, &valued), into.into_iter().next())
}

/// The values of an option, in its short or long form.
pub(super) fn option_values(arguments: &[Word], letter: char, long: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut words = arguments.iter().peekable();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let attached = |value: &str| Word {
            text: value.to_owned(),
            ..word.clone()
        };
        if let Some(rest) = text.strip_prefix(long) {
            match rest.strip_prefix('=') {
                Some(value) => found.push(attached(value)),
                None => found.extend(words.next().cloned()),
            }
        } else if let Some(letters) = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))
            && let Some(at) = letters.find(letter)
        {
            let value = &letters[at + letter.len_utf8()..];
            if value.is_empty() {
                found.extend(words.next().cloned());
            } else {
                found.push(attached(value));
            }
        }
    }
    found
}

/// `-i`, `-ni`, `-pi.bak`, `--in-place`. After a letter that takes a value, the rest of the word is that value.
pub(super) fn edits_in_place(name: &str, arguments: &[Word]) -> bool {
    let valued = if name.ends_with("sed") {
        "efl"
    } else {
        "eEfFIMmxCDrd"
    };
    arguments.iter().any(|word| {
        let short = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        word.text.starts_with("--in-place")
            || short.is_some_and(|letters| {
                letters
                    .chars()
                    .take_while(|letter| !valued.contains(*letter))
                    .any(|letter| letter == 'i')
            })
    })
}

/// Whether an option takes a script: `-e`, `-pe`, `-es/a/b/`.
pub(super) fn is_script_option(name: &str, word: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let script = if name.ends_with("sed") { "ef" } else { "eE" };
    letters.is_some_and(|letters| letters.contains(|letter| script.contains(letter)))
}

/// `-i inplace` in any form.
pub(super) fn loads_inplace(arguments: &[Word]) -> bool {
    let pairs = arguments.windows(2);
    let mut apart = pairs.filter(|pair| matches!(pair[0].text.as_str(), "-i" | "--include"));
    apart.any(|pair| pair[1].text == "inplace")
        || arguments
            .iter()
            .any(|word| matches!(word.text.as_str(), "-iinplace" | "--include=inplace"))
}
