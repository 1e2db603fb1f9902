//! A scripted agent that knows nothing about Bugle. From each request, the agent reads the step, the result file and
//! the command that ends the step.

use bugle_testkit::model_server::{Reply, Request, Speaker};
use serde_json::Value;

/// The step that a request shows last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) step: String,
    /// The command that ends the step.
    pub(crate) command: String,
    /// The file for the step's result.
    pub(crate) file: Option<String>,
    /// The commands that start the step's sub-agents.
    pub(crate) starts: Vec<String>,
}

/// The state of the agent's run, as a request shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sight {
    /// Nothing.
    Nothing,
    /// A step is open.
    Step(Seen),
    /// The run is complete.
    Complete,
}

/// The request limit that ends a stuck agent. No agent in these tests needs this many.
const MOST_REQUESTS: usize = 60;

/// Reads a request as an agent does: the latest text takes precedence.
pub(crate) fn sight(request: &Request) -> Sight {
    assert!(
        request.number <= MOST_REQUESTS,
        "it gets nowhere: {}",
        request.news()
    );
    read(&request.shown())
}

fn read(text: &str) -> Sight {
    let mut sight = Sight::Nothing;
    for line in text.lines().map(str::trim) {
        let header = between(line, "<step_header ", ">").and_then(|header| between(header, " step=\"", "\""));
        let position = line
            .strip_prefix("**Current position:**")
            .and_then(|position| between(position, " at step ", ","));
        // The text form of a step has a title and no name.
        let plain = line.contains(", run r-") && line.contains(", visit r-");
        let titled = between(line, "", ", run ").filter(|_| plain && matches!(sight, Sight::Nothing));
        let header = header.or(titled);
        let known = matches!(&sight, Sight::Step(seen) if header.or(position) == Some(seen.step.as_str()));
        if let Some(step) = header.or(position).filter(|_| !known) {
            sight = Sight::Step(Seen {
                step: step.to_owned(),
                ..Seen::default()
            });
        }
        let is_over = line.contains("Run r-") && line.contains(" is complete. Tell ");
        if is_over || line.contains("<run_complete ") || line.contains("<orchestrator_action") {
            sight = Sight::Complete;
        }
        let Sight::Step(seen) = &mut sight else { continue };
        let file =
            between(line, "write_json_to=\"", "\"").or(line.strip_prefix("Write the result as JSON to "));
        seen.file = file.map(str::to_owned).or(seen.file.take());
        let command = between(line, "<invoke_after>", "</invoke_after>").unwrap_or(line);
        // The program may have a path.
        let words = command.split_once(' ');
        if words.is_some_and(|(program, rest)| program.ends_with("bugle") && rest.starts_with("done ")) {
            command.clone_into(&mut seen.command);
        }
        let start = between(line, "<start>", "</start>").unwrap_or(line);
        if start.starts_with("bugle start --child ") && !seen.starts.iter().any(|known| known == start) {
            seen.starts.push(start.to_owned());
        }
    }
    sight
}

/// The text between two marks.
pub(crate) fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let rest = text.split_once(before)?.1;
    Some(rest.split_once(after)?.0)
}

/// The visit of the step that was printed last. Some clients show the output as a JSON string.
pub(crate) fn printed_visit(output: &str) -> String {
    let after = output.rsplit_once("visit=").map_or("", |(_, after)| after);
    let visit = after.trim_start_matches(['\\', '"']);
    let end = visit.find(['\\', '"']).unwrap_or(visit.len());
    visit[..end].to_owned()
}

/// Writes the result to its file, and ends the step.
pub(crate) fn finish(seen: &Seen, result: &Value) -> Reply {
    let command = match &seen.file {
        Some(file) if !result.is_null() => {
            format!("printf '%s' '{result}' > '{file}' && {}", seen.command)
        }
        _ => seen.command.clone(),
    };
    Reply::shell(command)
}

/// The command that a prompt puts between backticks.
pub(crate) fn asked_for(request: &Request) -> Option<String> {
    let shown = request.shown();
    let command = between(&shown, "Run `", "`")?;
    Some(command.to_owned())
}

/// Whether the request comes from the main thread. A sub-agent does not see the user's prompt.
pub(crate) fn sees_prompt(request: &Request, prompt: &str) -> bool {
    let said = request.conversation();
    said.iter()
        .any(|said| said.by == Speaker::User && said.text.contains(prompt))
}
