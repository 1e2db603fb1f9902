//! `bugle demo`: a whole story in a scratch project, with agents that follow a script instead of a model. Every command is
//! run as it is printed, by this program, on a store of its own.

mod stage;

use std::path::{Path, PathBuf};

use bugle_app::{AppError, Exit};
use serde_json::{Value, json};
use stage::{CLIENT, Show, Stage, indented, tell, write};

use crate::output::print;

/// The agent that does the work.
const BUILDER: &str = "builder";

/// Plays the story; what it made is gone afterwards, unless it is to be kept in a folder.
pub(crate) fn play(keep: Option<&Path>, page: bool) -> Result<Exit, AppError> {
    let scratch = Scratch::new(keep)?;
    let stage = Stage::in_folder(&scratch.folder)?;
    tell_story(&stage)?;
    if page {
        stage.show_page()?;
    }
    print(&match keep {
        Some(folder) => format!(
            "\nAll of it is in {0}. To look at it:\n\n    cd {0}/shop\n    export BUGLE_HOME={0}/bugle-home\n    bugle run list --all\n",
            folder.display()
        ),
        None => "\nThe scratch project is gone; `bugle demo --keep FOLDER` keeps it.\n".to_owned(),
    })?;
    Ok(Exit::Done)
}

/// A folder that goes when the story is over, however it ends.
struct Scratch {
    folder: PathBuf,
    goes: bool,
}

