//! Changing a run: read, decide, gather evidence if it is asked for, append; and again if somebody else was quicker.

use std::path::Path;

use bugle_core::agent::Approach;
use bugle_core::engine::{
    Assignment, Command, Decision, Environment, Escalation, Event, EvidenceReport, GateDecision, Refusal,
    Report, Status, context, decide, may_answer, plan_in_view, task_effects,
};
use bugle_core::id::{Actor, RunId, VisitNumber, VisitToken};
use bugle_core::task::Board;
use bugle_render::template::Engine;
use bugle_store::{Append, RunRow, SessionStore as _, Store as _, TaskStore as _};
use serde_json::Value;

use super::start::recorded;
use super::tasks::{TaskEffects, have_effect};
use super::{OpenRun, Reply, RunSelector, files};
use crate::delegation::child_of;
use crate::{App, AppError, checked, evidence, folder, pin, tree, view};

/// How often a change is tried anew when others change the run at the same time.
const TRIES: usize = 50;
/// More than this is not read as a result, an answer or params.
pub const MAX_INPUT_BYTES: usize = 4 * 1024 * 1024;

/// Why a visit is over without being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It cannot be done.
    Failed,
    /// Somebody else has to act first.
    Escalated(Escalation),
}

/// A visit that is over.
#[derive(Debug, Clone)]
pub struct DoneRequest {
    /// The visit.
    pub visit: VisitToken,
    /// The result, if it was given with the command; else it is looked for in its file.
    pub result: Option<String>,
    /// Whether the step ends although its sub-agents have open questions.
    pub unanswered: bool,
    /// That it could not be done, or is passed back, and why if that was given with the command; else that is looked
    /// for in its file.
    pub stopped: Option<(Stop, Option<String>)>,
    /// Something worth keeping.
    pub note: Option<String>,
}

impl App {
    /// What a run says now.
    pub fn step(&mut self, selector: &RunSelector) -> Result<Reply, AppError> {
        let row = self.select(selector)?;
        let notice = self.turned_to(&row, Approach::GoesOn)?;
        let run = self.read(&row.id)?;
        Ok(self.reply(&run)?.saying(notice))
    }

    /// Ends a visit and gives what follows.
    pub fn done(&mut self, request: DoneRequest) -> Result<Reply, AppError> {
        let row = self.select(&RunSelector::Visit(request.visit.clone()))?;
        let token = VisitToken {
            run: row.id.clone(),
            visit: request.visit.visit,
        };
        let reply = self.end_visit(&row, &token, request);
        if let (Err(_), Some(_), Some(session)) = (&reply, &row.child, self.place.session.clone()) {
            // The sub-agent's next attempt is seen by its hook. Until then, the main thread cannot report in its place.
            self.store.forget_subagent_call(&session, &token.to_string())?;
        }
        reply
    }

    fn end_visit(
        &mut self,
        row: &RunRow,
        token: &VisitToken,
        request: DoneRequest,
    ) -> Result<Reply, AppError> {
        let report = match request.stopped {
            Some((stop, reason)) => {
                let reason = self.words(token, reason)?.unwrap_or_default();
                match stop {
                    Stop::Failed => Report::Failed { reason },
                    Stop::Escalated(kind) => Report::Escalated { kind, reason },
                }
            }
            None if request.unanswered => Report::Unanswered,
            None => Report::Done(self.result(row, token, request.result.clone())?),
        };
        let note = request.note;
        let notice = self.turned_to(row, Approach::GoesOn)?;
        let quiet = self.quiet_hooks(row)?;
        let reply = self.change_and_reply(&row.id, |_| Command::Done {
            visit: token.visit,
            report: report.clone(),
            note: note.clone(),
        });
        let reply = reply.map_err(|error| match request.result {
            Some(_) => about_given_result(error),
            None => error,
        })?;
        Ok(reply.saying(quiet).saying(notice))
    }

    /// Gives a person's answer to the question that a run waits on.
    pub fn decide(
        &mut self,
        selector: &RunSelector,
        answer: Option<String>,
        why: Option<String>,
    ) -> Result<Reply, AppError> {
        let row = self.select(selector)?;
        let token = selector.visit().or(row.visit).map(|visit| VisitToken {
            run: row.id.clone(),
            visit,
        });
        let in_file = match &token {
            Some(token) => self.words(token, None)?,
            None => None,
        };
        // Where the answer is given with the command, what the file holds is the reason for it.
        let (answer, reason) = match answer {
            Some(answer) => (Some(answer), why.or(in_file)),
            None => (in_file, why),
        };
        let notice = self.turned_to(&row, Approach::GoesOn)?;
        let reply = self.change_and_reply(&row.id, |_| Command::Answer {
            visit: selector.visit(),
            answer: answer.clone(),
            reason: reason.clone(),
        })?;
        let for_agent = (row.session.is_some() && self.place.session.is_none())
            .then(|| "Recorded. The agent goes on; what follows is for it.".to_owned());
        Ok(reply.saying(notice).saying(for_agent))
    }

