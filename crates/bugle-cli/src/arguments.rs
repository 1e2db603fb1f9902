//! What can be said on the command line. The comments are the help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::arguments_agent::{AgentCommand, AgentsArguments, TopArguments};
use crate::arguments_mcp::McpArguments;
use crate::arguments_message::{
    AnswerArguments, ChannelArguments, InboxArguments, MessagesArguments, SayArguments, SearchArguments,
};
use crate::arguments_project::ProjectCommand;
use crate::arguments_role::RoleCommand;
use crate::arguments_setup::{DoctorArguments, HookArguments, PluginCommand, SetupArguments};
use crate::arguments_spawn::{
    AgentArguments, KillArguments, LogsArguments, PromptArguments, RecoverArguments, SpawnArguments,
    UpArguments,
};
use crate::arguments_task::{PlanCommand, TaskCommand};
use crate::arguments_ui::UiArguments;
use crate::arguments_wake::{BriefArguments, WakeArguments, WakeupCommand, WakeupsArguments};

/// Keeps coding agents on course: skills as workflows an agent cannot skip, and state it cannot forget
#[derive(Debug, Parser)]
#[command(
    name = "bugle",
    version,
    arg_required_else_help = true,
    infer_subcommands = false
)]
pub(crate) struct Arguments<C: Subcommand = Command> {
    /// Answer with one JSON document
    #[arg(long, global = true)]
    pub json: bool,
    /// Act as if run in this folder
    #[arg(short = 'C', global = true, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    #[command(subcommand)]
    pub command: C,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start a skill, or a sub-agent's part of one, and print its first step
    Start(StartArguments),
    /// End a step and print the next one
    Done(DoneArguments),
    /// Print the current step again
    Step(StepArguments),
    /// Answer the question that a run waits on, or decide about a review
    Decide(DecideArguments),
    /// Have a sub-agent that stopped started anew, with the answer to what it asked
    Retry(RetryArguments),
    /// Show what a review found
    Findings(StepArguments),
    /// Take findings of a review as risks, so that they no longer block; for the user
    Accept(AcceptArguments),
    /// Keep a note with the current step
    Note(NoteArguments),
    /// List the runs of this project
    Runs(RunsArguments),
    /// Show a run and everything that happened to it
    Show(RunArguments),
    /// Put a run aside
    Pause(ReasonArguments),
    /// Take a run up again, from whichever session has it, and print its current step
    Resume(StepArguments),
    /// Give a run up; its history stays
    Cancel(ReasonArguments),
    /// Make a visit anew; what came after it stays in the history
    Rewind(VisitArguments),
    /// Start a new run that begins where another one entered a visit
    Fork(VisitArguments),
    /// Move a run to the version of its skill that is installed now
    Upgrade(StepArguments),
    /// Keep the tree of tasks: what is to be done, where work stands, what comes next
    #[command(subcommand)]
    Task(TaskCommand),
    /// Take Markdown plans into the tree of tasks
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Say something to those who are mentioned in it: @agent, @branch:agent, @project:branch:agent, @all, @human
    Say(SayArguments),
    /// Ask those who are mentioned, and be blocked until one of them answers
    Ask(SayArguments),
    /// Answer a question
    Answer(AnswerArguments),
    /// Show what you were told: what you have not read first, which then counts as read
    Inbox(InboxArguments),
    /// Show what was said on a branch
    Channel(ChannelArguments),
    /// Show what was said in this project
    Messages(MessagesArguments),
    /// Look for words in messages, notes and results of this project
    Search(SearchArguments),
    /// List the agents by project and branch, with how each stands
    Agents(AgentsArguments),
    /// Watch channels, agents and runs in the terminal, and say something yourself
    Top(TopArguments),
    /// Show, name and put aside agents
    #[command(subcommand)]
    Agent(AgentCommand),
    /// Print what an agent needs to go on: where it stands, its step, tasks, skill and messages, within a budget
    Wake(WakeArguments),
    /// Print what a sub-agent needs for one task: its role, the task word for word, what holds for all, the report it owes
    Brief(BriefArguments),
    /// List the wake-ups that were given
    Wakeups(WakeupsArguments),
    /// Show and compare wake-ups that were given
    #[command(subcommand)]
    Wakeup(WakeupCommand),
    /// Look after agents: wake those who are spoken to, watch those at work, start those again that died
    Up(UpArguments),
    /// Start an agent for a task and print its answer; --detach does not wait
    Spawn(SpawnArguments),
    /// Wake an agent now, with something to do
    Prompt(PromptArguments),
    /// Start an agent anew that died, or whose session is gone, with what it left
    Recover(RecoverArguments),
    /// Stop the turn of an agent; its session can be taken up again
    Interrupt(AgentArguments),
    /// End the process of an agent and all that it started
    Kill(KillArguments),
    /// Show what an agent did
    Logs(LogsArguments),
    /// Print the last answer of an agent, alone
    Result(AgentArguments),
    /// Open the session of an agent in its client
    Attach(AgentArguments),
    /// Show runs, tasks, agents and what was said on a live page in the browser, on this machine only
    Ui(UiArguments),
    /// Serve MCP clients: the use cases as tools, with the same answers
    Mcp(McpArguments),
    /// List, check, draw, write and test skills
    #[command(subcommand)]
    Skill(SkillCommand),
    /// List and show the conventions that steps can ask for
    #[command(subcommand)]
    Convention(ConventionCommand),
    /// List and show the roles that steps give out, and export them as a client's agents
    #[command(subcommand)]
    Role(RoleCommand),
    /// Set a client up: hooks, MCP server, skills and agents; or check that, or take it out again
    Setup(SetupArguments),
    /// Answer a hook of a client, whose words are read from the standard input; never fails
    Hook(HookArguments),
    /// Print a line for Claude Code's status: the run, its step, the task, unread messages
    Statusline,
    /// Look whether Bugle and the clients get along, and say what would mend what is wrong
    Doctor(DoctorArguments),
    /// Play a whole story in a scratch project: a workflow, a gate that fails, a compaction, two agents that talk
    Demo(DemoArguments),
    /// Build plugins for clients
    #[command(subcommand)]
    Plugin(PluginCommand),
    /// Trust the commands of a project's skill, as it is now (user only)
    Trust(TrustArguments),
    /// List projects, and move or merge them when a folder was moved and not found again
    #[command(subcommand)]
    Project(ProjectCommand),
    /// Look after the store
    #[command(subcommand)]
    Store(StoreCommand),
    /// Print completions for a shell
    Completions(CompletionArguments),
    /// Write the manual pages into a folder
    Man(ManArguments),
}

