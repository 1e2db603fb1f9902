//! `bugle demo`: a story in a scratch project, with scripted agents instead of a model. The demo runs every command
//! exactly as printed, with this program and a separate store.

mod stage;

use std::path::{Path, PathBuf};

use bugle_app::{AppError, Exit};
use bugle_client::shell_word;
use serde_json::{Value, json};
use stage::{CLIENT, Show, Stage, indented, write};

use bugle_core::count::counted;

use crate::output::print;

/// The agent that does the work.
const BUILDER: &str = "builder";

/// Plays the story, with a pause after each scene if `pause` is set. Deletes the project afterwards, unless `keep`
/// names a folder for it.
pub(crate) fn play(keep: Option<&Path>, page: bool, pause: bool) -> Result<Exit, AppError> {
    let scratch = Scratch::new(keep)?;
    let stage = Stage::in_folder(&scratch.folder, pause)?;
    tell_story(&stage)?;
    if page {
        stage.show_page()?;
    }
    print(&match keep {
        Some(folder) => format!(
            "\nThe project is in {}. To explore it:\n\n    cd {}\n    export BUGLE_HOME={}\n    bugle run list --all\n",
            folder.display(),
            shell_word(&folder.join("shop").to_string_lossy()),
            shell_word(&folder.join("bugle-home").to_string_lossy())
        ),
        None => "\nThe scratch project was deleted. To keep it, use `bugle demo --keep FOLDER`.\n\
                 `bugle demo --pause` waits after each scene. To use Bugle in your project: `bugle setup CLIENT`\n"
            .to_owned(),
    })?;
    Ok(Exit::Done)
}

/// A folder that is deleted at the end, even after an error.
struct Scratch {
    folder: PathBuf,
    is_temporary: bool,
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
            is_temporary: keep.is_none(),
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.is_temporary {
            // If this fails, the system cleans up its temporary folder.
            std::fs::remove_dir_all(&self.folder).ok();
        }
    }
}

fn tell_story(stage: &Stage) -> Result<(), AppError> {
    set_up(stage)?;
    print(
        "A shop should read its prices from a file. Three agents make this change: `builder` writes the code,\n\
         `expert` knows the data, and `reviewer` reviews the code. The skill `ship` belongs to this demo.\n\
         The agents are scripts, the commands are real, and everything happens in a scratch project.\n",
    )?;
    stage.tell("You import a plan. Bugle turns the plan into tasks.")?;
    stage.run("you", "bugle plan import plan.md", 0, Show::Whole)?;

    stage.tell(
        "You start an agent that knows the data. The agent reports and exits: an idle agent costs nothing.",
    )?;
    stage.run(
        "you",
        "bugle agent spawn claude 'Answer questions about the data.' --name expert",
        0,
        Show::Whole,
    )?;

    stage.tell("The builder starts the first task with the `ship` skill, and sees one step at a time.")?;
    let next = stage.data(BUILDER, "bugle task next --json", "")?;
    let task = text(&next["data"], &["position", "task", "id"])?;
    stage.run(BUILDER, &format!("bugle task start {task}"), 0, Show::Whole)?;
    let start = "bugle start ship 'change=Read the price list from data/prices.csv' --format text";
    stage.run(BUILDER, start, 0, Show::Whole)?;

    stage.tell("The builder returns an incomplete result. Bugle refuses the result and says why.")?;
    let step = report_result(stage, &json!({ "summary": "done" }), 3, Show::Beginning(6))?;
    let run = text(&step, &["position", "run"])?;

    stage.tell(
        "The builder returns a complete result and reaches a gate: another agent must review the change.",
    )?;
    let guess = json!({ "summary": "src/prices.py reads data/prices.csv, separated by commas." });
    write_code(stage, ',')?;
    report_result(stage, &guess, 0, Show::Whole)?;

    stage.tell("The reviewer reports a finding. Bugle computes the verdict from it: not passed.")?;
    let objection = json!({
        "severity": "must", "category": "correctness", "location": "src/prices.py:3", "element": "the separator",
        "problem": "The comma is a guess: nothing shows which separator the file uses.",
        "action": "Find out which separator the file uses.",
    });
    review(stage, &[objection])?;

    stage.tell(
        "The builder is back at its step, with the finding. It asks the expert and is blocked until the expert answers.",
    )?;
    stage.run(
        BUILDER,
        "bugle ask '@expert Which separator do the files in data/ use?'",
        0,
        Show::Whole,
    )?;
    stage.run("you", "bugle agent list", 0, Show::Whole)?;

    stage.tell("The supervisor wakes the expert with the question. The expert answers.")?;
    stage.run("you", "bugle up --once", 0, Show::Whole)?;
    stage.run("you", "bugle agent result expert", 0, Show::Whole)?;

    stage.tell(
        "Now the client compacts the builder's context. The builder forgets everything above, and Bugle gives it this wake-up:",
    )?;
    wake_up(stage)?;

    stage.tell(
        "The wake-up has the finding, the answer, the step and its command. The builder uses them for the fix.",
    )?;
    let fixed = json!({ "summary": "src/prices.py reads data/prices.csv, separated by semicolons." });
    write_code(stage, ';')?;
    report_result(stage, &fixed, 0, Show::Beginning(5))?;
    review(stage, &[])?;

    stage.tell("The gate has passed. The builder reports to you and finishes the run.")?;
    stage.run(
        BUILDER,
        "bugle say '@human The shop now reads its prices from data/prices.csv.'",
        0,
        Show::Whole,
    )?;
    let last = stage.data(BUILDER, &format!("bugle step {run} --json"), "")?;
    let end = format!("{} --format text", text(&last["data"], &["command"])?);
    stage.run(BUILDER, &end, 0, Show::Whole)?;

    stage.tell("The builder closes the task, and its session ends.")?;
    stage.run(BUILDER, &format!("bugle task done {task}"), 0, Show::Whole)?;
    end_session(stage)?;
    stage.run("you", "bugle task list", 0, Show::Whole)?;
    stage.run("you", "bugle agent list", 0, Show::Whole)?;

    stage.tell("Bugle has recorded the run, the wake-ups and the messages.")?;
    stage.run("you", &format!("bugle run show {run}"), 0, Show::Beginning(14))?;
    stage.run("you", "bugle wakeup list", 0, Show::Whole)?;
    stage.run("you", "bugle message list", 0, Show::Whole)?;
    stage.pause()?;
    print(
        "\nYou saw one refusal (an incomplete result), one finding that was fixed (the separator),\n\
         and one compaction that the builder survived with Bugle's wake-up.\n",
    )
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
    write(
        &stage.project().join("data/prices.csv"),
        include_str!("shop/prices.csv"),
    )?;
    // The story starts the supervisor itself, to show what a supervisor does.
    write(&stage.home().join("config.yaml"), "supervisor: by-hand\n")?;
    stage.program(CLIENT.as_str(), include_str!("claude.sh"))
}