    /// Whether a person may answer so at a visit, and for a gate, which decision that is. Nothing is changed.
    pub fn check_answer(
        &mut self,
        selector: &RunSelector,
        visit: VisitNumber,
        answer: &str,
    ) -> Result<Option<GateDecision>, AppError> {
        let row = self.select(selector)?;
        let run = self.read_at(&row.id, visit)?;
        may_answer(&run.state, &run.workflow, visit, answer).map_err(|refusal| self.refused(&run, &refusal))
    }

    /// Keeps something worth keeping with the current visit.
    pub fn note(&mut self, selector: &RunSelector, text: &str) -> Result<RunId, AppError> {
        let row = self.select(selector)?;
        self.change(&row.id, |_| Command::Note(text.to_owned()))?;
        Ok(row.id)
    }

    /// Puts a run aside.
    pub fn pause(&mut self, selector: &RunSelector, reason: Option<&str>) -> Result<RunId, AppError> {
        let row = self.select(selector)?;
        self.change(&row.id, |_| Command::Pause {
            reason: reason.map(str::to_owned),
        })?;
        Ok(row.id)
    }

    /// Takes a run up again, from whoever has it, and gives its current step.
    pub fn resume(&mut self, selector: &RunSelector) -> Result<Reply, AppError> {
        let row = self.select(selector)?;
        let notice = self.turned_to(&row, Approach::TakesOver)?;
        let reply = self.change_and_reply(&row.id, |_| Command::Resume)?;
        Ok(reply.saying(notice))
    }

    /// Gives a run up.
    pub fn cancel(&mut self, selector: &RunSelector, reason: Option<&str>) -> Result<RunId, AppError> {
        let row = self.select(selector)?;
        let run = self.change(&row.id, |_| Command::Cancel {
            reason: reason.map(str::to_owned),
        })?;
        self.cancel_children(&run.state)?;
        Ok(row.id)
    }

    /// Goes back to before a visit; what came after stays in the history.
    pub fn rewind(&mut self, selector: &RunSelector, to: VisitNumber) -> Result<Reply, AppError> {
        let row = self.select(selector)?;
        let notice = self.turned_to(&row, Approach::GoesOn)?;
        let reply = self.change_and_reply(&row.id, |_| Command::Rewind { to })?;
        Ok(reply.saying(notice))
    }

    /// Moves a run to the version of its skill that is installed now.
    pub fn upgrade(&mut self, selector: &RunSelector) -> Result<Reply, AppError> {
        let row = self.select(selector)?;
        let there = self.place.rooted(&row.directory);
        let found = crate::catalogue::find(&there, &row.skill).ok_or_else(|| AppError::NotFound {
            what: format!("the skill `{}` is not installed here", row.skill),
            hints: Vec::new(),
        })?;
        let package = checked::check_found(&there, found);
        crate::preview::sound_workflow(&package, &self.place)?;
        let Some((version, compiled)) = pin::pin(&mut self.store, &package)? else {
            return Err(AppError::System("a sound skill could not be pinned".to_owned()));
        };
        let notice = self.turned_to(&row, Approach::GoesOn)?;
        self.change(&row.id, |_| Command::Upgrade {
            pin: version.clone(),
            workflow: &compiled.workflow,
        })?;
        let run = self.read(&row.id)?;
        Ok(self.reply(&run)?.saying(notice))
    }