/// The form of an answer
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FormatChoice {
    /// For agents; what is printed unless the output is a terminal
    Xml,
    /// For people; what is printed on a terminal
    Text,
    /// For programs
    Json,
    /// Markdown
    Md,
}

#[derive(Debug, Args)]
pub(crate) struct FormatArgument {
    /// The form of the answer
    #[arg(long, value_enum)]
    pub format: Option<FormatChoice>,
}

#[derive(Debug, Args)]
pub(crate) struct StartArguments {
    /// The skill; `bugle skill list` shows what there is
    #[arg(required_unless_present = "child", conflicts_with = "child")]
    pub skill: Option<String>,
    /// What it is started with, as name=value
    #[arg(value_name = "NAME=VALUE", conflicts_with = "child")]
    pub params: Vec<String>,
    /// A sub-agent's part, as the step that called for it printed it; run again, it goes on where it stands
    #[arg(long, value_name = "RUN#VISIT/NUMBER", conflicts_with = "params_file")]
    pub child: Option<String>,
    /// Read params from a file with a JSON object; - is standard input
    #[arg(long, value_name = "FILE")]
    pub params_file: Option<PathBuf>,
    #[command(flatten)]
    pub format: FormatArgument,
}

#[derive(Debug, Args)]
pub(crate) struct DoneArguments {
    /// The visit that is over, as the step printed it
    pub visit: String,
    /// The result as JSON, as @FILE, or - for standard input; without this, it is read from the file that the step named
    #[arg(long, value_name = "JSON")]
    pub result: Option<String>,
    /// Report that the step cannot be done; without a reason, it is read from the file that the step named
    #[arg(long, value_name = "REASON", num_args = 0..=1, conflicts_with = "result")]
    #[expect(
        clippy::option_option,
        reason = "absent, given without a reason, given with one: three different things"
    )]
    pub fail: Option<Option<String>>,
    /// End the step although sub-agents have open questions; these count as not done
    #[arg(long, conflicts_with_all = ["result", "fail", "escalate"])]
    pub unanswered: bool,
    /// Stop a sub-agent and return its work to the agent that started it; the reason is read from the file that the step named
    #[arg(long, value_enum, value_name = "KIND", conflicts_with_all = ["result", "fail"])]
    pub escalate: Option<EscalationChoice>,
    /// The reason, for --escalate
    #[arg(long, value_name = "TEXT", requires = "escalate")]
    pub why: Option<String>,
    /// Keep a note with the visit
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    #[command(flatten)]
    pub format: FormatArgument,
}

/// Why a sub-agent passes its work back
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EscalationChoice {
    /// Something stands in the way
    Blocked,
    /// Somebody has to decide
    #[value(name = "needs_decision")]
    NeedsDecision,
    /// Too much is unclear to go on
    Uncertainty,
}

#[derive(Debug, Args)]
pub(crate) struct RetryArguments {
    /// The sub-agent, as run#visit/number
    pub child: String,
    /// The answer to what it stopped at; without it, it is read from the file that the step named
    #[arg(long, value_name = "TEXT")]
    pub answer: Option<String>,
    #[command(flatten)]
    pub format: FormatArgument,
}

