//! Shared helpers: parse a file and return the messages that its author would see.

use std::fmt::Write as _;
use std::ops::Range;

use bugle_core::path::SkillPath;
use bugle_core::validate::{Problem, ProblemLocation, Rule};
use bugle_skill::{SourceMap, parse_skill_file, parse_workflow};

/// A file that breaks rules.
pub(crate) struct Case {
    /// A description of the mistake.
    pub title: &'static str,
    /// The file's text.
    pub text: String,
    /// The rules that the file breaks, in the order of the report.
    pub rules: Vec<Rule>,
}

/// Problems with their locations; `None` is the whole file.
pub(crate) type Located = Vec<(Problem, Option<Range<usize>>)>;

/// A file, and the rules that it breaks.
pub(crate) fn case(title: &'static str, text: impl Into<String>, rules: &[Rule]) -> Case {
    Case {
        title,
        text: text.into(),
        rules: rules.to_vec(),
    }
}

/// A workflow with one step that has `lines` besides the required keys.
pub(crate) fn step_with(lines: &str) -> String {
    let mut text = String::from("version: 1\nsteps:\n  ask:\n    title: Ask\n    do: Ask the user.\n");
    for line in lines.lines() {
        let _ = writeln!(text, "    {line}");
    }
    if !lines.lines().any(|line| line.starts_with("next")) {
        text.push_str("    next: end\n");
    }
    text
}

/// A valid workflow with these params.
pub(crate) fn params(lines: &str) -> String {
    let mut text = String::from("version: 1\nparams:\n");
    for line in lines.lines() {
        let _ = writeln!(text, "  {line}");
    }
    text.push_str("steps:\n  ask: { title: Ask, do: Ask the user., next: end }\n");
    text
}

pub(crate) fn path(text: &str) -> SkillPath {
    SkillPath::new(text).unwrap()
}

/// The location of a problem. `None` is the whole file.
pub(crate) fn span(places: &SourceMap, place: &ProblemLocation) -> Option<Range<usize>> {
    places.locate(place).map(|span| span.start..span.end)
}

/// The problems of a workflow with their locations.
pub(crate) fn workflow_problems(text: &str) -> Located {
    let (_, places, problems) = parse_workflow(&path("workflow.yaml"), text);
    problems
        .into_iter()
        .map(|problem| {
            let span = span(&places, &problem.place);
            (problem, span)
        })
        .collect()
}

/// The problem of a skill file with its location.
pub(crate) fn skill_file_problems(text: &str) -> Located {
    parse_skill_file(&path("SKILL.md"), text)
        .err()
        .into_iter()
        .map(|problem| {
            let span = span(&SourceMap::default(), &problem.place);
            (problem, span)
        })
        .collect()
}

/// The error messages that each case's author sees. Fails if a case does not break the expected rules.
pub(crate) fn read_aloud(file: &str, problems_of: fn(&str) -> Located, cases: &[Case]) -> String {
    let mut page = String::new();
    for case in cases {
        let problems = problems_of(&case.text);
        let rules: Vec<Rule> = problems.iter().map(|(problem, _)| problem.rule).collect();
        assert_eq!(rules, case.rules, "{}: {problems:#?}", case.title);
        let _ = writeln!(page, "=== {}", case.title);
        for (problem, span) in &problems {
            let source = span.clone().map(|span| (case.text.as_str(), span));
            let shown = bugle_render::problem::problem(problem, file, source, false);
            let _ = writeln!(page, "{shown}");
        }
        page.push('\n');
    }
    page
}

/// The rendered cases of workflows.
pub(crate) fn workflows(cases: &[Case]) -> String {
    read_aloud("workflow.yaml", workflow_problems, cases)
}

/// The rendered cases of skill files.
pub(crate) fn skill_files(cases: &[Case]) -> String {
    read_aloud("SKILL.md", skill_file_problems, cases)
}
