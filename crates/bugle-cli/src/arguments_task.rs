//! What can be said about tasks and plans. The comments are the help.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    /// Add one task or several
    Add(AddArguments),
    /// Show the tasks as a tree
    List(ListArguments),
    /// Show a task and where it stands
    Show(ShowArguments),
    /// Begin a task, and print what is needed to do it
    Start(StartTaskArguments),
    /// Say that a task is done; the answer says what comes next
    Done(DoneTaskArguments),
    /// Leave a task out, with everything in it
    Skip(SkipArguments),
    /// Say that a task could not be finished
    Fail(WhyArguments),
    /// Say that somebody else has to act before a task can go on
    Block(WhyArguments),
    /// Open a closed task again, let go of one, or put back one that was taken out
    Reopen(TaskArgument),
    /// Keep a note with a task; earlier notes stay
    Note(TaskNoteArguments),
    /// Give a task another title, or another skill
    Edit(EditArguments),
    /// Move a task, with everything in it
    Move(MoveArguments),
    /// Have a task wait for others
    Depend(DependArguments),
    /// Give a task to somebody
    Assign(AssignArguments),
    /// Take a task out of the tree, with everything in it; its history stays
    Rm(TaskArgument),
    /// Print where work stands: the task to do now, its skill, the commands that go on
    Next(ForAgentArguments),
    /// List what can start where work stands; if nothing can there, in the whole project
    Ready(ReadyArguments),
    /// Take the first task that can start, so that nobody else gets it, and print what is needed to do it
    Claim(ForAgentArguments),
    /// Say which skill applies to a task, and why
    Skill(TaskSkillArguments),
}

#[derive(Debug, Args)]
pub(crate) struct TaskArgument {
    /// The task, or the beginning of its id
    pub task: String,
}