#[derive(Debug, Args)]
pub(crate) struct AcceptArguments {
    /// The visit of the review, as run#visit
    pub visit: String,
    /// The numbers of the findings, as `bugle findings` counts them
    #[arg(required = true, value_name = "NUMBER")]
    pub findings: Vec<u32>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub why: String,
}

#[derive(Debug, Args)]
pub(crate) struct StepArguments {
    /// The run, or the beginning of its id; without it, the one that is open here
    pub run: Option<String>,
    #[command(flatten)]
    pub format: FormatArgument,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The run, or the beginning of its id; without it, the one that is open here
    pub run: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReasonArguments {
    /// The run, or the beginning of its id; without it, the one that is open here
    pub run: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub why: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DecideArguments {
    /// The run or the visit that asks
    pub run: String,
    /// The answer; without it, it is read from the file that the step named
    pub answer: Option<String>,
    /// The reason of a decision about a review; without it, it is read from the file that the step named
    #[arg(long, value_name = "TEXT")]
    pub why: Option<String>,
    #[command(flatten)]
    pub format: FormatArgument,
}

#[derive(Debug, Args)]
pub(crate) struct NoteArguments {
    /// What is worth keeping
    pub text: String,
    /// The run; without it, the one that is open here
    #[arg(long)]
    pub run: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RunsArguments {
    /// The runs of all projects
    #[arg(long)]
    pub all: bool,
    /// Only runs that can still go on
    #[arg(long)]
    pub open: bool,
    /// How many are listed at most
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub limit: u32,
}

#[derive(Debug, Args)]
pub(crate) struct VisitArguments {
    /// The visit, as run#number
    pub visit: String,
    #[command(flatten)]
    pub format: FormatArgument,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SkillCommand {
    /// List every skill that can be found from here
    List,
    /// Show a skill: what it takes, its steps
    Show(SkillName),
    /// Check skills against every rule
    Check(CheckArguments),
    /// Draw a skill's workflow
    Graph(GraphArguments),
    /// Make a new skill that works
    New(NewArguments),
    /// Copy a built-in skill to where it can be changed
    Eject(NewArguments),
    /// Print a step as an agent would see it, with made-up values
    Preview(PreviewArguments),
    /// Print the JSON Schema of workflow.yaml
    Schema,
    /// Walk every path of a skill with made-up results
    Test(CheckArguments),
    /// Trust the commands of a project's skill, as it is now (user only)
    Trust(SkillName),
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct TrustArguments {
    /// The skill's name, or a path to it
    #[arg(required = true)]
    pub name: Option<String>,
    #[command(subcommand)]
    pub command: Option<TrustCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// List trusted skills: version, by whom, since when, whether it is the installed version
    List,
    /// Revoke trust in a skill; running runs lose it too
    Revoke {
        /// The skill's name, or the beginning of a version
        skill: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SkillName {
    /// The skill's name, or a path to it
    pub name: String,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The skill's name, or a path to it; without it, every skill with a workflow
    pub name: Option<String>,
}

/// How a workflow is drawn
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// With lines, for a terminal
    Terminal,
    /// As a picture
    Svg,
    /// As Mermaid text
    Mermaid,
    /// As Graphviz text
    Dot,
}

#[derive(Debug, Args)]
pub(crate) struct GraphArguments {
    /// The skill's name, or a path to it
    pub name: String,
    /// How it is drawn
    #[arg(long, value_enum, default_value_t = GraphFormat::Terminal)]
    pub format: GraphFormat,
}

#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// The skill's name
    pub name: String,
    /// Into the user's skills, for all projects, instead of this project's
    #[arg(long)]
    pub user: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PreviewArguments {
    /// The skill's name, or a path to it
    pub name: String,
    /// The step; without it, the first one
    #[arg(long, value_name = "ID")]
    pub step: Option<String>,
    /// Of this workflow of a sub-agent, such as agents/explore.yaml
    #[arg(long, value_name = "FILE")]
    pub child: Option<String>,
    #[command(flatten)]
    pub format: FormatArgument,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConventionCommand {
    /// List every convention with its sections
    List,
    /// Show a convention, or one section as name#section
    Show(ConventionName),
}

#[derive(Debug, Args)]
pub(crate) struct ConventionName {
    /// The convention's name, perhaps with #section
    pub name: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Check hash chains and replay everything through the rules; changes nothing
    Verify,
    /// Upgrade a store that an older version wrote, after a backup
    Migrate,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionArguments {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// The folder to write to
    pub folder: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Keep what it made in this folder, which must not be there yet
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
    /// Then open the page on it, until Ctrl-C
    #[arg(long)]
    pub page: bool,
}
