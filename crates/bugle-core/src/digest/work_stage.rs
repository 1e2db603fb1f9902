//! Derives the stage of an agent's work from its position.

use super::stage::{Stage, StageReason, StepKind, WorkStage};
use crate::role::AgentRole;
use crate::skill_selection::undecorated;

/// The facts that determine the stage of an agent's work.
#[derive(Debug, Clone, Copy, Default)]
pub struct WorkPosition<'a> {
    /// The task's title.
    pub title: &'a str,
    /// The open tasks beside the task, in order.
    pub open_beside: &'a [&'a str],
    /// What kind of step the agent's run is at, if that determines the stage.
    pub step: Option<StepKind>,
    /// The title of the step, if the agent has a run.
    pub step_title: Option<&'a str>,
    /// The agent's role.
    pub role: Option<AgentRole>,
    /// Whether the skill is about giving work to sub-agents.
    pub delegates: bool,
}

/// The stage of the agent's work: first from the run's step, then from a role that does one kind of work, then from
/// the title of the task and the tasks beside it, then from the step's title. `None` if nothing names a stage.
pub fn work_stage(position: &WorkPosition<'_>) -> Option<WorkStage> {
    let stage = found_stage(position)?;
    let next = following(stage.now, position);
    Some(WorkStage { next, ..stage })
}

fn found_stage(position: &WorkPosition<'_>) -> Option<WorkStage> {
    if let Some(step) = position.step {
        let now = match step {
            StepKind::Asks => Stage::Ask,
            StepKind::Dispatches => Stage::Dispatch,
            StepKind::Reviews => Stage::Review,
            StepKind::Reworks => Stage::Fix,
        };
        return Some(stage(now, StageReason::Step { step }));
    }
    let of_role = position.role.and_then(|role| Some((role, only_stage(role)?)));
    if let Some((role, now)) = of_role {
        return Some(stage(now, StageReason::Role { role }));
    }
    if let Some((now, word)) = titled(position.title) {
        return Some(stage(delegated(now, position), StageReason::Title { word }));
    }
    if let Some((now, word)) = position.step_title.and_then(titled) {
        return Some(stage(delegated(now, position), StageReason::StepTitle { word }));
    }
    if let Some(title) = position.open_beside.iter().find(|title| is_review(title)) {
        let reason = StageReason::OpenTask {
            title: (*title).to_owned(),
        };
        return Some(stage(delegated(Stage::Implement, position), reason));
    }
    let role = position.role?;
    let now = match role {
        AgentRole::Developer => Stage::Implement,
        AgentRole::Orchestrator => delegated(Stage::Implement, position),
        _ => return None,
    };
    Some(stage(now, StageReason::Role { role }))
}

fn stage(now: Stage, reason: StageReason) -> WorkStage {
    WorkStage {
        now,
        next: Vec::new(),
        reason,
    }
}

/// The stage of a role that does only one kind of work.
fn only_stage(role: AgentRole) -> Option<Stage> {
    match role {
        AgentRole::QualityReviewer => Some(Stage::Review),
        AgentRole::TechnicalWriter => Some(Stage::Write),
        AgentRole::Architect => Some(Stage::Plan),
        AgentRole::Debugger => Some(Stage::Debug),
        AgentRole::Explore => Some(Stage::Research),
        AgentRole::Orchestrator | AgentRole::Developer | AgentRole::GeneralPurpose => None,
    }
}

/// Implementing means dispatching for an orchestrator, and for any agent but a developer whose skill delegates.
fn delegated(now: Stage, position: &WorkPosition<'_>) -> Stage {
    let sends = match position.role {
        Some(AgentRole::Developer) => false,
        Some(AgentRole::Orchestrator) => true,
        _ => position.delegates,
    };
    if now == Stage::Implement && sends {
        Stage::Dispatch
    } else {
        now
    }
}

