//! Starting a run: find the skill, prove it sound, pin it, enter the first step.

use std::path::Path;

use bugle_core::engine::{Event, Origin, Recorded, RunState, parse_param, resolve_params, start};
use bugle_core::hook::MOST_OPEN_RUNS;
use bugle_core::id::{Actor, ContentHash};
use bugle_core::name::SkillAddress;
use bugle_core::validate::nearest;
use bugle_core::workflow::Workflow;
use bugle_store::{Append, NewRun, ProjectId, RunFilter, Scope, Store as _};
use serde_json::{Map, Value, json};

use super::{OpenRun, Reply, files};
use crate::catalogue::{self, Found};
use crate::checked::CheckedPackage;
use crate::plan::refuse_missing_plan;
use crate::skills::commands_of;
use crate::{App, AppError, checked, pin, preview};

/// How often an id is tried anew when it is taken.
const ID_TRIES: usize = 8;

/// What is to be started.
#[derive(Debug, Clone)]
pub struct StartRequest {
    /// The skill.
    pub skill: String,
    /// Its params.
    pub params: Vec<Given>,
}

/// Params as they were given.
#[derive(Debug, Clone)]
pub enum Given {
    /// One, as text.
    Text {
        /// Its name.
        name: String,
        /// Its value.
        text: String,
    },
    /// Several, as values.
    Values(Map<String, Value>),
}

impl App {
    /// Finds a skill by name.
    pub fn find_skill(&self, address: &str) -> Result<Found, AppError> {
        catalogue::find(&self.place, address).ok_or_else(|| {
            let all = catalogue::all(&self.place);
            let hint = match nearest(address, all.iter().map(|(found, _)| found.address.as_str())) {
                Some(meant) => format!("Did you mean `{meant}`?"),
                None => format!(
                    "`{}` shows what there is.",
                    self.place.command(&["skill", "list"])
                ),
            };
            AppError::NotFound {
                what: format!("there is no skill `{address}`"),
                hints: vec![hint],
            }
        })
    }

    /// Starts a run and gives its first step.
    pub fn start(&mut self, request: StartRequest) -> Result<Reply, AppError> {
        let found = self.find_skill(&request.skill)?;
        let package = checked::check_found(&self.place, found);
        let workflow = preview::sound_workflow(&package, &self.place)?;
        let mut given = Map::new();
        for params in request.params {
            match params {
                Given::Text { name, text } => {
                    let value = parse_param(workflow, &name, &text);
                    given.insert(name, value);
                }
                Given::Values(values) => given.extend(values),
            }
        }
        let params = resolve_params(workflow, &given).map_err(|bad| AppError::Params {
            skill: request.skill.clone(),
            bad,
            expected: preview::param_lines(workflow),
        })?;
        refuse_missing_plan(&self.place, workflow, &params)?;
        self.refuse_many_runs()?;
        let skill = SkillAddress::new(package.found.address.as_str())
            .map_err(|bad| AppError::System(bad.to_string()))?;
        let Some((version, compiled)) = pin::pin(&mut self.store, &package)? else {
            return Err(AppError::System("a sound skill could not be pinned".to_owned()));
        };
        let untrusted = self.untrusted(&package, workflow, &version, &params)?;
        let events = start(skill, version, &compiled.workflow, params, Origin::Fresh)
            .map_err(|refusal| unstartable(&request.skill, &refusal))?;
        let directory = self.place.root.to_string_lossy().into_owned();
        let project = self.kept_project()?;
        let state = self
            .create(&project, &directory, &compiled.workflow, events)?
            .ok_or_else(|| AppError::System("no free id was found for the run".to_owned()))?;
        let reply = self.reply(&OpenRun {
            state,
            workflow: compiled.workflow.clone(),
            compiled,
            directory,
        })?;
        Ok(reply.saying(untrusted))
    }

    /// Refuses a session that has as many open runs as one may have.
    fn refuse_many_runs(&mut self) -> Result<(), AppError> {
        let Some(session) = self.place.session.clone() else {
            return Ok(());
        };
        let filter = RunFilter {
            scope: Scope::Session(session),
            open_only: true,
            limit: 0,
        };
        if self.store.count_runs(&filter)? < MOST_OPEN_RUNS {
            return Ok(());
        }
        Err(AppError::Forbidden {
            what: format!(
                "this session already has {MOST_OPEN_RUNS} open runs, which is the most it may have"
            ),
            hints: vec![format!(
                "Finish one of them first. `{}` lists them.",
                self.place.command(&["runs"])
            )],
        })
    }

    /// That the user has to trust a skill before its commands are run, with the commands; nothing if it is trusted.
    fn untrusted(
        &mut self,
        package: &CheckedPackage,
        workflow: &Workflow,
        version: &ContentHash,
        params: &Map<String, Value>,
    ) -> Result<Option<String>, AppError> {
        let commands = commands_of(package, workflow, &json!({ "params": params }));
        if commands.is_empty() || self.store.is_trusted(version)? {
            return Ok(None);
        }
        let root = self.place.root.to_string_lossy();
        let trust = self
            .place
            .command(&["-C", &root, "trust", &package.found.address]);
        Ok(Some(format!(
            "This skill checks its steps with commands that the user must trust first: `{}`. Ask the user now to read \
             them and to run this in a terminal of their own: {trust}",
            commands.join("`, `")
        )))
    }

    /// Keeps a new run with these first events; none if another one holds its place, or every id that was tried.
    pub(crate) fn create(
        &mut self,
        project: &ProjectId,
        directory: &str,
        workflow: &Workflow,
        events: Vec<Event>,
    ) -> Result<Option<RunState>, AppError> {
        let by = self.place.actor.clone();
        self.create_by(&by, (project, directory), workflow, events)
    }

    /// The same, with the events recorded for another actor.
    pub(super) fn create_by(
        &mut self,
        by: &Actor,
        (project, directory): (&ProjectId, &str),
        workflow: &Workflow,
        events: Vec<Event>,
    ) -> Result<Option<RunState>, AppError> {
        let mut recorded = recorded(by, events);
        for _ in 0..ID_TRIES {
            let id = crate::new_run_id()?;
            let (state, files) = files::entered(workflow, Path::new(directory), &mut recorded, |events| {
                RunState::replay(&id, events)
            })?;
            self.store.keep_blobs(files.as_slice())?;
            let session = self.place.session.as_ref();
            let run = NewRun {
                project,
                directory,
                session,
                state: &state,
                events: &recorded,
            };
            if self.store.create(&run)? == Append::Done {
                return Ok(Some(state));
            }
        }
        Ok(None)
    }
}

/// A skill whose first step calls for sub-agents, and cannot.
fn unstartable(skill: &str, refusal: &bugle_core::engine::Refusal) -> AppError {
    let words = bugle_render::words::refusal(refusal);
    AppError::Usage {
        what: format!("the skill `{skill}` cannot be started so: {}", words.message),
        hints: words.details.into_iter().chain([words.remedy]).collect(),
    }
}

/// Events of this moment, by one actor.
pub(super) fn recorded(by: &Actor, events: Vec<Event>) -> Vec<Recorded> {
    let at = crate::now();
    events
        .into_iter()
        .map(|event| Recorded {
            at,
            by: by.clone(),
            event,
        })
        .collect()
}
