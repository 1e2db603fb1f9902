//! Converts the raw format into a definition. Records every mistake in a name, path, type or guard with its location,
//! so that an author sees all of them at once.

use std::collections::BTreeMap;

use bugle_core::did_you_mean::nearest;
use bugle_core::expression::Expression;
use bugle_core::name::{FieldName, StepId};
use bugle_core::path::SkillPath;
use bugle_core::review::Severity;
use bugle_core::role::AgentRole;
use bugle_core::shape::Presence;
use bugle_core::tool::ToolPolicy;
use bugle_core::validate::{Problem, ProblemLocation, Rule};
use bugle_core::workflow::{
    Answerer, Arg, Ask, AtLimit, Check, Decider, Evidence, GateConfig, Loop, Route, StepDef, StepText,
    WorkflowDef, with_identified_items,
};
use indexmap::IndexMap;

use crate::raw::{
    AnswererWord, RawAtLimit, RawCheck, RawDecider, RawEvidence, RawStep, RawTask, RawText, RawTools,
    RawWorkflow,
};
use crate::raw_types::RawType;
use crate::source::SourceMap;
use crate::yaml;

const DEFAULT_TIMEOUT_SECONDS: u32 = 300;

/// Parses a workflow. The definition contains everything that could be read; the rest is reported as problems.
pub fn parse_workflow(file: &SkillPath, text: &str) -> (Option<WorkflowDef>, SourceMap, Vec<Problem>) {
    let places = SourceMap::of(text, 0);
    let raw: RawWorkflow = match yaml::parse(file, text, 0) {
        Ok(raw) => raw,
        Err(problem) => return (None, places, vec![problem]),
    };
    let mut converter = Converter {
        file,
        problems: Vec::new(),
    };
    let definition = converter.workflow(raw);
    (Some(definition), places, converter.problems)
}

/// Converts the raw format into a definition, and collects problems.
pub(crate) struct Converter<'a> {
    file: &'a SkillPath,
    problems: Vec<Problem>,
}

