//! Transitions and dispatches: outcomes, targets and sub-agents.

use std::collections::BTreeMap;

use bugle_core::did_you_mean::nearest;
use bugle_core::name::StepId;
use bugle_core::outcome::{Outcome, Target, Transitions};
use bugle_core::role::AgentRole;
use bugle_core::validate::Rule;
use bugle_core::workflow::{Dispatch, DispatchWork, FanOut};

use crate::convert::Converter;
use crate::raw::{ModelWord, RawDispatch, RawNext};

const DEFAULT_FAN_OUT: u32 = 8;

impl Converter<'_> {
    pub(super) fn outcome(&mut self, path: &str, word: &str) -> Option<Outcome> {
        word.parse()
            .map_err(|()| {
                let known = Outcome::ALL.map(Outcome::as_str);
                let fix = match nearest(word, known) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("use one of {}", known.join(", ")),
                };
                self.report(
                    Rule::UnknownKey,
                    path,
                    format!("there is no outcome `{word}`"),
                    fix,
                );
            })
            .ok()
    }

    pub(super) fn step_id(&mut self, path: &str, text: &str) -> Option<StepId> {
        StepId::new(text)
            .map_err(|bad| {
                self.report(
                    Rule::BadName,
                    path,
                    bad.to_string(),
                    "use the id of a step in this workflow",
                );
            })
            .ok()
    }

    pub(super) fn target(&mut self, path: &str, text: &str) -> Option<Target> {
        if text == "end" {
            Some(Target::End)
        } else {
            self.step_id(path, text).map(Target::Step)
        }
    }

    pub(super) fn next(&mut self, path: &str, raw: Option<RawNext>) -> Transitions<Target> {
        let mut next = Transitions::default();
        match raw {
            None => {}
            Some(RawNext::One(target)) => next.ok = self.target(path, &target),
            Some(RawNext::Map(map)) => {
                for (word, target) in map {
                    let path = format!("{path}.{word}");
                    let target = self.target(&path, &target);
                    if word == "default" {
                        next.default = target;
                    } else if let Some(outcome) = self.outcome(&path, &word) {
                        *next.slot(outcome) = target;
                    }
                }
            }
        }
        next
    }

    pub(super) fn dispatch(&mut self, path: &str, raw: RawDispatch) -> Option<Dispatch> {
        // An unknown role is reported. Continue with any valid role, so that the rest of the dispatch is checked too.
        let role = self.role(&format!("{path}.role"), &raw.role);
        let role = role.unwrap_or(AgentRole::QualityReviewer);
        let work = match raw.workflow {
            Some(file) => DispatchWork::Workflow(self.path(&format!("{path}.workflow"), &file)?),
            None => DispatchWork::Brief,
        };
        let fan_out = match (raw.for_each, raw.item) {
            (None, None) if raw.limit.is_none() => FanOut::One,
            (Some(list), Some(item)) if list.trim() == "tasks" => FanOut::Tasks {
                item: self.field_name(&format!("{path}.as"), &item)?,
                limit: raw.limit.unwrap_or(DEFAULT_FAN_OUT),
            },
            (Some(list), Some(item)) => FanOut::ForEach {
                list: self.expression(&format!("{path}.for_each"), &list)?,
                item: self.field_name(&format!("{path}.as"), &item)?,
                limit: raw.limit.unwrap_or(DEFAULT_FAN_OUT),
            },
            _ => {
                let message = "`for_each` (the list) and `as` (the item's param) must be used together, and `limit` needs both";
                self.report(
                    Rule::ConflictingParts,
                    path,
                    message,
                    "set `for_each` and `as`, or remove `for_each`, `as` and `limit`",
                );
                return None;
            }
        };
        let mut with = BTreeMap::new();
        for (name, source) in raw.with {
            let path = format!("{path}.with.{name}");
            if let (Some(name), Some(expression)) =
                (self.field_name(&path, &name), self.expression(&path, &source))
            {
                with.insert(name, expression);
            }
        }
        let when = match raw.when {
            Some(source) => Some(self.expression(&format!("{path}.when"), &source)?),
            None => None,
        };
        Some(Dispatch {
            role,
            work,
            fan_out,
            when,
            quorum: raw.quorum,
            model: raw.model.map(ModelWord::size),
            with,
        })
    }
}
