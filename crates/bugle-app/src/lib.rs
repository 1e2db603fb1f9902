//! The use cases: find what is needed, decide, append, and say what follows. This is the only place that knows the
//! store, the skills on disk, the rules and the words; every door (command line, hooks, page) goes through it.

mod agent;
mod ancestors;
mod artifacts;
mod builtin;
mod catalogue;
mod changes;
mod checked;
mod conventions;
mod delegation;
mod doctor;
mod error;
mod evidence;
mod example;
mod files;
mod folder;
mod git;
mod git_config;
mod holder;
mod hook;
mod identity;
mod inside;
mod look;
mod message;
mod needs;
mod overview;
mod page_link;
mod pin;
mod place;
mod plan;
mod prefix;
mod preview;
mod project;
mod rights;
mod roles;
mod run;
mod scaffold;
mod search;
mod secret;
mod settings;
mod setup;
mod skills;
mod spawn;
mod task;
mod tree;
mod trial;
mod trust;
mod verify;
mod view;
mod wake;
mod writes;

pub use agent::{AgentScope, RegisterRequest};
pub use catalogue::{Found, SkillSource};
pub use changes::Changes;
pub use checked::{CheckedPackage, check_found};
pub use conventions::{conventions, show_convention};
pub use doctor::{DoctorRequest, DoctorScope, doctor};
pub use error::{AppError, Exit};
pub use hook::log_fault;
pub use look::{RunPicture, draw_skill};
pub use message::{InboxRequest, MAX_MESSAGE_BYTES, MessageRequest, Receipt};
pub use page_link::LinkFile;
pub use place::{Lineage, Place, SESSION_VARIABLES, VariableSource};
pub use plan::{ImportRequest, PlanSelector};
pub use preview::preview;
pub use rights::permit_at;
pub use roles::{define_role, export_roles, roles, show_role};
pub use run::{
    Accepted, DoneRequest, Given, MAX_INPUT_BYTES, Reply, RunSelector, StartRequest, Stop, child_token,
    visit_token,
};
pub use scaffold::{eject, new_skill};
pub use secret::{PassingSecret, Secret};
pub use setup::{PluginRequest, SetupRequest, build_plugin, setup};
pub use skills::{check_skills, read_skill};
pub use spawn::{
    AgentLog, Carried, Ended, MOST_CARRIERS, Pass, Prompted, SpawnRequest, Spawned, StartedBy,
    SupervisorLock, Watched,
};
pub use task::{AddRequest, Destination, Extent, Neighbour, TaskScope, plan_id, task_id};
pub use trial::test_skill;

pub use wake::{Replaced, SayWake, ShortClock, WakeRequest};
pub use writes::Writes;

use bugle_core::id::{RunId, Timestamp};
use bugle_store::{Durability, SqliteStore, Store as _};

/// Bugle, at one place, with its store open.
#[derive(Debug)]
pub struct App {
    /// Where this is and who acts.
    pub place: Place,
    store: SqliteStore,
}

impl App {
    /// Opens the store that belongs to a place.
    pub fn open(place: Place) -> Result<Self, AppError> {
        Self::open_reporting(place, &mut |_| ())
    }

    /// The same, and reports what takes long: the upgrade of an older store.
    pub fn open_reporting(place: Place, report: &mut dyn FnMut(&str)) -> Result<Self, AppError> {
        let file = place.database();
        if let Some(folder) = file.parent() {
            folder::make_private(folder)?;
            folder::tighten(folder, &file);
        }
        let store = bugle_store::open_reporting(&file, Durability::Full, report)?;
        Ok(Self { place, store })
    }

    /// The version of the store's schema. Opening it has upgraded it.
    pub fn schema(&mut self) -> Result<i64, AppError> {
        Ok(self.store.schema()?)
    }
}

/// The time, for what is to be recorded.
fn now() -> Timestamp {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Chance, for ids.
fn random() -> Result<u64, AppError> {
    getrandom::u64().map_err(|error| AppError::System(format!("there is no source of chance: {error}")))
}

fn new_run_id() -> Result<RunId, AppError> {
    Ok(RunId::from_random(random()?))
}
