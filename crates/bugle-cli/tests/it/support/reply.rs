//! The program's XML output for agents, parsed.

use std::path::PathBuf;

use roxmltree::{Document, Node};

/// The output of a run command.
#[derive(Debug)]
pub(crate) enum Shown {
    Step(Box<Step>),
    End(End),
    LastWord(LastWord),
    Refused(Refused),
}

/// The parts of a step that an agent needs.
#[derive(Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_field_names,
    reason = "the fields are called what the printed attributes are called"
)]
pub(crate) struct Step {
    pub(crate) skill: String,
    pub(crate) run: String,
    pub(crate) visit: String,
    pub(crate) step: String,
    pub(crate) title: String,
    pub(crate) action: String,
    pub(crate) notices: Vec<String>,
    pub(crate) checks: Vec<String>,
    pub(crate) result_file: Option<PathBuf>,
    pub(crate) question: Option<String>,
    pub(crate) choices: Vec<Choice>,
    pub(crate) answer_file: Option<PathBuf>,
    pub(crate) failure: Option<(String, PathBuf)>,
    pub(crate) command: Option<String>,
    /// The previous gate's verdict: status and sentence.
    pub(crate) verdict: Option<(String, String)>,
    /// The review loop: its iteration, and whether this step reviews or reworks.
    pub(crate) banner: Option<(u32, String)>,
    /// The commands that start sub-agents.
    pub(crate) starts: Vec<String>,
    /// Whether the step dispatches sub-agents.
    pub(crate) dispatches: bool,
    /// The state of each started sub-agent.
    pub(crate) children: Vec<String>,
    /// The findings to fix: element, problem, action, and the number of reviews that found each.
    pub(crate) open_findings: Vec<(String, String, String, u32)>,
    /// The checks that a review must cover.
    pub(crate) fixed_checks: Vec<String>,
    /// The commands that escalate, and the file for the reason.
    pub(crate) escalations: Vec<Choice>,
    pub(crate) escalation_file: Option<PathBuf>,
    /// The file for a decision's reason.
    pub(crate) reason_file: Option<PathBuf>,
}

/// The final message of a sub-agent to its orchestrator.
#[derive(Debug)]
pub(crate) struct LastWord {
    pub(crate) verdict: String,
    pub(crate) report: String,
    pub(crate) command: String,
}

/// An answer that a person can choose, and its command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) answer: String,
    pub(crate) command: String,
}

/// The end of a run.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) run: String,
    pub(crate) status: String,
    pub(crate) notices: Vec<String>,
    pub(crate) command: String,
}

/// A refusal.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) reason: String,
    pub(crate) message: String,
    pub(crate) details: Vec<String>,
    pub(crate) outline: Option<String>,
    pub(crate) status: Option<String>,
    pub(crate) visit: Option<String>,
    pub(crate) step: Option<String>,
    pub(crate) command: Option<String>,
}

impl Shown {
    #[track_caller]
    pub(crate) fn parse(xml: &str) -> Self {
        let document = Document::parse(xml).unwrap_or_else(|error| panic!("{error}:\n{xml}"));
        let root = document.root_element();
        if root.has_tag_name("refused") {
            return Self::Refused(Refused::read(root));
        }
        if root.has_tag_name("orchestrator_action") {
            let part = |name| child(root, name).map(text).unwrap();
            return Self::LastWord(LastWord {
                verdict: part("verdict"),
                report: part("report"),
                command: part("command"),
            });
        }
        assert!(root.has_tag_name("workflow"), "{xml}");
        match child(root, "run_complete") {
            Some(complete) => Self::End(End::read(root, complete)),
            None => Self::Step(Box::new(Step::read(root))),
        }
    }
}

