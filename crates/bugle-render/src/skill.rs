//! Text about skills: lists, one skill in detail, and the results of checks and tests.

use bugle_core::id::Timestamp;
use std::fmt::Write as _;

use crate::author_text::author;
use crate::text::{printable, wrapped};
use bugle_core::count::counted;
use bugle_core::interface::Interface;
use bugle_core::outcome::Outcome;
use bugle_core::reply::{
    CheckReport, ConventionDetail, ConventionList, SkillDetail, SkillEntry, SkillList, TestReport, TrustList,
};

/// Skills, a few lines each, wrapped to `width` columns.
pub fn list(view: &SkillList, width: usize) -> String {
    if view.skills.is_empty() {
        return "No skills. `bugle skill new NAME` creates one.\n".to_owned();
    }
    let mut out = String::new();
    for skill in &view.skills {
        let _ = writeln!(out, "{}  ({})", skill.name, origin(skill));
        let text = skill.problem.as_ref().map_or_else(
            || skill.description.clone(),
            |problem| format!("cannot be used: {problem}"),
        );
        for line in wrapped(first_sentence(&text), width.saturating_sub(4).max(20)) {
            let _ = writeln!(out, "    {line}");
        }
        for hidden in &skill.shadows {
            let _ = writeln!(out, "    hides {hidden}");
        }
    }
    out.push_str(
        "\n`bugle skill show NAME` explains a skill; `bugle start NAME` starts a skill with a workflow.\n",
    );
    printable(&out)
}

/// The skills that an agent can start, for a client without a shell.
pub fn startable(view: &SkillList, interface: Interface) -> String {
    let skills = view.skills.iter();
    let mut out = String::new();
    for skill in skills.filter(|skill| skill.has_workflow && skill.problem.is_none()) {
        let _ = writeln!(out, "{}: {}", skill.name, first_sentence(&skill.description));
    }
    if out.is_empty() {
        return "No skill can be started in this project.\n".to_owned();
    }
    let start = interface.command(&["start", "NAME"]);
    let _ = writeln!(
        out,
        "\nTo start a skill: {start}. If params are missing, the reply lists them, and nothing is started."
    );
    printable(&out)
}

fn origin(skill: &SkillEntry) -> String {
    let mut words = vec![skill.source.clone()];
    if !skill.has_workflow {
        words.push("no workflow".to_owned());
    } else if !skill.trusted {
        words.push("not trusted".to_owned());
    }
    words.join(", ")
}

/// The first sentence: the text up to the first full stop before a capital letter.
fn first_sentence(text: &str) -> &str {
    let ends = |at: usize| text[at + 2..].starts_with(char::is_uppercase) && !text[..at].ends_with('.');
    text.match_indices(". ")
        .find(|(at, _)| ends(*at))
        .map_or(text, |(at, _)| &text[..=at])
}

/// A skill in detail.
pub fn detail(view: &SkillDetail) -> String {
    let entry = &view.entry;
    let mut out = format!("{}  ({})\n", entry.name, origin(entry));
    let _ = writeln!(out, "{}", entry.description);
    if let Some(path) = &entry.path {
        let _ = writeln!(out, "in {path}");
    }
    for hidden in &entry.shadows {
        let _ = writeln!(out, "hides {hidden}");
    }
    let _ = writeln!(out, "version {}", view.hash.get(..12).unwrap_or(&view.hash));
    if !view.params.is_empty() {
        out.push_str("\nparams\n");
        for param in &view.params {
            let need = match (&param.default, param.required) {
                (Some(default), _) if default == "\"\"" => " (optional)".to_owned(),
                (Some(default), _) => format!(" (default {default})"),
                (None, true) => " (required)".to_owned(),
                (None, false) => String::new(),
            };
            let help = param
                .help
                .as_ref()
                .map(|help| format!(": {help}"))
                .unwrap_or_default();
            let _ = writeln!(out, "  {:<14} {}{need}{help}", param.name, param.expected);
        }
    }
    if !view.steps.is_empty() {
        out.push_str("\nsteps\n");
        for step in &view.steps {
            let ways: Vec<String> = step
                .ways
                .iter()
                .map(|way| {
                    if way.outcome == Outcome::Ok {
                        way.to.clone()
                    } else {
                        format!("{}: {}", way.outcome, way.to)
                    }
                })
                .collect();
            let asks = if step.asks_user { " (asks the user)" } else { "" };
            let _ = writeln!(
                out,
                "  {:<20} {}{asks} -> {}",
                step.id,
                step.title,
                ways.join(", ")
            );
            for check in &step.checks {
                let _ = writeln!(out, "  {:<20} check: {}", "", check.say);
            }
        }
    }
    if let Some(command) = &view.command {
        let _ = writeln!(out, "\nStart the skill with:\n\n    {command}");
    } else {
        out.push_str("\nThis skill has no steps. Read the text and follow it:\n\n");
        let _ = writeln!(out, "{}", view.body.trim());
    }
    printable(&out)
}

