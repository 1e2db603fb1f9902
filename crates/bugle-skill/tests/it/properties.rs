//! Properties of parsing any text: it returns, and every reported location is inside the text.

use std::fs;
use std::sync::LazyLock;

use bugle_core::validate::ProblemLocation;
use bugle_skill::{SourceMap, parse_skill_file, parse_workflow};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::Config;

use crate::built_in;
use crate::support::path;

/// Building blocks of YAML, and common ways to break it.
const PIECES: [&str; 50] = [
    "version: 1\n",
    "params:\n",
    "steps:\n",
    "  ask:\n",
    "  ask: ",
    "    title: ",
    "    do: ",
    "    next: ",
    "    loop: ",
    "    until: ",
    "    route:\n",
    "      - when: ",
    "outcome: skip",
    "limit: 3",
    "type: ",
    "array",
    "items: ",
    "name: ",
    "description: ",
    "metadata: ",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "- ",
    "? ",
    ": ",
    ", ",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "|\n",
    ">-\n",
    "&a ",
    "*a",
    "<<: ",
    "!!str ",
    "!",
    "# ",
    "\n",
    "\r\n",
    "\t",
    "  ",
    "\u{feff}",
    "größe",
    "🎺",
    "\u{2028}",
    "\0",
];

/// The files of the built-in skills.
static REAL: LazyLock<Vec<String>> = LazyLock::new(|| {
    let skills = built_in::folders()
        .into_iter()
        .map(|folder| folder.join("SKILL.md"));
    let files = skills.chain(built_in::workflows());
    files.map(|file| fs::read_to_string(file).unwrap()).collect()
});

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&PIECES[..]), 0..40).prop_map(|pieces| pieces.concat())
}

/// One typo.
#[derive(Debug, Clone)]
enum Slip {
    Insert(Index, &'static str),
    Remove(Index, usize),
    Repeat(Index),
    Indent(Index, usize),
    Cut(Index),
}

fn slip() -> impl Strategy<Value = Slip> {
    prop_oneof![
        (any::<Index>(), select(&PIECES[..])).prop_map(|(at, piece)| Slip::Insert(at, piece)),
        (any::<Index>(), 1usize..12).prop_map(|(at, count)| Slip::Remove(at, count)),
        any::<Index>().prop_map(Slip::Repeat),
        (any::<Index>(), 0usize..7).prop_map(|(at, depth)| Slip::Indent(at, depth)),
        any::<Index>().prop_map(Slip::Cut),
    ]
}

fn slipped(text: &str, slip: &Slip) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    match slip {
        Slip::Insert(at, piece) => {
            let at = at.index(characters.len() + 1);
            characters.splice(at..at, piece.chars());
        }
        Slip::Remove(at, count) => {
            let at = at.index(characters.len() + 1);
            characters.drain(at..(at + count).min(characters.len()));
        }
        Slip::Cut(at) => characters.truncate(at.index(characters.len() + 1)),
        Slip::Repeat(at) => {
            let at = at.index(lines.len());
            lines.insert(at, lines[at].clone());
            return lines.join("\n");
        }
        Slip::Indent(at, depth) => {
            let at = at.index(lines.len());
            lines[at] = format!("{}{}", " ".repeat(*depth), lines[at].trim_start());
            return lines.join("\n");
        }
    }
    characters.into_iter().collect()
}

fn real_with_slips() -> impl Strategy<Value = String> {
    (any::<Index>(), prop::collection::vec(slip(), 1..5)).prop_map(|(which, slips)| {
        let text = which.get(&REAL).clone();
        slips.iter().fold(text, |text, slip| slipped(&text, slip))
    })
}

fn inside(text: &str, places: &SourceMap, place: &ProblemLocation) -> Result<(), TestCaseError> {
    if let Some(span) = places.locate(place) {
        prop_assert!(
            span.start <= span.end && span.end <= text.len(),
            "{place:?} is at {span:?}"
        );
        prop_assert!(
            text.is_char_boundary(span.start),
            "{place:?} begins inside a character: {span:?}"
        );
        prop_assert!(
            text.is_char_boundary(span.end),
            "{place:?} ends inside a character: {span:?}"
        );
    }
    Ok(())
}

/// Parses text as both kinds of file, and checks every reported location.
fn answered(text: &str) -> Result<(), TestCaseError> {
    let file = path("workflow.yaml");
    let (definition, places, problems) = parse_workflow(&file, text);
    prop_assert!(definition.is_some() || !problems.is_empty());
    for problem in &problems {
        inside(text, &places, &problem.place)?;
        prop_assert!(!problem.message.is_empty() && !problem.fix.is_empty());
    }
    for step in definition.iter().flat_map(|definition| &definition.steps) {
        for key in [
            "",
            ".title",
            ".do",
            ".next",
            ".result",
            ".route.0.when",
            ".forbid.0",
        ] {
            let key = format!("steps.{}{key}", step.id);
            inside(
                text,
                &places,
                &ProblemLocation::Key {
                    file: file.clone(),
                    path: key.clone(),
                },
            )?;
        }
    }
    match parse_skill_file(&path("SKILL.md"), text) {
        Ok(read) => {
            prop_assert!(text.ends_with(&read.body));
            for key in ["name", "description", "metadata", "license"] {
                let file = path("SKILL.md");
                inside(
                    text,
                    &read.places,
                    &ProblemLocation::Key {
                        file,
                        path: key.to_owned(),
                    },
                )?;
            }
        }
        Err(problem) => inside(text, &SourceMap::default(), &problem.place)?,
    }
    Ok(())
}

proptest! {
    #![proptest_config(Config { cases: 1024, failure_persistence: None, ..Config::default() })]

    #[test]
    fn any_text_gets_a_result_or_problems(text in any::<String>()) {
        answered(&text)?;
    }

    #[test]
    fn yaml_like_text_gets_a_result_or_problems(text in soup()) {
        answered(&text)?;
    }

    #[test]
    fn text_like_a_skill_file_gets_a_result_or_problems(text in soup().prop_map(|soup| format!("---\n{soup}\n---\n"))) {
        answered(&text)?;
    }

    #[test]
    fn text_like_a_step_gets_a_result_or_problems(text in soup()) {
        answered(&format!("version: 1\nsteps:\n  ask:\n    title: Größe 🎺\n    do: Ask.\n    next: end\n{text}"))?;
    }

    #[test]
    fn a_location_is_never_inside_a_character(value in "[a-zé🎺日 ]{1,8}", offset in 0usize..40) {
        let text = format!("version: 1\nsteps:\n  ask:\n    title: {value}\n    do: Ask.\n    next: end\n");
        let (_, places, _) = parse_workflow(&path("workflow.yaml"), &text);
        let (file, path) = (path("workflow.yaml"), "steps.ask.title".to_owned());
        inside(&text, &places, &ProblemLocation::Inside { file, path, offset })?;
    }

    #[test]
    fn a_random_guard_gets_a_result_or_problems(guard in "[ a-z.=&|()'é🎺0-9]{0,12}") {
        let guard = guard.replace('\'', "''");
        answered(&format!(
            "version: 1\nsteps:\n  ask:\n    title: Ask\n    do: Ask.\n    loop: {{ until: '{guard}', limit: 2 }}\n    next: end\n"
        ))?;
    }

}

proptest! {
    #![proptest_config(Config { cases: 512, failure_persistence: None, ..Config::default() })]

    #[test]
    fn real_files_with_typos_get_a_result_or_problems(text in real_with_slips()) {
        answered(&text)?;
    }
}