    fn change_and_reply<'a>(
        &mut self,
        id: &RunId,
        command: impl Fn(&OpenRun) -> Command<'a>,
    ) -> Result<Reply, AppError> {
        let run = self.change(id, command)?;
        if run.state.status == Status::Cancelled {
            // A decision gave it up: that is an answer to it, not a refusal.
            self.cancel_children(&run.state)?;
            return Ok(Reply::End(Box::new(self.end(&run)?)));
        }
        self.reply(&run)
    }

    /// Carries out a command; the run as it is afterwards.
    pub(crate) fn change<'a>(
        &mut self,
        id: &RunId,
        command: impl Fn(&OpenRun) -> Command<'a>,
    ) -> Result<OpenRun, AppError> {
        let mut found: Option<(VisitNumber, Vec<EvidenceReport>)> = None;
        let mut seen_tree: Option<Option<String>> = None;
        for _ in 0..TRIES {
            let mut run = self.read(id)?;
            let mut asked = command(&run);
            if !run.state.is_enough_for(&asked) {
                run = self.read_whole(id)?;
                asked = command(&run);
            }
            let current = run.state.current().map(|visit| visit.number);
            // Evidence belongs to the visit it was gathered for.
            let evidence = found
                .as_ref()
                .filter(|(visit, _)| Some(*visit) == current)
                .map(|(_, reports)| reports.as_slice());
            let trusted = self.store.is_trusted(&run.state.pin)?;
            let children = self.reports(&run.state)?;
            let abandoned_by = self.abandoned_by(&run.state)?;
            let reviews = matches!(asked, Command::Done { .. }) && is_review(&run);
            if reviews {
                self.refuse_to_report_own_review(&run)?;
            }
            let tree = if reviews {
                // Asked for once: git has to look at every file.
                seen_tree
                    .get_or_insert_with(|| tree::fingerprint(Path::new(&run.directory)))
                    .clone()
            } else {
                None
            };
            let self_reviews = if reviews {
                self.self_reviews(&run, &children)?
            } else {
                Vec::new()
            };
            let board = self.board(plan_in_view(&run.state, &asked, evidence))?;
            // What evidence is asked about may be named in the result that is handed in with it.
            let result = match &asked {
                Command::Done {
                    report: Report::Done(result),
                    ..
                } => result.clone(),
                _ => None,
            };
            let action = asked.action(&run.state, &run.workflow);
            let environment = Environment {
                evidence,
                trusted,
                children: &children,
                self_reviews: &self_reviews,
                tree: tree.as_deref(),
                abandoned_by: abandoned_by.as_ref(),
                tasks: board.as_ref(),
            };
            match decide(&run.state, &run.workflow, asked, environment) {
                Decision::Already => return Ok(run),
                Decision::Refuse(Refusal::Untrusted { commands }) => {
                    let visit = run.state.current().map_or(VisitNumber(0), |visit| visit.number);
                    let values = context(&run.state, &run.workflow, visit).for_evidence(result.as_ref());
                    let shown = |line: &String| Engine::default().command_preview(line, &values);
                    let commands = commands.iter().map(shown).collect();
                    return Err(self.refused(&run, &Refusal::Untrusted { commands }));
                }
                Decision::Refuse(refusal) => return Err(self.refused(&run, &refusal)),
                Decision::NeedsEvidence(expected) => {
                    let Some(visit) = run.state.current() else {
                        return Err(self.refused(&run, &Refusal::NotAsking));
                    };
                    let scratch = self.place.work_folder(id);
                    folder::make_private(&scratch)?;
                    let values = context(&run.state, &run.workflow, visit.number);
                    let values = values.for_evidence(result.as_ref());
                    let before = self.files_before(visit)?;
                    let reports = evidence::gather(
                        &expected,
                        Path::new(&run.directory),
                        &before,
                        &values,
                        &scratch,
                        &mut |file| self.import_for(&run, file),
                    );
                    found = Some((visit.number, reports));
                    // A command may have changed files.
                    seen_tree = None;
                }
                Decision::Accept(events) => {
                    let by = self.recorded_actor(&run, action)?;
                    if let Some(run) = self.append_to(run, (by, events), board.as_ref())? {
                        return Ok(run);
                    }
                }
            }
        }
        Err(AppError::System(format!(
            "run {id} was changed by others again and again; nothing was changed"
        )))
    }

    /// Adds events to a run as it was read; nothing if somebody else was quicker.
    pub(super) fn append_to(
        &mut self,
        mut run: OpenRun,
        (by, events): (Actor, Vec<Event>),
        board: Option<&Board>,
    ) -> Result<Option<OpenRun>, AppError> {
        let expected = run.state.version;
        let ended = run.state.current_token();
        let what = TaskEffects {
            effects: task_effects(&run.state, &events),
            rewound: events.iter().any(|event| matches!(event, Event::Rewound { .. })),
        };
        let mut recorded = recorded(&by, events);
        let (state, files) = files::entered(
            &run.workflow,
            Path::new(&run.directory),
            &mut recorded,
            |events| {
                let mut state = run.state.clone();
                events.iter().try_for_each(|event| state.apply(event))?;
                Ok(state)
            },
        )?;
        run.state = state;
        let place = &self.place;
        let written = self.store.together(|store| {
            store.keep_blobs(files.as_slice())?;
            if store.append(expected, &recorded, &run.state)? == Append::Conflict {
                return Err(Unwritten::Conflict);
            }
            if !have_effect(store, place, &run.state, board, &what)? {
                return Err(Unwritten::Conflict);
            }
            Ok(())
        });
        match written {
            Ok(()) => {}
            Err(Unwritten::Conflict) => return Ok(None),
            Err(Unwritten::Error(error)) => return Err(error),
        }
        self.tidy(&run, ended.as_ref());
        Ok(Some(run))
    }

    /// What was handed in for a visit that ended is in the store now. A file that stays is in nobody's way.
    fn tidy(&self, run: &OpenRun, ended: Option<&VisitToken>) {
        if matches!(run.state.status, Status::Completed | Status::Cancelled) {
            let _ = std::fs::remove_dir_all(self.place.work_folder(&run.state.id));
        } else if let Some(token) = ended.filter(|token| run.state.current_token().as_ref() != Some(token)) {
            let _ = std::fs::remove_file(view::result_file(&self.place, token));
            let _ = std::fs::remove_file(view::words_file(&self.place, token));
        }
    }

    /// The result of a visit: as given, else from its file, else none.
    fn result(
        &self,
        row: &RunRow,
        token: &VisitToken,
        given: Option<String>,
    ) -> Result<Option<Value>, AppError> {
        let file = view::result_file(&self.place, token);
        let unreadable = |origin: String, why: String| {
            AppError::Refused(Box::new(bugle_wire::RefusalView {
                code: "result-unreadable".to_owned(),
                message: format!("The result cannot be read: {why}."),
                details: vec![format!("read from {origin}")],
                outline: None,
                remedy: "Write it as JSON in UTF-8, and run the same command again.".to_owned(),
                position: Some(super::history::summary(row).position),
                command: Some(self.place.command(&["done", &token.to_string()])),
            }))
        };
        let (origin, text) = match given {
            Some(text) => ("what was given with the command".to_owned(), text),
            None => match handed_in(&file) {
                Ok(Some(text)) => (file.display().to_string(), text),
                Ok(None) => return Ok(None),
                Err(error) => return Err(unreadable(file.display().to_string(), error.to_string())),
            },
        };
        if text.trim().is_empty() {
            return Err(unreadable(origin, "it is empty".to_owned()));
        }
        serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| unreadable(origin, error.to_string()))
    }

    /// An answer or a reason: as given, else from its file.
    fn words(&self, token: &VisitToken, given: Option<String>) -> Result<Option<String>, AppError> {
        words_in(&view::words_file(&self.place, token), given)
    }
}

