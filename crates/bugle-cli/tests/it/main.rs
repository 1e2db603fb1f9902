//! The command line from outside: the real program, real files, real processes.

#[cfg(test)]
mod agent_messages;
#[cfg(test)]
mod agents;
#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod bad_plans;
#[cfg(test)]
mod bad_skills;
#[cfg(test)]
mod bad_stores;
#[cfg(test)]
mod catalogue;
#[cfg(test)]
mod checks;
#[cfg(test)]
mod children;
#[cfg(test)]
mod crowds;
#[cfg(test)]
mod defects;
#[cfg(test)]
mod demo;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod evidence;
#[cfg(test)]
mod exactly_once;
#[cfg(test)]
mod forged;
#[cfg(test)]
mod frame;
#[cfg(test)]
mod gates;
#[cfg(test)]
mod guide;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod holders;
#[cfg(test)]
mod hooked;
#[cfg(test)]
mod hooks;
#[cfg(test)]
mod hooks_faults;
#[cfg(test)]
mod hooks_mail;
#[cfg(test)]
mod hooks_mirror;
#[cfg(test)]
mod hooks_stop;
#[cfg(test)]
mod hooks_wake;
#[cfg(test)]
mod hostile_repository;
#[cfg(test)]
mod joins;
#[cfg(test)]
mod kill;
#[cfg(test)]
mod links_out;
#[cfg(test)]
mod long_runs;
#[cfg(test)]
mod many_kills;
#[cfg(test)]
mod mcp;
#[cfg(test)]
mod mcp_doors;
#[cfg(test)]
mod mcp_http;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod neighbours;
#[cfg(test)]
mod packages;
#[cfg(test)]
mod page;
#[cfg(test)]
mod page_acts;
#[cfg(test)]
mod page_browser;
#[cfg(test)]
mod page_hostile;
#[cfg(test)]
mod page_views;
#[cfg(test)]
mod plan_order;
#[cfg(test)]
mod plan_scope;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod played;
#[cfg(test)]
mod projects;
#[cfg(test)]
mod projects_merged;
#[cfg(test)]
mod rights;
#[cfg(test)]
mod rights_of_agents;
#[cfg(test)]
mod roles;
#[cfg(test)]
mod run_tasks;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod script;
#[cfg(test)]
mod searches;
#[cfg(test)]
mod self_reviews;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod setup;
#[cfg(test)]
mod shadows;
#[cfg(test)]
mod shown;
#[cfg(test)]
mod skills;
#[cfg(test)]
mod spawned;
#[cfg(test)]
mod status_line;
#[cfg(test)]
mod store_upgrades;
#[cfg(test)]
mod supervised;
#[cfg(test)]
mod supervisor;
#[cfg(test)]
mod task_answers;
#[cfg(test)]
mod task_changes;
#[cfg(test)]
mod task_claims;
#[cfg(test)]
mod task_holders;
#[cfg(test)]
mod task_rights;
#[cfg(test)]
mod task_skills;
#[cfg(test)]
mod task_stores;
#[cfg(test)]
mod tasks;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod top;
#[cfg(test)]
mod tree;
#[cfg(test)]
mod undelivered;
#[cfg(test)]
mod upgrades;
#[cfg(test)]
mod wake;
#[cfg(test)]
mod wake_amnesia;
#[cfg(test)]
mod wake_bad_input;
#[cfg(test)]
mod wake_recovery;
#[cfg(test)]
mod wake_room;
#[cfg(test)]
mod wake_size;
#[cfg(test)]
mod walks;
