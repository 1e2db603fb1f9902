//! Text about runs: lists, and one run with its timeline.

use bugle_core::count::counted;
use bugle_core::id::Timestamp;
use std::fmt::Write as _;

use bugle_core::engine::RunStatus;
use bugle_core::reply::{
    EndView, FoundList, RunDetail, RunLabel, RunList, RunSummary, StepView, StoreCheck, TimelineEntry,
    VisitDetail,
};
use bugle_core::review::Severity;
use serde_json::Value;

use crate::author_text::author;
use crate::step::position_sentence;
use crate::text::{printable, shortened};
use crate::value_text::readable;
use crate::{notice_text, timeline_text};

/// Formats a time; the caller knows the time zone.
pub type Clock<'a> = &'a dyn Fn(Timestamp) -> String;

/// The longest purpose of a run in a list, in characters.
const MAX_PURPOSE: usize = 50;

/// A run's skill with its agent and its purpose: `@anna's planner (Login page)`.
pub(crate) fn label(run: &RunLabel) -> String {
    let agent = run.agent.as_ref().map(|agent| format!("@{agent}'s "));
    let about = run.about.as_deref().map(|about| shortened(about, MAX_PURPOSE));
    let about = about.map(|about| format!(" ({about})"));
    format!(
        "{}{}{}",
        agent.unwrap_or_default(),
        run.skill,
        about.unwrap_or_default()
    )
}

/// A run's agent and purpose, for the end of a line: `  @anna, Login page`.
pub(crate) fn agent_and_purpose(run: &RunSummary) -> String {
    let agent = run.agent.as_ref().map(|agent| format!("@{agent}"));
    let about = run.about.as_deref().map(|about| shortened(about, MAX_PURPOSE));
    let parts: Vec<String> = agent.into_iter().chain(about).collect();
    if parts.is_empty() {
        return String::new();
    }
    format!("  {}", parts.join(", "))
}

/// Runs, one per line.
pub fn list(view: &RunList, clock: Clock<'_>) -> String {
    if view.runs.is_empty() {
        return "No runs found. `bugle skill list` lists the skills you can start; `bugle run list --all` lists the runs of \
                all projects.\n"
            .to_owned();
    }
    let mut out = format!(
        "{:<8}  {:<10} {:<20} {:<20} last change\n",
        "run", "status", "skill", "step"
    );
    let first = view.runs.first().map(|run| &run.directory);
    let scattered = view.everywhere || view.runs.iter().any(|run| Some(&run.directory) != first);
    for run in &view.runs {
        let RunSummary {
            position,
            changed_at,
            directory,
            person,
            ..
        } = run;
        let person = for_person(person.as_deref());
        let place = position.step.as_deref().unwrap_or("-");
        // If the runs are in several folders, each line names the folder.
        let folder = if scattered {
            format!("  {directory}")
        } else {
            String::new()
        };
        let _ = writeln!(
            out,
            "{}  {:<10} {:<20} {:<20} {}{person}{}{folder}",
            position.run,
            position.status,
            position.skill,
            place,
            clock(*changed_at),
            agent_and_purpose(run)
        );
    }
    if view.more > 0 {
        let _ = writeln!(
            out,
            "and {} more: add `--limit {}` to see them",
            view.more,
            view.runs.len() as u64 + view.more
        );
    }
    printable(&out)
}

/// A run with its timeline.
pub fn detail(view: &RunDetail, clock: Clock<'_>) -> String {
    let mut out = format!("{}\n", position_sentence(&view.summary.position));
    let _ = writeln!(
        out,
        "started {} in {}{}",
        clock(view.summary.started_at),
        view.summary.directory,
        for_person(view.summary.person.as_deref())
    );
    if let Some(agent) = &view.summary.agent {
        let _ = writeln!(out, "agent @{agent}");
    }
    let _ = writeln!(out, "skill version {}", view.pin.get(..12).unwrap_or(&view.pin));
    if let Some(origin) = timeline_text::origin(&view.origin) {
        let _ = writeln!(out, "{origin}");
    }
    for notice in &view.notices {
        let _ = writeln!(out, "{}", notice_text::run(notice));
    }
    for (name, value) in &view.params {
        let _ = writeln!(out, "  {name} = {}", shortened(&value.to_string(), 200));
    }
    if let Some(result) = &view.result {
        let _ = writeln!(out, "\nResult of {}\n", result.step);
        out.push_str(&readable(&without_repeats(result.value.clone()), "  "));
    }
    out.push('\n');
    for entry in &view.timeline {
        line(&mut out, entry, clock);
    }
    if let Some(command) = &view.command {
        let _ = writeln!(out, "\nTo continue, run:\n\n    {command}");
    }
    printable(&out)
}

/// One visit: the step's text, then what the agent returned.
pub fn visit(view: &VisitDetail) -> String {
    let outcome = view
        .outcome
        .map_or_else(|| "open".to_owned(), |outcome| format!("ended with {outcome}"));
    let mut out = format!("{}, step {}, {outcome}\n", view.visit, view.step);
    if let Some(reason) = &view.reason {
        let _ = writeln!(out, "because: {reason}");
    }
    if let Some(prompt) = &view.prompt {
        let _ = writeln!(out, "\n--- The step's text\n\n{}", prompt.trim());
    }
    let parts = [
        ("Returned", view.returned.clone()),
        ("Result after the merge", view.merged.clone()),
        (
            "Also found",
            (!view.also_found.is_empty()).then(|| serde_json::json!(view.also_found)),
        ),
    ];
    for (heading, value) in parts {
        if let Some(value) = value {
            let text = serde_json::to_string_pretty(&without_repeats(value)).unwrap_or_default();
            let _ = writeln!(out, "\n--- {heading}\n\n{text}");
        }
    }
    printable(&out)
}

