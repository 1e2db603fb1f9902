//! The built-in skills are complete, and their texts stay correct when their graph changes.

use crate::tree::{TextFile, assert_no_faults, folders_in, texts};

const PARTS: &[&str] = &["SKILL.md", "workflow.yaml", "README.md"];

/// The line in a `SKILL.md` of a skill without a workflow, which has no other files.
const DISCIPLINE: &str = "  bugle: \"discipline\"";

/// The list of all built-in skills.
const CATALOGUE: &str = "docs/reference/skills.md";

const NUMBERS: &[&str] = &[
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// Whether a line mentions a step's number or the number of steps. Both become wrong when the graph changes.
fn counts_steps(line: &str) -> bool {
    let words: Vec<String> = line
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let number = |word: &str| word.chars().all(|c| c.is_ascii_digit()) || NUMBERS.contains(&word);
    words.windows(2).any(|pair| {
        let [first, second] = pair else { return false };
        (number(first) && (second == "steps" || second == "step"))
            || (first == "step" && second.chars().all(|c| c.is_ascii_digit()))
    })
}

fn faults(name: &str, files: &[TextFile], catalogue: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let skill = format!("skills/{name}/SKILL.md");
    let is_discipline = files
        .iter()
        .any(|file| file.path == skill && file.text.lines().any(|line| line == DISCIPLINE));
    for part in PARTS.iter().filter(|part| !is_discipline || **part == "SKILL.md") {
        let path = format!("skills/{name}/{part}");
        if !files.iter().any(|file| file.path == path) {
            faults.push(format!("{path} is missing"));
        }
    }
    let readme = format!("skills/{name}/README.md");
    for file in files.iter().filter(|file| file.path == readme) {
        for (index, line) in file.text.lines().enumerate() {
            if counts_steps(line) {
                faults.push(format!(
                    "{readme}:{}: numbers steps, which only the graph knows",
                    index + 1
                ));
            }
        }
    }
    if !catalogue
        .lines()
        .any(|line| line.starts_with(&format!("| `{name}` |")))
    {
        faults.push(format!("{CATALOGUE} has no row for `{name}`"));
    }
    faults
}

#[test]
fn step_counts_are_detected_in_words_and_digits() {
    for text in ["in 7 steps", "Seven steps later", "see step 3", "a 3-step plan"] {
        assert!(counts_steps(text), "{text}");
    }
    for text in [
        "each step",
        "| step | what it yields |",
        "two people agree",
        "the steps",
    ] {
        assert!(!counts_steps(text), "{text}");
    }
}

#[test]
fn an_incomplete_skill_is_a_fault() {
    let files = [
        TextFile::new("skills/a/SKILL.md", ""),
        TextFile::new("skills/a/README.md", "It has 7 steps.\n"),
    ];
    let found = faults("a", &files, "| `b` | ... |\n");
    assert_eq!(found.len(), 3, "{found:?}");
    let discipline = [TextFile::new(
        "skills/a/SKILL.md",
        "---\nmetadata:\n  bugle: \"discipline\"\n---\n",
    )];
    assert!(faults("a", &discipline, "| `a` | ... |\n").is_empty());
}

#[test]
fn every_built_in_skill_is_complete_and_listed() {
    let files = texts();
    let catalogue = &files.iter().find(|file| file.path == CATALOGUE).unwrap().text;
    let names = folders_in("skills");
    assert!(!names.is_empty());
    let found: Vec<String> = names
        .iter()
        .flat_map(|name| faults(name, &files, catalogue))
        .collect();
    assert_no_faults(&found);
}
