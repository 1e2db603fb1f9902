//! The validator's rules, each broken in typical ways.

mod checks;
mod dispatches;
mod graph;
mod guards;
mod manifest;
mod merges;
mod parts;
mod tasks;
mod texts;
mod values;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use bugle_core::validate::{
    BadTemplate, Package, Problem, ProblemLevel, ProblemLocation, Rule, Templates, validate,
};
use bugle_core::workflow::{StepDef, WorkflowDef};
use bugle_testkit::spelling::skill_path;

/// One way to break a rule.
struct Case {
    rule: Rule,
    /// The expected location.
    place: &'static str,
    /// The reported problems.
    problems: Vec<Problem>,
}

/// A workflow that breaks a rule.
fn case(rule: Rule, place: &'static str, steps: impl IntoIterator<Item = StepDef>) -> Case {
    case_of(rule, place, WorkflowDef::new(steps))
}

fn case_of(rule: Rule, place: &'static str, definition: WorkflowDef) -> Case {
    case_in(rule, place, definition, &Package::default())
}

fn case_in(rule: Rule, place: &'static str, definition: WorkflowDef, package: &Package) -> Case {
    let verdict = validate(&skill_path("workflow.yaml"), definition, package, &Braces);
    let refused = verdict.workflow.is_none();
    assert_eq!(refused, verdict.problems.iter().any(Problem::is_error));
    Case {
        rule,
        place,
        problems: verdict
            .problems
            .into_iter()
            .filter(|problem| problem.rule == rule)
            .collect(),
    }
}

/// A minimal template engine: `{{ name }}` and `{{ name | filter }}`.
struct Braces;

impl Templates for Braces {
    fn references(&self, source: &str) -> Result<Vec<String>, BadTemplate> {
        let mut found = Vec::new();
        for (start, _) in source.match_indices("{{") {
            let inside = &source[start + 2..];
            let Some(end) = inside.find("}}") else {
                return Err(BadTemplate {
                    message: "`{{` is not closed".to_owned(),
                    start,
                    end: source.len(),
                });
            };
            let name = inside[..end].split('|').next().unwrap_or_default();
            found.push(name.trim().to_owned());
        }
        Ok(found)
    }
}

fn shown(place: &ProblemLocation) -> String {
    match place {
        ProblemLocation::Key { file, path } => format!("{file} {path}"),
        ProblemLocation::Inside { file, path, offset } => format!("{file} {path} +{offset}"),
        ProblemLocation::Bytes { file, start, end } => format!("{file} [{start}..{end}]"),
        ProblemLocation::File(file) => file.to_string(),
    }
}

/// All cases, in the order of the rules.
fn all() -> Vec<Case> {
    let mut all: Vec<Case> = [
        graph::cases(),
        parts::cases(),
        values::cases(),
        checks::cases(),
        merges::cases(),
        guards::cases(),
        tasks::cases(),
        texts::cases(),
        dispatches::cases(),
        manifest::cases(),
    ]
    .into_iter()
    .flatten()
    .collect();
    all.sort_by_key(|case| case.rule);
    all
}

/// Checks all cases for one rule.
fn prove(rule: Rule, cases: Vec<Case>) {
    let cases: Vec<Case> = cases.into_iter().filter(|case| case.rule == rule).collect();
    assert!(!cases.is_empty(), "no case breaks {rule}");
    for case in cases {
        let places: Vec<String> = case
            .problems
            .iter()
            .map(|problem| shown(&problem.place))
            .collect();
        assert!(
            places.iter().any(|place| place == case.place),
            "{rule} at {places:?}, not at {}",
            case.place
        );
        for problem in &case.problems {
            for sentence in [&problem.message, &problem.fix] {
                assert!(!sentence.trim().is_empty(), "{rule} has an empty message or fix");
                assert!(!sentence.ends_with('.'), "{sentence}");
            }
        }
    }
}

/// Defines one test per rule.
macro_rules! rules {
    ($($name:ident breaks $rule:ident;)*) => {
        $(
            #[test]
            fn $name() {
                super::prove(bugle_core::validate::Rule::$rule, cases());
            }
        )*
    };
}
use rules;

#[test]
fn what_the_validator_says() {
    let mut page = String::new();
    let mut heading = "";
    for case in all() {
        if heading != case.rule.code() {
            heading = case.rule.code();
            let severity = match case.rule.severity() {
                ProblemLevel::Error => "error",
                ProblemLevel::Warning => "warning",
            };
            writeln!(page, "{heading} ({severity})").unwrap();
        }
        for problem in &case.problems {
            writeln!(page, "  {}", shown(&problem.place)).unwrap();
            writeln!(page, "    {}", problem.message).unwrap();
            writeln!(page, "    fix: {}", problem.fix).unwrap();
        }
    }
    insta::assert_snapshot!(page);
}

#[test]
fn rule_codes_are_unique_and_kebab_case() {
    let codes: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.code()).collect();
    assert_eq!(codes.len(), Rule::ALL.len());
    for code in codes {
        let kebab = code
            .split('-')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase()));
        assert!(kebab, "{code}");
        assert!(code.contains('-'), "a code needs at least two words: {code}");
    }
}

#[test]
fn every_rule_has_an_explanation() {
    for rule in Rule::ALL {
        let text = rule.explanation();
        assert!(text.ends_with('.') && !text.contains("  "), "{rule}: {text}");
    }
}

#[test]
fn a_rule_is_shown_and_stored_as_its_code() {
    for rule in Rule::ALL {
        assert_eq!(rule.to_string(), rule.code());
        assert_eq!(serde_json::to_value(rule).unwrap(), rule.code());
    }
}

/// Rules that the validator does not check: syntax rules, and rules about the rendered text.
const ELSEWHERE: [Rule; 10] = [
    Rule::UnreadableFile,
    Rule::BadYaml,
    Rule::UnknownKey,
    Rule::DuplicateKey,
    Rule::UnknownVersion,
    Rule::UnsafePath,
    Rule::BadExpression,
    Rule::UnknownRole,
    Rule::StepTooLong,
    Rule::StepOverBudget,
];

#[test]
fn every_core_rule_has_a_case() {
    let covered: BTreeSet<Rule> = all().into_iter().map(|case| case.rule).chain(ELSEWHERE).collect();
    let missing: Vec<&Rule> = Rule::ALL.iter().filter(|rule| !covered.contains(rule)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