/// The problems that a run's agents noticed outside their steps.
pub fn found(list: &FoundList) -> String {
    if list.problems.is_empty() {
        return format!("Run {} found no problems outside its steps.\n", list.run);
    }
    let mut out = String::new();
    for found in &list.problems {
        let severity = found.problem.severity.map_or("", Severity::as_str);
        let _ = writeln!(
            out,
            "{:<6}  {}  [{}, visit {}]",
            severity, found.problem.what, found.problem.place, found.visit
        );
    }
    if let Some(command) = &list.command {
        let _ = writeln!(out, "\nTo make tasks of them, run:\n\n    {command}");
    }
    printable(&out)
}

/// What the agent returned at a visit, as JSON; `null` if it returned nothing.
pub fn returned(view: &VisitDetail) -> String {
    let value = view.returned.as_ref().unwrap_or(&Value::Null);
    format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_default())
}

/// Names the person for whom an agent acted, if the store recorded one.
pub(crate) fn for_person(person: Option<&str>) -> String {
    person.map_or_else(String::new, |person| format!(" for {person}"))
}

fn line(out: &mut String, entry: &TimelineEntry, clock: Clock<'_>) {
    let mark = if entry.left_behind {
        " (left behind by a rewind)"
    } else {
        ""
    };
    let by = format!("{}{}", author(&entry.by), for_person(entry.person.as_deref()));
    let _ = writeln!(
        out,
        "{:>4}  {}  {}{mark}  [{}]",
        entry.seq,
        clock(entry.at),
        indented(&timeline_text::change(&entry.change)),
        indented(&by)
    );
    if let Some(details) = timeline_text::details(&entry.change) {
        let text = serde_json::to_string_pretty(&without_repeats(details)).unwrap_or_default();
        for line in text.lines() {
            let _ = writeln!(out, "        {line}");
        }
    }
}

/// The details of a visit, with each finding only once. A gate's result repeats its findings in the reviewers'
/// reports, in the joined review and in the verdict. Only the verdict keeps them, because it also shows which findings
/// block. The reports keep the number of findings.
fn without_repeats(mut details: Value) -> Value {
    // If the visit has evidence, its result is nested one level deeper.
    let is_gate = |value: &Value| value.get("verdict").is_some() && value.get("review").is_some();
    let joined = if is_gate(&details) {
        Some(&mut details)
    } else {
        details.get_mut("result").filter(|result| is_gate(result))
    };
    if let Some(Value::Object(joined)) = joined {
        joined.remove("review");
        let children = joined.get_mut("children").and_then(Value::as_array_mut);
        for child in children.into_iter().flatten() {
            if let Some(findings) = child.pointer_mut("/result/findings")
                && let Some(count) = findings.as_array().map(Vec::len)
            {
                *findings = count.into();
            }
        }
    }
    details
}

/// Indents every line after the first, so that no text can look like another entry.
fn indented(text: &str) -> String {
    text.replace('\n', "\n        ")
}

/// The result of a store check.
pub fn store_check(view: &StoreCheck) -> String {
    let mut out = format!(
        "{}: schema {}; {} with {}, {} with {}, {}
",
        view.file,
        view.schema,
        counted(view.runs, "run"),
        counted(view.events, "event"),
        counted(view.tasks, "task"),
        counted(view.task_events, "event"),
        counted(view.blobs, "blob")
    );
    if view.only_own_projects {
        out.push_str("checked only your own projects: you do not have access to the others\n");
    }
    for error in &view.faults {
        let _ = writeln!(out, "error: {error}");
    }
    out.push_str(if view.faults.is_empty() {
        "no errors found\n"
    } else {
        "nothing was changed\n"
    });
    printable(&out)
}

/// The agent that waited for a person's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitingAgent {
    /// An agent with a name, and the command that tells it to continue.
    Named {
        /// The agent's address, relative to the person.
        name: String,
        /// The command.
        tell: String,
    },
    /// A session whose agent is unknown.
    Unnamed,
}

/// The message after a person's answer. `step` is the command that shows the run's step.
pub fn decided(view: &StepView, agent: Option<&WaitingAgent>, step: &str) -> String {
    let (run, title) = (&view.position.run, &view.title);
    match view.position.status {
        RunStatus::Waiting => {
            format!("Answer recorded. Run {run} asks another question. To see it, run: {step}")
        }
        _ => match agent {
            Some(WaitingAgent::Named { name, tell }) => format!(
                "Answer recorded. Run {run} is at the step \"{title}\". Tell @{name} to continue, in its client or with: \
                 {tell}"
            ),
            Some(WaitingAgent::Unnamed) => {
                format!("Answer recorded. Tell the agent to continue: run {run} is at the step \"{title}\".")
            }
            None => format!("Answer recorded. Run {run} is at the step \"{title}\". To see it, run: {step}"),
        },
    }
}

/// The message after a person's answer that ended the run.
pub fn decided_at_end(view: &EndView) -> String {
    let (run, skill) = (&view.position.run, &view.position.skill);
    let ending = match view.position.status {
        RunStatus::Cancelled => "was cancelled",
        RunStatus::Failed => "failed",
        _ => "is complete",
    };
    format!(
        "Answer recorded. Run {run} of {skill} {ending}. To see the results, run: {}",
        view.command
    )
}