/// The result of `bugle skill check`.
pub fn check(view: &CheckReport) -> String {
    let mut out = String::new();
    for skill in &view.skills {
        if skill.problems.is_empty() {
            let _ = writeln!(out, "{}: ok", printable(&skill.name));
        }
        for problem in &skill.problems {
            let _ = writeln!(out, "{}\n", problem.snippet);
        }
        if let Some(trust) = &skill.trust {
            let name = printable(&skill.name);
            let trust = printable(trust);
            let _ = writeln!(
                out,
                "{name} runs commands, so a person must trust it before it can run them: {trust}"
            );
        }
    }
    if view.errors + view.warnings > 0 {
        let _ = writeln!(
            out,
            "{}, {}",
            counted(view.errors, "error"),
            counted(view.warnings, "warning")
        );
    }
    out
}

/// The result of `bugle skill test`.
pub fn test(view: &TestReport) -> String {
    let mut out = format!(
        "{}: visited {}, {} of them final; followed {}; longest step: {}
",
        view.name,
        counted(view.situations, "state"),
        view.endings,
        counted(view.taken.len(), "transition"),
        counted(view.longest, "character")
    );
    for failure in &view.failures {
        let _ = writeln!(out, "failed: {failure}");
    }
    for way in &view.missed {
        let _ = writeln!(out, "not reached: {way}");
    }
    match (view.failures.is_empty() && view.missed.is_empty(), view.cut) {
        (true, false) => out.push_str("every path reaches an end\n"),
        (true, true) => {
            out.push_str("every transition was followed, but not every combination of loop iterations\n");
        }
        (false, true) => out.push_str("not every state was visited\n"),
        (false, false) => {}
    }
    printable(&out)
}

/// Trusted skills, one line per version.
pub fn trusted(view: &TrustList, clock: &dyn Fn(Timestamp) -> String) -> String {
    if view.trusted.is_empty() {
        return "No skill is trusted.\n".to_owned();
    }
    let mut out = String::new();
    for entry in &view.trusted {
        let by = if entry.is_automatic {
            "automatically (built-in, plugin or your own skill)".to_owned()
        } else {
            format!("by {}", entry.person.clone().unwrap_or_else(|| author(&entry.by)))
        };
        let version = if entry.is_current {
            "current"
        } else {
            "not the installed version"
        };
        let _ = writeln!(
            out,
            "{}  {}  {}  {by}  ({version})",
            entry.skill,
            entry.pin,
            clock(entry.at)
        );
    }
    printable(&out)
}

/// Conventions, a few lines each.
pub fn conventions(view: &ConventionList) -> String {
    let mut out = String::new();
    for convention in &view.conventions {
        let _ = writeln!(out, "{}  ({})", convention.name, convention.source);
        let _ = writeln!(out, "    {}", convention.description);
        let _ = writeln!(out, "    for {}", convention.roles.join(", "));
        let _ = writeln!(out, "    sections: {}", convention.sections.join(", "));
    }
    printable(&out)
}

/// A convention, or a section of one.
pub fn convention(view: &ConventionDetail) -> String {
    printable(&format!("{}\n", view.text))
}