#[derive(Debug, Args)]
pub(crate) struct ScopeArguments {
    /// Only in this task or plan; without it, where this session or project worked last
    #[arg(value_name = "TASK|PLAN")]
    pub within: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AddArguments {
    /// What is to be done, one task each
    #[arg(required = true, value_name = "TITLE")]
    pub titles: Vec<String>,
    /// Inside this task
    #[arg(long, value_name = "TASK")]
    pub under: Option<String>,
    #[command(flatten)]
    pub beside: BesideArguments,
    /// The skill to use for it
    #[arg(long)]
    pub skill: Option<String>,
    /// Who it is given to
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// A task it has to wait for; may be said several times
    #[arg(long, value_name = "TASK")]
    pub waits_for: Vec<String>,
    /// Keep a note with it
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
}

#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct BesideArguments {
    /// Right before this task
    #[arg(long, value_name = "TASK")]
    pub before: Option<String>,
    /// Right behind this task
    #[arg(long, value_name = "TASK")]
    pub after: Option<String>,
    /// Before all its siblings
    #[arg(long)]
    pub first: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Only this task or plan and what lies in it
    #[arg(value_name = "TASK|PLAN")]
    pub within: Option<String>,
    /// Also trees that are closed as a whole
    #[arg(long)]
    pub all: bool,
    /// What was taken out of the tree instead; `reopen` puts it back
    #[arg(long, conflicts_with_all = ["within", "all"])]
    pub removed: bool,
    /// How many lines at most
    #[arg(long, value_name = "NUMBER", default_value_t = 300)]
    pub limit: u32,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// The task, or the beginning of its id
    pub task: String,
    /// With all notes, what lies in it, the plan's text and all that happened
    #[arg(long)]
    pub full: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StartTaskArguments {
    /// The task, or the beginning of its id
    pub task: String,
    /// Who begins it; without it, this session or person
    #[arg(long = "as", value_name = "NAME")]
    pub agent: Option<String>,
    /// Even if somebody else is at it
    #[arg(long)]
    pub take_over: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DoneTaskArguments {
    /// The task, or the beginning of its id
    pub task: String,
    /// Keep a note with it: what later tasks should know
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SkipArguments {
    /// The task, or the beginning of its id
    pub task: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub why: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct WhyArguments {
    /// The task, or the beginning of its id
    pub task: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub why: String,
}

#[derive(Debug, Args)]
pub(crate) struct TaskNoteArguments {
    /// The task, or the beginning of its id
    pub task: String,
    /// What is worth keeping
    pub text: String,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct EditChoices {
    /// Its new title
    #[arg(long)]
    pub title: Option<String>,
    /// The skill to use for it
    #[arg(long)]
    pub skill: Option<String>,
    /// No skill of its own any more
    #[arg(long, conflicts_with = "skill")]
    pub no_skill: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EditArguments {
    /// The task, or the beginning of its id
    pub task: String,
    #[command(flatten)]
    pub choices: EditChoices,
}

#[derive(Debug, Args)]
#[group(id = "where", required = true, multiple = true)]
pub(crate) struct MoveChoices {
    /// Into this task, behind what is there
    #[arg(long, value_name = "TASK", conflicts_with_all = ["top", "before", "after"])]
    pub under: Option<String>,
    /// To the top, behind all others
    #[arg(long, conflicts_with_all = ["before", "after", "first"])]
    pub top: bool,
    /// Right before this task
    #[arg(long, value_name = "TASK", conflicts_with_all = ["after", "first"])]
    pub before: Option<String>,
    /// Right behind this task
    #[arg(long, value_name = "TASK", conflicts_with = "first")]
    pub after: Option<String>,
    /// Before all its siblings; with --under, before what is there
    #[arg(long)]
    pub first: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MoveArguments {
    /// The task, or the beginning of its id
    pub task: String,
    #[command(flatten)]
    pub to: MoveChoices,
}

#[derive(Debug, Args)]
pub(crate) struct DependArguments {
    /// The task that waits
    pub task: String,
    /// What it waits for
    #[arg(required = true, value_name = "ON")]
    pub on: Vec<String>,
    /// Remove the dependencies instead; also frees a task from the order of its plan (user only)
    #[arg(long)]
    pub no_more: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AssignArguments {
    /// The task, or the beginning of its id
    pub task: String,
    /// Who it is given to
    #[arg(
        required_unless_present = "nobody",
        conflicts_with = "nobody",
        value_name = "NAME"
    )]
    pub agent: Option<String>,
    /// To nobody
    #[arg(long)]
    pub nobody: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReadyArguments {
    #[command(flatten)]
    pub scope: ScopeArguments,
    /// How many at most
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub limit: u32,
}

#[derive(Debug, Args)]
pub(crate) struct ForAgentArguments {
    #[command(flatten)]
    pub scope: ScopeArguments,
    /// For whom; without it, this session or person
    #[arg(long = "as", value_name = "NAME")]
    pub agent: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct TaskSkillArguments {
    /// The task, or the beginning of its id
    pub task: String,
    /// For whoever has this role
    #[arg(long)]
    pub role: Option<String>,
    /// Print the skill's text instead, in the version that the work keeps to
    #[arg(long)]
    pub text: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// Take a Markdown plan into the tree of tasks, or bring its tasks up to date after an edit
    Import(ImportArguments),
    /// List the plans of this project
    List,
    /// Show a plan with its tasks
    Show(PlanArgument),
    /// Print one task's text, exactly as the plan has it
    Section(SectionArguments),
    /// Have a plan keep to the versions of its skills that are installed now
    UpgradeSkills(ScopeArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The plan's file
    pub file: PathBuf,
    /// Inside this task
    #[arg(long, value_name = "TASK")]
    pub under: Option<String>,
    /// Close the tasks whose boxes are all ticked, or whose heading says that they are done
    #[arg(long)]
    pub trust_checkboxes: bool,
    /// The plan that this one was before its file got another name
    #[arg(long, value_name = "PLAN")]
    pub was: Option<String>,
    /// Take tasks out of the tree that the file no longer has, even if somebody is at them
    #[arg(long)]
    pub drop_active: bool,
    /// It is another plan, even if it looks like one whose file got another name
    #[arg(long = "new", conflicts_with = "was")]
    pub another: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgument {
    /// The plan's id or file; without it, the one that is worked on here
    #[arg(value_name = "PLAN|FILE")]
    pub plan: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SectionArguments {
    /// The plan's file or id
    #[arg(value_name = "FILE|PLAN")]
    pub plan: String,
    /// The task's number, as the plan writes it
    pub number: String,
}
