//! Splits text into sentences and recognises instructions.

/// Verbs that start an instruction.
const IMPERATIVES: &str = "\
    accept add address agree analyze announce answer apply ask assert assign assume avoid begin block break bring build call \
    capture change check choose clarify clean close collect combine commit compare compile complete confirm consider continue copy \
    count cover create cut decide define delete describe discard dispatch do document draft drain draw drop edit ensure escalate exercise \
    expect explain explore express extract fail fill find finish fix follow format freeze gather generate give go group guard hand \
    handle hold identify ignore implement improve include inspect install invoke isolate justify keep leave let limit link \
    list load log look make mark measure merge mock move name note notify offer omit open order pass pause pick place plan \
    point prefer prepare present preserve prevent propose prove provide publish push put quote raise read rebase record reduce \
    refactor refer reject remember remove rename repeat replace reply report reproduce request require reread resolve respect \
    respond restart return reuse revert review revise run save say search see select send separate set settle share show simplify \
    skip split start state stay stick stop study suggest summarize take tell test think touch trace track treat trust try \
    turn understand undo update use verify wait walk warn watch work wrap write";

/// Words that may precede the verb of an instruction.
const LEADS: &[&str] = &[
    "always", "never", "then", "please", "only", "just", "now", "first", "next", "finally", "also",
];

/// Words that make a sentence binding, wherever they occur in it.
const BINDING: &[&str] = &[
    "must",
    "never",
    "always",
    "cannot",
    "don't",
    "don’t",
    "shall",
    "required",
    "mandatory",
    "forbidden",
    "should",
];

/// Words that start a condition before an instruction.
const CONDITIONS: &[&str] = &[
    "if", "when", "whenever", "before", "after", "once", "unless", "until", "while", "for", "where", "on",
    "in", "without",
];

/// Abbreviations that end in a full stop without ending a sentence.
const SHORT_FORMS: &[&str] = &["e.g.", "i.e.", "vs.", "etc.", "cf.", "no.", "approx."];

/// Splits text into trimmed sentences. A full stop inside backticks does not end a sentence.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut begin = 0;
    let mut in_code = false;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '`' {
            in_code = !in_code;
        }
        let stops = matches!(letter, '.' | '!' | '?' | '。' | '！' | '？') && !in_code;
        if !stops {
            continue;
        }
        // Closing quotes and brackets belong to the sentence.
        let mut end = at + letter.len_utf8();
        while let Some((next, mark)) = letters.peek().copied()
            && matches!(
                mark,
                '*' | '_' | ')' | '"' | '\'' | '”' | '’' | ']' | '.' | '!' | '?'
            )
        {
            end = next + mark.len_utf8();
            letters.next();
        }
        let ended = letters.peek().is_none_or(|(_, next)| next.is_whitespace()) || !letter.is_ascii();
        let word = text[begin..end]
            .rsplit(char::is_whitespace)
            .next()
            .unwrap_or_default();
        let short = SHORT_FORMS.contains(&word.trim_start_matches(['(', '*']).to_lowercase().as_str());
        // `1.` is a list number.
        let numbers =
            letter == '.' && word.len() > 1 && word.trim_end_matches('.').bytes().all(|b| b.is_ascii_digit());
        if ended && !short && !numbers {
            found.push(text[begin..end].trim());
            begin = end;
        }
    }
    found.push(text[begin..].trim());
    found.retain(|sentence| sentence.contains(char::is_alphanumeric));
    found
}

/// Whether a sentence is an instruction.
pub(super) fn is_imperative(sentence: &str) -> bool {
    if sentence
        .trim_end_matches(['*', '_', '"', ')'])
        .ends_with(['?', '？'])
    {
        return false;
    }
    if binds(sentence) {
        return true;
    }
    // Handles `**Isolate:** run it alone` and `Name it — say what it does`.
    let labelled = [": ", ":** ", " — ", " → "].into_iter().filter_map(|separator| {
        let (label, behind) = sentence.split_once(separator)?;
        (words(label).count() <= 4).then_some(behind)
    });
    let mut begins: Vec<&str> = std::iter::once(sentence).chain(labelled).collect();
    for at in 0..begins.len() {
        let first = words(begins[at]).next().unwrap_or_default().to_lowercase();
        if CONDITIONS.contains(&first.as_str()) {
            begins.extend(begins[at].split_once(',').map(|(_, behind)| behind));
        }
    }
    begins.into_iter().any(begins_with_verb)
}

fn binds(sentence: &str) -> bool {
    let mut before = String::new();
    words(sentence).any(|word| {
        let lower = word.to_lowercase();
        let not = lower == "not" && matches!(before.as_str(), "do" | "may" | "must" | "can");
        let bound = not || BINDING.contains(&lower.as_str());
        before = lower;
        bound
    })
}

fn begins_with_verb(text: &str) -> bool {
    let mut all = words(text).map(str::to_lowercase);
    let verb = all.find(|word| !LEADS.contains(&word.as_str()));
    // Text in backticks is a name, not a verb.
    let named = text
        .trim_start_matches(|c: char| !c.is_alphanumeric() && c != '`')
        .starts_with('`');
    !named && verb.is_some_and(|verb| IMPERATIVES.split_whitespace().any(|known| known == verb))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '-')))
        .filter(|word| word.contains(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_splits_into_sentences() {
        assert_eq!(
            sentences("Run `a. b`. Then (see e.g. the log) stop! **Why?** Because.\nIt ends"),
            [
                "Run `a. b`.",
                "Then (see e.g. the log) stop!",
                "**Why?**",
                "Because.",
                "It ends"
            ]
        );
        assert_eq!(sentences("1. Write 2.5 of them."), ["1. Write 2.5 of them."]);
        assert_eq!(sentences("先写测试。再写代码。"), ["先写测试。", "再写代码。"]);
        assert!(sentences(" .. ").is_empty());
    }

    #[test]
    fn instructions_are_recognised_and_statements_are_not() {
        for asks in [
            "Write the test first.",
            "**Isolate:** run it alone.",
            "**Brief:** before sending it, read it again.",
            "If it passes, delete it.",
            "The merge can wait; you must read every change first.",
            "Then run the whole suite.",
            "Production code may not exist without a test.",
            "Don't guess.",
            "> Never skip this.",
        ] {
            assert!(is_imperative(asks), "{asks}");
        }
        for states in [
            "Tests describe behaviour.",
            "`write` is a command.",
            "The loop has three parts.",
            "If it passes, it was wrong.",
            "Reading is slow.",
            "**Must it be so?**",
        ] {
            assert!(!is_imperative(states), "{states}");
        }
    }
}
