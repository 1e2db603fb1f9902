//! Hooks of a client.

mod same_time;
mod several_runs;
mod stop;
mod subagent_sessions;

use bugle_app::RunSelector;
use bugle_core::engine::RunStatus;
use bugle_core::reply::StepView;
use serde_json::{Value, json};

use crate::project::Project;
use crate::reviewed::step;

/// A step that allows no changes, followed by a step that allows all changes.
pub(crate) const GUARDED: &str =
    include_str!("../../../../bugle-cli/tests/it/support/workflows/guarded.yaml");

/// A question with choices, a question with a free answer, and a step that can fail.
const ASKING: &str = include_str!("../../../../bugle-cli/tests/it/support/workflows/asking.yaml");

/// A step that one sub-agent does.
const SENDING: &str = "version: 1
steps:
  send:
    title: Send an explorer
    do: Look at it.
    dispatch: { role: explore }
    next: end
";

const SESSION: &str = "session-one";

/// A project with a run of this workflow that the acting session has started.
fn in_session(name: &str, workflow: &str) -> (Project, StepView) {
    let mut project = Project::new();
    project.write_skill(name, workflow);
    project.act_as(Some(SESSION));
    let first = project.start_skill(name);
    (project, first)
}

/// The result of the guarded step.
fn seen() -> Value {
    json!({ "seen": "all" })
}

impl Project {
    /// Why a tool is denied; empty if it is allowed.
    #[track_caller]
    pub(crate) fn denied(&mut self, tool: &str, input: &Value) -> String {
        self.denied_to(None, tool, input)
    }

    /// Why a tool is denied to a sub-agent, or to the main thread if `None`; empty if it is allowed.
    #[track_caller]
    fn denied_to(&mut self, agent: Option<&str>, tool: &str, input: &Value) -> String {
        let mut facts = json!({ "tool_name": tool, "tool_input": input });
        if let Some(agent) = agent {
            facts["agent_id"] = json!(agent);
            facts["agent_type"] = json!("general-purpose");
        }
        self.hook("PreToolUse", &facts).deny.unwrap_or_default()
    }

    #[track_caller]
    fn status_of_step(&mut self, at: &StepView) -> RunStatus {
        self.show_run(at).summary.position.status
    }

    /// Stops four times: three times the agent continues with a text about the step, then it may stop.
    #[track_caller]
    fn stop_until_released(&mut self, about: &str) {
        for attempt in 0..3 {
            let text = if attempt == 0 {
                self.stop()
            } else {
                self.stop_again()
            };
            let text = text.unwrap_or_default();
            assert!(text.contains(about), "{attempt}: {text}");
        }
        assert_eq!(self.stop_again(), None, "the agent may stop");
    }

    #[track_caller]
    fn resumed(&mut self, at: &StepView) -> StepView {
        let run = RunSelector::Run(at.position.run.clone());
        step(self.resume(&run))
    }
}