/// The stages that follow before the task is done.
fn following(now: Stage, position: &WorkPosition<'_>) -> Vec<Stage> {
    match now {
        Stage::Dispatch => vec![Stage::Review, Stage::Fix],
        Stage::Implement if position.open_beside.iter().any(is_review) => {
            vec![Stage::Test, Stage::Review, Stage::Fix]
        }
        Stage::Implement => vec![Stage::Test],
        Stage::Review if position.delegates => vec![Stage::Fix],
        Stage::Fix => vec![Stage::Implement, Stage::Test],
        // Delivered work is described.
        Stage::Finish => vec![Stage::Write],
        _ => Vec::new(),
    }
}

fn is_review(title: &&str) -> bool {
    titled(title).is_some_and(|(stage, _)| stage == Stage::Review)
}

/// Words that name a stage wherever they are in a title: what the work is about decides, not its verb.
const SUBJECTS: &[(Stage, &str)] = &[
    (
        Stage::Debug,
        "root cause hypothesis hypotheses flaky why reproduce",
    ),
    (Stage::Finish, "mortem"),
];

/// Words that name a stage as the first such word of a title.
const VERBS: &[(Stage, &str)] = &[
    (
        Stage::Ask,
        "ask clarify interview brainstorm approve propose discuss",
    ),
    (
        Stage::Research,
        "research explore gather study analyze analyse understand survey read collect inventory find search identify locate",
    ),
    (
        Stage::Plan,
        "plan design outline scope split architect chart decide brainstorming",
    ),
    (
        Stage::SetUp,
        "setup install initialize initialise scaffold configure bootstrap prepare",
    ),
    (Stage::Dispatch, "dispatch delegate spawn orchestrate assign"),
    (
        Stage::Implement,
        "implement implementation add build code refactor develop create migrate rename remove delete replace support extend \
         execute introduce extract make port",
    ),
    (
        Stage::Debug,
        "debug debugging diagnose investigate trace bisect instrument minimise minimize cause",
    ),
    (
        Stage::Test,
        "test verify validate confirm measure benchmark check run",
    ),
    (
        Stage::Review,
        "review audit critique inspect grade judge assess rereview",
    ),
    (
        Stage::Fix,
        "fix address answer respond reply resolve rework repair improve revise correct reduce iterate",
    ),
    (Stage::Write, "write draft document describe"),
    (
        Stage::Finish,
        "finish complete merge publish release ship deploy package deliver hand open close wrap land report clean cleanup",
    ),
];

/// Verbs that only say that something is made or carried out, and the words that then say what.
const MADE: &[(&str, &[(Stage, &str)])] = &[
    (
        "write create add make prepare draft",
        &[
            (Stage::Test, "test tests testing benchmark"),
            (Stage::Plan, "plan"),
            (Stage::SetUp, "workspace worktree environment"),
            (
                Stage::Implement,
                "code harness module function script parser command schema",
            ),
            (
                Stage::Write,
                "document documentation doc report guide readme note skill changelog",
            ),
        ],
    ),
    ("set", &[(Stage::SetUp, "up")]),
    ("find", &[(Stage::Debug, "out cause bug leak")]),
    ("confirm present show", &[(Stage::Ask, "user")]),
    (
        "final quality spec code security",
        &[(Stage::Review, "review"), (Stage::Test, "check checks")],
    ),
];

/// The stage that a title names, and the word that names it.
fn titled(title: &str) -> Option<(Stage, String)> {
    let words = words(undecorated(title));
    let within = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    let subject = SUBJECTS.iter().find_map(|(stage, list)| {
        let word = words.iter().find(|word| within(list, word))?;
        Some((*stage, word.clone()))
    });
    if subject.is_some() {
        return subject;
    }
    let mut verb = None;
    for (at, word) in words.iter().enumerate() {
        let rest = &words[at + 1..];
        let made = MADE.iter().filter(|(verbs, _)| within(verbs, word));
        let object = made
            .flat_map(|(_, objects)| objects.iter())
            .find_map(|(stage, list)| {
                let object = rest.iter().find(|word| within(list, word))?;
                Some((*stage, object.clone()))
            });
        if object.is_some() {
            return object;
        }
        verb = VERBS
            .iter()
            .find(|(_, list)| within(list, word))
            .map(|(stage, _)| (*stage, word.clone()));
        if verb.is_some() {
            break;
        }
    }
    verb
}

/// The words of a title in lower case.
fn words(title: &str) -> Vec<String> {
    title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