impl Converter<'_> {
    pub(super) fn report(
        &mut self,
        rule: Rule,
        path: &str,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) {
        let place = ProblemLocation::Key {
            file: self.file.clone(),
            path: path.to_owned(),
        };
        self.problems.push(Problem {
            rule,
            place,
            message: message.into(),
            fix: fix.into(),
        });
    }

    /// Reports a problem at an offset in the value of a key.
    pub(super) fn report_inside(
        &mut self,
        rule: Rule,
        (path, offset): (String, usize),
        message: String,
        fix: &str,
    ) {
        let file = self.file.clone();
        self.problems.push(Problem {
            rule,
            place: ProblemLocation::Inside { file, path, offset },
            message,
            fix: fix.to_owned(),
        });
    }

    fn workflow(&mut self, raw: RawWorkflow) -> WorkflowDef {
        if raw.version != 1 {
            let message = format!("unknown format version {}", raw.version);
            self.report(Rule::UnknownVersion, "version", message, "write `version: 1`");
        }
        let mut definition = WorkflowDef::default();
        if let Some(RawDecider::Lead) = raw.decides {
            definition.decides = Decider::Lead;
        }
        for (name, raw) in raw.params {
            let path = format!("params.{name}");
            let (presence, default, help) = match &raw {
                RawType::Word(_) => (Presence::Optional, None, None),
                RawType::Map(map) => {
                    let required = map.required.unwrap_or(false);
                    let presence = if required {
                        Presence::Required
                    } else {
                        Presence::Optional
                    };
                    (presence, map.default.clone(), map.help.clone())
                }
            };
            if let (Some(name), Some(shape)) = (
                self.field_name(&path, &name),
                self.shape(&path, &raw, Rule::IllTypedParam),
            ) {
                definition.params.push(Arg {
                    name,
                    shape,
                    presence,
                    default,
                    help,
                });
            }
        }
        for (id, raw) in raw.steps {
            let path = format!("steps.{id}");
            match StepId::new(id) {
                Ok(id) => {
                    let step = self.step(&path, id, raw);
                    definition.steps.push(step);
                }
                Err(bad) => self.report(Rule::BadName, &path, bad.to_string(), "rename the step"),
            }
        }
        definition
    }

    fn step(&mut self, path: &str, id: StepId, raw: RawStep) -> StepDef {
        let merge = self.merge(path, raw.merge);
        StepDef {
            id,
            title: raw.title,
            phase: raw.phase,
            role: raw
                .role
                .and_then(|role| self.role(&format!("{path}.role"), &role)),
            action: self.text(&format!("{path}.do"), raw.action),
            resources: self.resources(path, &raw.resources),
            conventions: raw.conventions,
            forbid: raw.forbid,
            tools: self.tools(path, raw.tools),
            result: with_identified_items(
                self.fields(&format!("{path}.result"), &raw.result, Rule::IllTypedResult),
                &merge,
            ),
            merge,
            check: self.checks(path, raw.check),
            expect: self.evidence(path, raw.expect),
            ask: raw.ask.map(|ask| Ask {
                question: ask.question,
                choices: ask.choices,
                by: match ask.by {
                    AnswererWord::User => Answerer::User,
                    AnswererWord::Person => Answerer::Person,
                },
            }),
            route: raw
                .route
                .into_iter()
                .enumerate()
                .filter_map(|(index, route)| {
                    let path = format!("{path}.route.{index}");
                    let when = self.expression(&format!("{path}.when"), &route.when);
                    let outcome = self.outcome(&format!("{path}.outcome"), &route.outcome);
                    Some(Route {
                        when: when?,
                        outcome: outcome?,
                    })
                })
                .collect(),
            repeat: raw.repeat.and_then(|repeat| {
                let until = self.expression(&format!("{path}.loop.until"), &repeat.until)?;
                let at_limit = match repeat.at_limit {
                    None | Some(RawAtLimit::Ok) => AtLimit::Ok,
                    Some(RawAtLimit::Fail) => AtLimit::Fail,
                };
                Some(Loop {
                    until,
                    limit: repeat.limit,
                    at_limit,
                })
            }),
            gate: raw.gate.and_then(|gate| {
                let rework = self.step_id(&format!("{path}.gate.rework"), &gate.rework)?;
                Some(GateConfig {
                    name: gate.name,
                    rework,
                    limit: gate.limit,
                    blocks: gate.blocks.map(Severity::from).unwrap_or_default(),
                })
            }),
            dispatch: raw
                .dispatch
                .and_then(|dispatch| self.dispatch(&format!("{path}.dispatch"), dispatch)),
            task: raw.task.map(RawTask::uses).unwrap_or_default(),
            next: self.next(&format!("{path}.next"), raw.next),
            on_error: raw
                .on_error
                .and_then(|target| self.target(&format!("{path}.on_error"), &target)),
        }
    }

    fn merge(&mut self, path: &str, raw: IndexMap<String, String>) -> BTreeMap<FieldName, FieldName> {
        let mut found = BTreeMap::new();
        for (field, key) in raw {
            let path = format!("{path}.merge.{field}");
            let field = self.field_name(&path, &field);
            found.extend(field.zip(self.field_name(&path, &key)));
        }
        found
    }

    fn checks(&mut self, path: &str, raw: Vec<RawCheck>) -> Vec<Check> {
        let mut found = Vec::new();
        for (index, raw) in raw.into_iter().enumerate() {
            let that = self.expression(&format!("{path}.check.{index}.that"), &raw.that);
            found.extend(that.map(|that| Check { that, say: raw.say }));
        }
        found
    }

    pub(super) fn role(&mut self, path: &str, word: &str) -> Option<AgentRole> {
        let role = word.parse().ok();
        if role.is_none() {
            let roles = AgentRole::ALL.map(AgentRole::as_str);
            let part = || {
                roles
                    .into_iter()
                    .find(|role| !word.is_empty() && role.contains(word))
            };
            let fix = match nearest(word, roles).or_else(part) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("use one of {}", roles.join(", ")),
            };
            self.report(Rule::UnknownRole, path, format!("there is no role `{word}`"), fix);
        }
        role
    }

    fn text(&mut self, path: &str, raw: RawText) -> StepText {
        match raw {
            RawText::Lines(lines) => StepText::Inline(lines.join("\n")),
            RawText::One(text) => {
                // A single word with a slash or an extension is a path, possibly mistyped. No step's text is that
                // short.
                let one_word = !text.contains(char::is_whitespace);
                let is_path = one_word && (text.ends_with(".md") || text.contains('/'));
                if !is_path {
                    return StepText::Inline(text);
                }
                self.path(path, &text)
                    .map_or(StepText::Inline(text), StepText::File)
            }
        }
    }

    pub(super) fn path(&mut self, path: &str, text: &str) -> Option<SkillPath> {
        let fix = "use a path to a file inside the skill's folder";
        SkillPath::new(text)
            .map_err(|bad| self.report(Rule::UnsafePath, path, bad.to_string(), fix))
            .ok()
    }

    fn resources(&mut self, path: &str, names: &[String]) -> Vec<SkillPath> {
        let mut found = Vec::new();
        for (index, name) in names.iter().enumerate() {
            found.extend(self.path(&format!("{path}.resources.{index}"), &format!("resources/{name}")));
        }
        found
    }

    fn tools(&mut self, path: &str, raw: Option<RawTools>) -> ToolPolicy {
        let Some(raw) = raw else {
            return ToolPolicy::Unrestricted;
        };
        raw.policy().unwrap_or_else(|(message, fix)| {
            self.report(Rule::ConflictingParts, &format!("{path}.tools"), message, fix);
            ToolPolicy::Unrestricted
        })
    }

    fn evidence(&mut self, path: &str, raw: Vec<RawEvidence>) -> Vec<Evidence> {
        let mut found = Vec::new();
        for (index, raw) in raw.into_iter().enumerate() {
            let path = format!("{path}.expect.{index}");
            match raw {
                RawEvidence {
                    artifact: Some(pattern),
                    existing,
                    command: None,
                    timeout: None,
                    plan: None,
                } => {
                    found.push(Evidence::Artifact { pattern, existing });
                }
                RawEvidence {
                    artifact: None,
                    existing: false,
                    command: Some(line),
                    timeout,
                    plan: None,
                } => {
                    let timeout_seconds = timeout.unwrap_or(DEFAULT_TIMEOUT_SECONDS);
                    found.push(Evidence::Command {
                        line,
                        timeout_seconds,
                    });
                }
                RawEvidence {
                    artifact: None,
                    existing: false,
                    command: None,
                    timeout: None,
                    plan: Some(file),
                } => found.push(Evidence::Plan { file }),
                _ => self.report(
                    Rule::BadEvidence,
                    &path,
                    "evidence must be an artifact (with or without `existing`), a command (with or without `timeout`) or a plan",
                    "write `- artifact: \"docs/*.md\"`, `- command: cargo test` or `- plan: \"{{ result.file }}\"`",
                ),
            }
        }
        found
    }

    pub(super) fn expression(&mut self, path: &str, source: &str) -> Option<Expression> {
        Expression::parse(source)
            .map_err(|error| {
                self.report_inside(
                    Rule::BadExpression,
                    (path.to_owned(), error.offset),
                    format!("the expression does not parse: {}", error.message),
                    "write a CEL expression, such as `params.mode == 'quick'`",
                );
            })
            .ok()
    }
}
