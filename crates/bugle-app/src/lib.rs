//! Bugle's use cases: load, decide with the rules of `bugle_core`, append, and return view models. The command line,
//! the hooks and the dashboard call these use cases.

mod addresses;
pub mod agent_list;
pub mod agents;
mod ancestors;
mod app;
mod artifacts;
mod attention;
mod builtin;
mod catalogue;
mod contained_path;
mod context;
mod conventions;
pub mod dashboard;
mod delegation;
mod doctor;
mod error;
mod event_record;
mod evidence;
mod fault_log;
mod file_watcher;
mod files;
mod fs_util;
mod git;
mod git_config;
pub mod hooks;
mod identity;
mod ids;
mod machine;
pub mod messages;
mod open_run;
mod ownership;
mod page_link;
mod permissions;
mod pinning;
mod plan_files;
pub mod plans;
mod preview;
pub mod projects;
mod resolve_id;
mod roles;
pub mod runs;
mod sample_values;
mod scaffold;
pub mod search;
mod secret;
mod settings;
mod setup;
mod skill_check;
mod skill_stub;
mod skill_test;
pub mod skills;
pub mod status;
mod store_location;
mod store_password;
mod store_watcher;
pub mod stores;
pub mod supervisor;
pub mod supervisor_process;
pub mod tasks;
pub mod team;
pub mod top_view;
pub mod trust;
pub mod verify;
mod view;
pub mod wakeup;
mod work_files;
mod worktree;

pub use agent_list::AgentScope;
pub use agents::RegisterRequest;
pub use app::App;
pub use catalogue::{Found, SkillSource};
pub use context::{Context, Lineage, VariableSource};
pub use conventions::{conventions, show_convention};
pub use doctor::{DoctorRequest, DoctorScope, doctor};
pub use error::{AppError, Exit};
pub use fault_log::log_fault;
pub use file_watcher::FileWatcher;
pub use ids::{Clock, RandomSource};
pub use messages::{InboxRequest, MAX_MESSAGE_BYTES, MessageRequest, Receipt};
pub use page_link::LinkFile;
pub use permissions::permit_at;
pub use plans::{ImportRequest, PlanSelector};
pub use preview::preview;
pub use resolve_id::{plan_id, task_id};
pub use roles::{define_role, export_roles, roles, show_role};
pub use runs::{
    Accepted, AfterAcceptance, DoneRequest, Given, MAX_INPUT_BYTES, Reply, RunSelector, StartRequest, Stop,
    child_token, visit_token,
};
pub use scaffold::{eject, new_skill};
pub use secret::{EphemeralSecret, Secret};
pub use setup::{PluginRequest, SetupRequest, build_plugin, setup};
pub use skill_check::{CheckedPackage, check_found};
pub use skill_test::test_skill;
pub use skills::{check_skills, read_skill};
pub use store_location::{ServerUrl, StoreLocation};
pub use store_password::check_agents_can_sign_in;
pub use store_watcher::StoreWatcher;
pub use supervisor::{
    AgentLog, ClaimedPrompt, ClientExit, MAX_RUNNER_STARTS, PromptOutcome, SpawnRequest, Spawned,
    SupervisedAgent, Tick,
};
pub use supervisor_process::{StartedBy, SupervisorLock, hosts};
pub use tasks::{AddRequest, Destination, Extent, Neighbour, TaskScope};
pub use wakeup::{Replaced, ShortClock, WakeRequest, WriteWake};
