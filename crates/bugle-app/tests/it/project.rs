//! A project in a temporary folder with its own store, and helpers that call use cases on it.

use std::ffi::OsString;
use std::path::Path;

use bugle_app::{
    AddRequest, App, AppError, Clock, Context, Destination, Extent, ImportRequest, Lineage, RandomSource,
    Reply, StartRequest, TaskScope, plans, runs, tasks, verify,
};
use bugle_core::id::{RunId, TaskId, Timestamp};
use bugle_core::name::AgentName;
use bugle_core::reply::{PlanImport, RefusalView, TaskDetail, TaskLine, TaskPosition, TasksChanged};
use bugle_core::task::TaskCommand;
use bugle_core::task::TaskState;
use bugle_render::refused_text;
use tempfile::TempDir;

use crate::database;

/// More lines than any tree in these tests has.
const ALL: u32 = 100_000;

/// The initial time of a project's clock.
pub(crate) const NOW: Timestamp = Timestamp(1_700_000_000_000);

/// Pseudo-random numbers that are the same in every test: a multiplicative hash of the index.
pub(crate) fn spread(index: u64) -> u64 {
    let mixed = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

/// A project, its store, and the program or session that acts. The clock is frozen, and ids are the same in every
/// test.
pub(crate) struct Project {
    folder: TempDir,
    /// The URL of the store on a server; `None` if the store is a file.
    pub(crate) url: Option<String>,
    pub(crate) app: App,
}

impl Project {
    pub(crate) fn new() -> Self {
        match database::url() {
            Some(url) => Self::on_server(&url),
            None => Self::in_folder(tempfile::tempdir().unwrap(), None),
        }
    }

    /// A project whose store is in a Postgres database.
    pub(crate) fn on_server(url: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join(".bugle");
        std::fs::create_dir(&home).unwrap();
        std::fs::write(home.join("config.yaml"), format!("store: {url}\n")).unwrap();
        Self::in_folder(folder, Some(url.to_owned()))
    }

    fn in_folder(folder: TempDir, url: Option<String>) -> Self {
        let directory = folder.path().join("project");
        std::fs::create_dir(&directory).unwrap();
        let mut context = context_of(folder.path(), &directory, None);
        context.clock = Clock::Fixed(NOW);
        context.random = RandomSource::sequence(spread);
        Self {
            folder,
            url,
            app: App::open(context).unwrap(),
        }
    }

    /// From now on, acts as this client session; if `None`, as a program without a session, with a person's rights.
    pub(crate) fn act_as(&mut self, session: Option<&str>) {
        let directory = self.app.context.directory.clone();
        self.enter(&directory, session);
    }

    /// Renames the project's folder and enters it.
    pub(crate) fn move_to(&mut self, name: &str) {
        let to = self.folder.path().join(name);
        std::fs::rename(&self.app.context.directory, &to).unwrap();
        self.enter(&to, None);
    }

    /// Enters a folder, and acts as this client session from now on.
    pub(crate) fn enter(&mut self, directory: &Path, session: Option<&str>) {
        let before = &self.app.context;
        let mut context = context_of(&before.home, directory, session);
        context.clock = before.clock;
        context.random = before.random.clone();
        self.app.context = context;
    }

    /// Sets the clock to this many milliseconds after the initial time.
    pub(crate) fn set_clock(&mut self, milliseconds: i64) {
        self.app.context.clock = Clock::Fixed(Timestamp(NOW.0 + milliseconds));
    }

    /// Enters a folder next to or inside the project's folder, which is called `project`.
    pub(crate) fn enter_folder(&mut self, name: &str) {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        self.enter(&folder, None);
    }

    /// Writes a file in the project.
    pub(crate) fn write(&self, path: &str, text: &str) {
        self.write_at(&self.app.context.directory.join(path), text);
    }

    /// Writes a file anywhere.
    pub(crate) fn write_at(&self, path: &Path, text: impl AsRef<[u8]>) {
        assert!(path.starts_with(self.folder.path()), "{}", path.display());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Imports a plan of the project.
    #[track_caller]
    pub(crate) fn import(&mut self, file: &str) -> PlanImport {
        self.try_import(&import_of(file)).unwrap()
    }

    pub(crate) fn try_import(&mut self, request: &ImportRequest) -> Result<PlanImport, AppError> {
        plans::import_plan(&mut self.app.store, &self.app.context, request)
    }

    pub(crate) fn try_start_run(&mut self) -> Result<RunId, AppError> {
        self.try_start(None)
    }

    /// Starts a run of a one-step skill for a task.
    #[track_caller]
    pub(crate) fn start_run_for(&mut self, task: &TaskId) -> RunId {
        self.try_start(Some(task.clone())).unwrap()
    }

    fn try_start(&mut self, task: Option<TaskId>) -> Result<RunId, AppError> {
        self.write(
            ".bugle/skills/one/SKILL.md",
            "---\nname: one\ndescription: One step.\n---\n",
        );
        self.write(
            ".bugle/skills/one/workflow.yaml",
            "version: 1\nsteps:\n  only: { title: Work, do: Work., next: end }\n",
        );
        let request = StartRequest {
            skill: "one".to_owned(),
            params: Vec::new(),
            task,
        };
        match runs::start(&mut self.app.store, &self.app.context, request)? {
            Reply::Step(step) => Ok(step.position.run),
            Reply::End(end) => panic!("the run has ended: {end:?}"),
        }
    }

    /// Starts a run of a one-step skill.
    #[track_caller]
    pub(crate) fn start_run(&mut self) -> RunId {
        self.try_start_run().unwrap()
    }

    pub(crate) fn try_add(&mut self, request: &AddRequest) -> Result<TasksChanged, AppError> {
        tasks::add_tasks(&mut self.app.store, &self.app.context, request)
    }

    /// Adds tasks and returns their ids.
    #[track_caller]
    pub(crate) fn add_with(&mut self, request: &AddRequest) -> Vec<TaskId> {
        let added = self.try_add(request).unwrap();
        added.tasks.iter().map(|task| task.id.clone()).collect()
    }

    #[track_caller]
    pub(crate) fn add<const N: usize>(&mut self, titles: [&str; N]) -> [TaskId; N] {
        self.add_with(&titled(&titles)).try_into().unwrap()
    }

    #[track_caller]
    pub(crate) fn add_under<const N: usize>(&mut self, parent: &TaskId, titles: [&str; N]) -> [TaskId; N] {
        let request = AddRequest {
            under: Some(parent.clone()),
            ..titled(&titles)
        };
        self.add_with(&request).try_into().unwrap()
    }

    pub(crate) fn try_change(
        &mut self,
        task: &TaskId,
        command: &TaskCommand,
    ) -> Result<TasksChanged, AppError> {
        tasks::change_task(&mut self.app.store, &self.app.context, task, command)
    }

    #[track_caller]
    pub(crate) fn change(&mut self, task: &TaskId, command: &TaskCommand) -> TasksChanged {
        self.try_change(task, command).unwrap()
    }

    #[track_caller]
    pub(crate) fn done(&mut self, task: &TaskId) -> TasksChanged {
        self.change(task, &TaskCommand::Done)
    }

    pub(crate) fn try_depend(&mut self, task: &TaskId, on: &TaskId) -> Result<TasksChanged, AppError> {
        let on = std::slice::from_ref(on);
        tasks::depend_task(&mut self.app.store, &self.app.context, task, on, false)
    }

    pub(crate) fn try_move(&mut self, task: &TaskId, to: &Destination) -> Result<TasksChanged, AppError> {
        tasks::move_task(&mut self.app.store, &self.app.context, task, to)
    }

    #[track_caller]
    pub(crate) fn show(&mut self, task: &TaskId) -> TaskDetail {
        self.show_as(task, Extent::Full)
    }

    #[track_caller]
    pub(crate) fn show_as(&mut self, task: &TaskId, extent: Extent) -> TaskDetail {
        tasks::show_task(&mut self.app.store, &self.app.context, task, extent, None).unwrap()
    }

    #[track_caller]
    pub(crate) fn state(&mut self, task: &TaskId) -> TaskState {
        self.show(task).task.state
    }

    #[track_caller]
    pub(crate) fn tree(&mut self) -> Vec<TaskLine> {
        let (store, context) = (&mut self.app.store, &self.app.context);
        tasks::task_tree(store, context, &TaskScope::Here, true, ALL)
            .unwrap()
            .tasks
    }

    /// One indented line per task, with its state.
    #[track_caller]
    pub(crate) fn outline(&mut self) -> Vec<String> {
        let line = |line: TaskLine| {
            let indent = "  ".repeat(line.depth as usize);
            format!("{indent}{} {}", line.task.label, line.task.state)
        };
        self.tree().into_iter().map(line).collect()
    }

    /// The task with this label.
    #[track_caller]
    pub(crate) fn id_of(&mut self, label: &str) -> TaskId {
        let mut lines = self.tree().into_iter();
        let found = lines.find(|line| line.task.label == label);
        found.unwrap_or_else(|| panic!("no task {label:?}")).task.id
    }

    /// The labels of all tasks, in order.
    #[track_caller]
    pub(crate) fn labels(&mut self) -> Vec<String> {
        self.tree().into_iter().map(|line| line.task.label).collect()
    }

    #[track_caller]
    pub(crate) fn position(&mut self) -> Option<TaskPosition> {
        let (store, context) = (&mut self.app.store, &self.app.context);
        tasks::next_task(store, context, &TaskScope::Here, None)
            .unwrap()
            .position()
            .cloned()
    }

    /// The next task's label.
    #[track_caller]
    pub(crate) fn next(&mut self) -> Option<String> {
        self.position().map(|at| at.task.label)
    }

    #[track_caller]
    pub(crate) fn ready(&mut self) -> Vec<String> {
        let (store, context) = (&mut self.app.store, &self.app.context);
        let ready = tasks::ready_tasks(store, context, &TaskScope::Here, ALL).unwrap();
        ready.tasks.into_iter().map(|task| task.label).collect()
    }

    /// Asserts that the store matches its events, that child counts are right, and that no closed task contains an
    /// open task.
    #[track_caller]
    pub(crate) fn check(&mut self) {
        let found = verify::verify(&mut self.app.store).unwrap();
        assert!(found.faults.is_empty(), "{found:?}");
        let lines = self.tree();
        let is_closed = |line: &TaskLine| matches!(line.task.state, TaskState::Done | TaskState::Skipped);
        for (at, line) in lines.iter().enumerate() {
            let inside = lines[at + 1..]
                .iter()
                .take_while(|inner| inner.depth > line.depth);
            let children: Vec<&TaskLine> = inside
                .clone()
                .filter(|inner| inner.depth == line.depth + 1)
                .collect();
            let open = children.iter().filter(|child| !is_closed(child)).count();
            assert_eq!(line.task.children as usize, children.len(), "{line:?}");
            assert_eq!(line.task.open_children as usize, open, "{line:?}");
            assert!(!is_closed(line) || inside.clone().all(is_closed), "{line:?}");
        }
    }
}

fn context_of(home: &Path, directory: &Path, session: Option<&str>) -> Context {
    let variables = |name: &str| match name {
        "HOME" => Some(home.as_os_str().to_owned()),
        "CLAUDE_CODE_SESSION_ID" => session.map(OsString::from),
        _ => None,
    };
    let mut context = Context::find(&variables, directory, false).unwrap();
    context.program = "bugle".to_owned();
    if session.is_none() {
        // Ignore the parent processes. If the tests run in an agent's session, they would limit this caller's rights.
        context.lineage = Lineage::Person;
    }
    context
}

/// A request to add tasks with these titles.
pub(crate) fn titled(titles: &[&str]) -> AddRequest {
    AddRequest {
        titles: titles.iter().map(|title| (*title).to_owned()).collect(),
        ..AddRequest::default()
    }
}

/// A request to import this file.
pub(crate) fn import_of(file: &str) -> ImportRequest {
    ImportRequest {
        file: file.into(),
        under: None,
        was: None,
        another: false,
        trust_checkboxes: false,
        drop_active: false,
    }
}

pub(crate) fn agent(name: &str) -> AgentName {
    AgentName::new(name.to_owned()).unwrap()
}

/// A command that starts a task as this agent, or as the caller if `None`.
pub(crate) fn start(name: Option<&str>, take_over: bool) -> TaskCommand {
    TaskCommand::Start {
        agent: name.map(agent),
        run: None,
        take_over,
    }
}

/// Asserts that the result is a refusal with this code, and returns it.
#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T, AppError>, code: &str) -> RefusalView {
    match result {
        Err(AppError::Refused(refused)) => {
            let view = refused_text::view(&refused);
            assert_eq!(view.code, code, "{view:?}");
            view
        }
        other => panic!("not refused: {other:?}"),
    }
}

/// Asserts that the result is an error with this exit code and text, and returns its hints.
#[track_caller]
pub(crate) fn fails<T: std::fmt::Debug>(result: Result<T, AppError>, exit: u8, words: &str) -> Vec<String> {
    let view = result.unwrap_err().view();
    assert_eq!(view.exit, exit, "{view:?}");
    assert!(view.message.contains(words), "{view:?}");
    view.hints
}
