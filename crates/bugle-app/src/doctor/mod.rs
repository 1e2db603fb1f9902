//! Checks that Bugle and the clients work together. Changes none of the user's files.

mod client_check;
mod entries;
mod foreign;
mod machine;
mod process;
mod scratch;
mod trust;

use std::path::Path;
use std::time::Duration;

use bugle_client::Client;
use bugle_client::setup::Scope;
use bugle_core::doctor::Seen;
use bugle_core::reply::{ClientHealth, DoctorView, HealthState};
use bugle_render::doctor::{Remedies, finding, no_client};
use client_check::check_client;
use process::{plain, run};

use crate::context::{VariableSource, absolute_program, program_on_path};
use crate::hook_log::log_file;
use crate::settings::settings_problems;
use crate::{AppError, Context};

/// The timeout that setup writes for a hook.
const MAX_HOOK_TIME: Duration = Duration::from_secs(10);
/// How long a client may take to start.
const MAX_START_TIME: Duration = Duration::from_secs(20);
/// A request to check clients.
#[derive(Debug, Clone)]
pub struct DoctorRequest {
    /// The clients to check; if empty, all detected clients.
    pub clients: Vec<Client>,
    /// The setup to check.
    pub scope: DoctorScope,
}

/// The setup to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoctorScope {
    /// The project's setup, or the user's.
    Any,
    /// The project's setup.
    Project,
    /// The user's setup.
    User,
}

/// Checks the clients and the store.
pub fn doctor(
    ctx: &Context,
    variables: VariableSource<'_>,
    request: &DoctorRequest,
) -> Result<DoctorView, AppError> {
    let program = absolute_program(variables)?;
    let scopes: &[Scope] = match request.scope {
        DoctorScope::Any => &[Scope::Project, Scope::User],
        DoctorScope::Project => &[Scope::Project],
        DoctorScope::User => &[Scope::User],
    };
    let asked_for = !request.clients.is_empty();
    let chosen = if asked_for {
        request.clients.as_slice()
    } else {
        Client::ALL.as_slice()
    };
    let remedies = |setup: String| Remedies {
        remove: format!("{setup} --remove"),
        setup,
        program: program.clone(),
        verify: ctx.command(&["store", "verify"]),
        log: log_file(&ctx.bugle_home).display().to_string(),
    };
    let mut clients = Vec::new();
    let mut set_up = Vec::new();
    for client in chosen.iter().copied() {
        let installed = program_on_path(variables, client.as_str());
        let mut seen_in = Vec::new();
        for scope in scopes.iter().copied() {
            if let Some(seen) = check_client(ctx, variables, client, scope) {
                seen_in.push((scope, seen));
            }
        }
        if seen_in.is_empty() {
            if installed.is_none() && !asked_for {
                continue;
            }
            let scope = *scopes.first().unwrap_or(&Scope::Project);
            seen_in.push((scope, vec![Seen::NotSetUp { asked_for }]));
        } else {
            set_up.push(client);
        }
        let program = match installed {
            Some(program) => Seen::Version(version(&program)),
            None => Seen::NoProgram {
                name: client.as_str().to_owned(),
                is_set_up: set_up.contains(&client),
            },
        };
        for (scope, seen) in seen_in {
            let mut words = vec!["setup", client.as_str()];
            words.extend((scope == Scope::User).then_some("--user"));
            let remedies = remedies(ctx.command(&words));
            let seen = std::iter::once(program.clone()).chain(seen);
            clients.push(ClientHealth {
                client: client.as_str().to_owned(),
                title: client.title().to_owned(),
                scope: scope.as_str().to_owned(),
                findings: seen.map(|seen| finding(&seen, &remedies)).collect(),
            });
        }
    }
    let mut shared = vec![
        Seen::Store(machine::store(ctx)),
        Seen::Shell {
            finds: machine::shell(variables),
            // In other clients, commands have the client's own PATH.
            needed: set_up.iter().any(|client| client.runs_commands_in_login_shell()),
        },
    ];
    shared.extend(settings_problems(ctx).into_iter().map(Seen::Settings));
    shared.extend(machine::connection(ctx));
    shared.extend(machine::hook_errors(ctx));
    let remedies = remedies(ctx.command(&["setup", "--help"]));
    let findings: Vec<_> = shared.iter().map(|seen| finding(seen, &remedies)).collect();
    let all = clients
        .iter()
        .flat_map(|client| &client.findings)
        .chain(&findings);
    let well = !set_up.is_empty() && all.into_iter().all(|finding| finding.state != HealthState::Wrong);
    // If the user named a client, that client's finding already contains the setup command.
    let remedy = (set_up.is_empty() && !asked_for).then(|| {
        let mut words = vec!["setup", "CLIENT"];
        words.extend((request.scope == DoctorScope::User).then_some("--user"));
        no_client(&ctx.command(&words), &Client::ALL.map(Client::as_str))
    });
    Ok(DoctorView {
        well,
        clients,
        findings,
        remedy,
    })
}

/// The version that a client reports.
fn version(program: &Path) -> String {
    let ran = run(
        plain(&program.to_string_lossy(), &["--version"]),
        b"",
        MAX_START_TIME,
    );
    match ran {
        Ok(ran) => ran.out.lines().next().unwrap_or_default().trim().to_owned(),
        Err(why) => format!("unknown: {why}"),
    }
}