/// A refusal of a result that was given with the command, which is in no file.
fn about_given_result(error: AppError) -> AppError {
    match error {
        AppError::Refused(mut view) if view.code == "result-mismatch" || view.code == "checks-failed" => {
            "Correct the result in the command, and run it again.".clone_into(&mut view.remedy);
            AppError::Refused(view)
        }
        other => other,
    }
}

/// Why nothing was written.
enum Unwritten {
    /// Somebody else was quicker.
    Conflict,
    /// It went wrong, or is not allowed.
    Error(AppError),
}

impl From<AppError> for Unwritten {
    fn from(error: AppError) -> Self {
        Self::Error(error)
    }
}

impl From<bugle_store::StoreError> for Unwritten {
    fn from(error: bugle_store::StoreError) -> Self {
        Self::Error(error.into())
    }
}

/// Words for Bugle: as given, else from a file.
pub(super) fn words_in(file: &Path, given: Option<String>) -> Result<Option<String>, AppError> {
    if given.is_some() {
        return Ok(given);
    }
    handed_in(file)
        .map(|text| text.map(|text| text.trim().to_owned()))
        .map_err(|source| AppError::File {
            what: "cannot read",
            path: file.to_owned(),
            source,
        })
}

/// Whether what is done at a run's current visit is part of a review: then the files that were seen matter.
fn is_review(run: &OpenRun) -> bool {
    let gate = run
        .state
        .current()
        .and_then(|visit| run.workflow.step(&visit.step));
    gate.is_some_and(|step| step.gate.is_some())
        || child_of(&run.state).is_some_and(|child| matches!(child.assignment, Assignment::Review(_)))
}

/// What an agent wrote to a file, if there is one.
fn handed_in(file: &Path) -> std::io::Result<Option<String>> {
    let bytes = match folder::read_bounded(file, MAX_INPUT_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8(bytes).map_err(|_| std::io::Error::other("it is not text in UTF-8"))?;
    Ok(Some(
        text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text),
    ))
}