/// The builder writes the code that reads the price list.
fn write_code(stage: &Stage, separator: char) -> Result<(), AppError> {
    let code = include_str!("shop/prices.py").replace("\",\"", &format!("\"{separator}\""));
    write(&stage.project().join("src/prices.py"), &code)?;
    print("\n    (wrote src/prices.py)\n")
}

/// The string at a path in an answer.
fn text(answer: &Value, path: &[&str]) -> Result<String, AppError> {
    let found = path.iter().fold(answer, |value, name| &value[*name]);
    found
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| AppError::System(format!("no {} in {answer}", path.join("."))))
}

/// Reports a result for the builder's current step. Returns that step.
fn report_result(stage: &Stage, result: &Value, wanted: i32, show: Show) -> Result<Value, AppError> {
    let step = stage.data(BUILDER, "bugle step --json", "")?["data"].clone();
    let file = text(&step, &["result", "file"])?;
    write(Path::new(&file), &result.to_string())?;
    print(&format!("\n    (wrote {result} to the step's result file)\n"))?;
    let command = format!("{} --format text", text(&step, &["command"])?);
    stage.run(BUILDER, &command, wanted, show)?;
    Ok(step)
}

/// The reviewer, a sub-agent with its own run, reports these findings. Then the builder finishes the gate.
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
    let count = match findings.len() {
        0 => "no findings".to_owned(),
        count => counted(count, "finding"),
    };
    print(&format!(
        "\n    (wrote a report with {count} to the step's result file)\n"
    ))?;
    let report = format!("{} --format text", text(&step, &["command"])?);
    stage.run("reviewer", &report, 0, Show::Whole)?;
    let decide = format!("{} --format text", text(&gate, &["command"])?);
    stage.run(BUILDER, &decide, 0, Show::Whole)?;
    Ok(())
}

/// Calls the client's hook for the end of a session.
fn end_session(stage: &Stage) -> Result<(), AppError> {
    let line = &format!("bugle hook SessionEnd --client {}", CLIENT.as_str());
    print(&format!("\n{BUILDER}$ {line}    (called by the client)\n"))?;
    let event = json!({
        "session_id": BUILDER, "cwd": stage.project(), "hook_event_name": "SessionEnd", "reason": "other",
    });
    stage.answer(BUILDER, line, &event.to_string()).map(|_| ())
}

/// Calls the client's hook after a compaction, and prints the context that the hook adds.
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