impl Step {
    fn read(root: Node<'_, '_>) -> Self {
        let header = child(root, "step_header").unwrap();
        let question = child(root, "question_for_user");
        let choices = question
            .into_iter()
            .flat_map(|question| children(question, "choice"));
        Self {
            skill: attribute(header, "skill"),
            run: attribute(header, "visit").split('#').next().unwrap().to_owned(),
            visit: attribute(header, "visit"),
            step: attribute(header, "step"),
            title: text(header),
            action: text(child(root, "current_action").unwrap()),
            notices: children(root, "notice").map(text).collect(),
            checks: child(root, "evidence")
                .into_iter()
                .flat_map(|evidence| children(evidence, "check"))
                .map(text)
                .collect(),
            result_file: child(root, "expected_output").map(|node| attribute(node, "write_json_to").into()),
            question: question
                .and_then(|question| child(question, "question"))
                .map(text),
            choices: choices
                .map(|choice| Choice {
                    answer: attribute(choice, "answer"),
                    command: text(choice),
                })
                .collect(),
            answer_file: question
                .and_then(|question| child(question, "write_answer_to"))
                .map(|node| text(node).into()),
            failure: child(root, "if_impossible")
                .map(|node| (text(node), attribute(node, "write_reason_to").into())),
            command: child(root, "invoke_after").map(text),
            verdict: child(root, "gate_result").map(|node| (attribute(node, "status"), text(node))),
            banner: child(root, "state_banner")
                .filter(|node| node.has_attribute("mode"))
                .map(|node| {
                    let iteration = attribute(node, "iteration").parse().unwrap();
                    (iteration, attribute(node, "mode"))
                }),
            starts: root
                .descendants()
                .filter(|node| node.has_tag_name("start"))
                .map(text)
                .collect(),
            dispatches: child(root, "orchestrator_constraint").is_some(),
            children: child(root, "children")
                .into_iter()
                .flat_map(|node| children(node, "child"))
                .map(text)
                .collect(),
            open_findings: child(root, "open_findings")
                .into_iter()
                .flat_map(|node| children(node, "finding"))
                .map(|node| {
                    let part = |name| child(node, name).map(text).unwrap();
                    let seen = attribute(node, "seen").parse().unwrap();
                    (part("element"), part("problem"), part("action"), seen)
                })
                .collect(),
            fixed_checks: child(root, "verification_checklist")
                .into_iter()
                .flat_map(|node| children(node, "check"))
                .map(text)
                .collect(),
            escalations: child(root, "if_stuck")
                .into_iter()
                .flat_map(|node| {
                    let command = text(node);
                    let printed = command.rsplit(' ').next().unwrap().to_owned();
                    let kinds = attribute(node, "kinds");
                    let choice = |kind: &str| Choice {
                        answer: kind.to_owned(),
                        command: command.replace(&printed, kind),
                    };
                    kinds.split(", ").map(choice).collect::<Vec<_>>()
                })
                .collect(),
            escalation_file: child(root, "if_stuck").map(|node| attribute(node, "write_reason_to").into()),
            reason_file: question
                .and_then(|question| child(question, "write_the_users_reason_to"))
                .map(|node| text(node).into()),
        }
    }

    /// The file for the result.
    #[track_caller]
    pub(crate) fn result_file(&self) -> &PathBuf {
        self.result_file.as_ref().unwrap_or_else(|| panic!("{self:?}"))
    }

    /// The command that ends the step.
    #[track_caller]
    pub(crate) fn command(&self) -> &str {
        self.command.as_deref().unwrap_or_else(|| panic!("{self:?}"))
    }
}

impl End {
    fn read(root: Node<'_, '_>, complete: Node<'_, '_>) -> Self {
        Self {
            run: attribute(complete, "run"),
            status: attribute(complete, "status"),
            notices: children(root, "notice").map(text).collect(),
            command: child(root, "findings_command").map(text).unwrap(),
        }
    }
}

impl Refused {
    fn read(root: Node<'_, '_>) -> Self {
        let position = child(root, "position");
        let at = |name: &str| position.and_then(|position| position.attribute(name).map(str::to_owned));
        Self {
            reason: attribute(root, "reason"),
            message: child(root, "message").map(text).unwrap(),
            details: children(root, "detail").map(text).collect(),
            outline: child(root, "expected_output").map(text),
            status: at("status"),
            visit: at("visit"),
            step: at("step"),
            command: child(root, "invoke_after").map(text),
        }
    }

    /// The command that continues the run.
    #[track_caller]
    pub(crate) fn command(&self) -> &str {
        self.command.as_deref().unwrap_or_else(|| panic!("{self:?}"))
    }
}

fn children<'a, 'input>(node: Node<'a, 'input>, name: &str) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children()
        .filter(move |child| child.has_tag_name(name))
        .collect::<Vec<_>>()
        .into_iter()
}

fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    children(node, name).next()
}

fn attribute(node: Node<'_, '_>, name: &str) -> String {
    node.attribute(name)
        .unwrap_or_else(|| panic!("no attribute {name} in {node:?}"))
        .to_owned()
}

fn text(node: Node<'_, '_>) -> String {
    node.text().unwrap_or_default().trim().to_owned()
}