impl Scratch {
    fn new(keep: Option<&Path>) -> Result<Self, AppError> {
        let folder = match keep {
            Some(folder) => std::path::absolute(folder).map_err(|source| AppError::File {
                what: "cannot find",
                path: folder.to_owned(),
                source,
            })?,
            None => std::env::temp_dir().join(format!("bugle-demo-{}", std::process::id())),
        };
        Ok(Self {
            folder,
            goes: keep.is_none(),
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.goes {
            // What cannot be removed is in the system's folder for such things.
            std::fs::remove_dir_all(&self.folder).ok();
        }
    }
}

fn tell_story(stage: &Stage) -> Result<(), AppError> {
    set_up(stage)?;
    tell("A plan becomes tasks with a state of their own.")?;
    stage.run("you", "bugle plan import plan.md", 0, Show::Whole)?;

    tell("An agent is started, does what it was started for, and waits. It costs nothing while it waits.")?;
    stage.run(
        "you",
        "bugle agent spawn claude 'Answer what you are asked about the data.' --name expert",
        0,
        Show::Whole,
    )?;

    tell(
        "Another agent takes the first task, and starts a skill for it. It is shown one step, and not the way.",
    )?;
    let next = stage.data(BUILDER, "bugle task next --json", "")?;
    let task = text(&next["data"], &["position", "task", "id"])?;
    stage.run(BUILDER, &format!("bugle task start {task}"), 0, Show::Whole)?;
    let start = "bugle start ship 'change=Read the price list from data/prices.csv' --format text";
    stage.run(BUILDER, start, 0, Show::Whole)?;

    tell("What the step does not owe is refused, with the reason.")?;
    let step = hand_in(stage, &json!({ "summary": "done" }), 3, Show::Beginning(6))?;
    let run = text(&step, &["position", "run"])?;

    tell("It mends that, and comes to a gate: somebody else reviews. It cannot review itself.")?;
    let guess = json!({ "summary": "src/prices.py reads data/prices.csv, split at commas." });
    hand_in(stage, &guess, 0, Show::Whole)?;

    tell("The reviewer objects. Nobody says whether that is a pass: it is computed from the findings.")?;
    let objection = json!({
        "severity": "must", "category": "correctness", "location": "src/prices.py:3", "element": "the separator",
        "problem": "It is guessed: nothing says that the file is split at commas.",
        "action": "Find out which separator the file has.",
    });
    review(stage, &[objection])?;

    tell("Back at the step, with the finding open, it asks the agent that knows, and is blocked.")?;
    stage.run(
        BUILDER,
        "bugle ask '@expert which separator do the files in data/ have?'",
        0,
        Show::Whole,
    )?;
    stage.run("you", "bugle agent list", 0, Show::Whole)?;

    tell(
        "The supervisor wakes the other one in its session, with the question. It answers, and all is quiet.",
    )?;
    stage.run("you", "bugle up --once", 0, Show::Whole)?;
    stage.run("you", "bugle agent result expert", 0, Show::Whole)?;

    tell(
        "Now the first agent's context is compacted: everything above is forgotten. This is all that it gets.",
    )?;
    wake_up(stage)?;

    tell("That was enough to go on: the finding, the answer, the step, the command.")?;
    let mended = json!({ "summary": "src/prices.py reads data/prices.csv, split at semicolons." });
    hand_in(stage, &mended, 0, Show::Beginning(5))?;
    review(stage, &[])?;

    tell("The gate is open, and the run comes to its end.")?;
    stage.run(
        BUILDER,
        "bugle say '@human prices are read from data/prices.csv now.'",
        0,
        Show::Whole,
    )?;
    let last = stage.data(BUILDER, &format!("bugle step {run} --json"), "")?;
    let end = format!("{} --format text", text(&last["data"], &["command"])?);
    stage.run(BUILDER, &end, 0, Show::Whole)?;

    tell("The task is done, and the agent's session is over.")?;
    stage.run(BUILDER, &format!("bugle task done {task}"), 0, Show::Whole)?;
    end_session(stage)?;
    stage.run("you", "bugle task list", 0, Show::Whole)?;
    stage.run("you", "bugle agent list", 0, Show::Whole)?;

    tell("What happened is kept, for as long as you want to know it.")?;
    stage.run("you", &format!("bugle run show {run}"), 0, Show::Beginning(14))?;
    stage.run("you", "bugle wakeup list", 0, Show::Whole)?;
    stage.run("you", "bugle message list", 0, Show::Whole)?;
    Ok(())
}

fn set_up(stage: &Stage) -> Result<(), AppError> {
    let skill = stage.project().join(".bugle/skills/ship");
    write(&skill.join("SKILL.md"), include_str!("skill/SKILL.md"))?;
    write(&skill.join("workflow.yaml"), include_str!("skill/workflow.yaml"))?;
    write(
        &skill.join("agents/review.yaml"),
        include_str!("skill/agents/review.yaml"),
    )?;
    write(&stage.project().join("plan.md"), include_str!("plan.md"))?;
    // In the story, it is the reader who sees the supervisor come.
    write(&stage.home().join("config.yaml"), "supervisor: by-hand\n")?;
    stage.program(CLIENT.as_str(), include_str!("claude.sh"))
}

/// A value in an answer.
fn text(answer: &Value, way: &[&str]) -> Result<String, AppError> {
    let found = way.iter().fold(answer, |value, name| &value[*name]);
    found
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| AppError::System(format!("no {} in {answer}", way.join("."))))
}

/// Hands in a result for the step that the agent is at; says what that step was.
fn hand_in(stage: &Stage, result: &Value, wanted: i32, show: Show) -> Result<Value, AppError> {
    let step = stage.data(BUILDER, "bugle step --json", "")?["data"].clone();
    let file = text(&step, &["result", "file"])?;
    write(Path::new(&file), &result.to_string())?;
    print(&format!(
        "\n    (the result {result} is in the file that the step named)\n"
    ))?;
    let command = format!("{} --format text", text(&step, &["command"])?);
    stage.run(BUILDER, &command, wanted, show)?;
    Ok(step)
}

/// The reviewer at the gate, a sub-agent with a run of its own, reports these findings; then the gate is decided.
fn review(stage: &Stage, findings: &[Value]) -> Result<(), AppError> {
    let gate = stage.data(BUILDER, "bugle step --json", "")?["data"].clone();
    let start = text(&gate["dispatch"]["children"][0], &["command"])?;
    stage.run(
        "reviewer",
        &format!("{start} --format text"),
        0,
        Show::Beginning(6),
    )?;
    let step = stage.data("reviewer", &format!("{start} --json"), "")?["data"].clone();
    let report = json!({ "checks": ["correctness"], "findings": findings });
    write(Path::new(&text(&step, &["result", "file"])?), &report.to_string())?;
    print(&format!(
        "\n    (its report has so many findings: {})\n",
        findings.len()
    ))?;
    let report = format!("{} --format text", text(&step, &["command"])?);
    stage.run("reviewer", &report, 0, Show::Whole)?;
    let decide = format!("{} --format text", text(&gate, &["command"])?);
    stage.run(BUILDER, &decide, 0, Show::Whole)?;
    Ok(())
}

/// What the client's hook is given when a session is over.
fn end_session(stage: &Stage) -> Result<(), AppError> {
    let line = &format!("bugle hook SessionEnd --client {}", CLIENT.as_str());
    print(&format!("\n{BUILDER}$ {line}    (called by the client)\n"))?;
    let event = json!({
        "session_id": BUILDER, "cwd": stage.project(), "hook_event_name": "SessionEnd", "reason": "other",
    });
    stage.answer(BUILDER, line, &event.to_string()).map(|_| ())
}

/// What the client's hook is given after a compaction, and what it puts into the new context.
fn wake_up(stage: &Stage) -> Result<(), AppError> {
    let line = &format!("bugle hook SessionStart --client {}", CLIENT.as_str());
    print(&format!("\n{BUILDER}$ {line}    (called by the client)\n"))?;
    let event = json!({
        "session_id": BUILDER, "cwd": stage.project(), "hook_event_name": "SessionStart", "source": "compact",
    });
    let answer = stage.data(BUILDER, line, &event.to_string())?;
    let context = text(&answer, &["hookSpecificOutput", "additionalContext"])?;
    print(&indented(&context, usize::MAX))
}
