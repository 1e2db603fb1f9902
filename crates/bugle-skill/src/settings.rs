//! The settings file: limits per agent and per run, the notification command, when the supervisor starts, and where the
//! store is.
//!
//! ```yaml
//! limits:
//!   agent: { wakeups: 50, tokens: 2000000 }
//!   run: { agents: 8, cost: 5.00 }
//! notify: [notify-send, Bugle]
//! supervisor: by-hand
//! store: postgres://ada@/team?host=/home/ada/.bugle/pooler
//! listen: postgres://ada@db.example/team
//! store_password_command: [pass, show, team-db]
//! project: p-0123456789ab
//! decides: member
//! ```

use bugle_core::agent::{Cap, Limits};
use bugle_core::path::SkillPath;
use bugle_core::project::ProjectKey;
use bugle_core::team::TeamRole;
use serde::Deserialize;

use crate::yaml;

/// The name of the file in error messages.
const FILE: &str = "config.yaml";

/// The contents of a settings file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The limits for each agent.
    pub agent: Limits,
    /// The limits for all agents of a run together.
    pub run: Limits,
    /// The command that receives notifications for the user; empty if there is none.
    pub notify: Vec<String>,
    /// When the supervisor starts, if set.
    pub supervisor: Option<SupervisorStart>,
    /// The database URL of the store; `None` if the store is a file.
    pub store: Option<String>,
    /// The URL of the store's server behind a pooler, for notifications.
    pub listen: Option<String>,
    /// The command that prints the store's password; empty if there is none.
    pub store_password_command: Vec<String>,
    /// The id of the project, if all clones share it.
    pub project: Option<ProjectKey>,
    /// The minimum role that can decide at gates in a shared store, if set.
    pub decides: Option<TeamRole>,
}

/// When the supervisor starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SupervisorStart {
    /// On demand; the supervisor exits when there is nothing to do.
    OnDemand,
    /// Only when a person starts the supervisor.
    ByHand,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    limits: RawLimits,
    #[serde(default)]
    notify: Vec<String>,
    supervisor: Option<SupervisorStart>,
    store: Option<String>,
    listen: Option<String>,
    #[serde(default)]
    store_password_command: Vec<String>,
    project: Option<String>,
    decides: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLimits {
    #[serde(default)]
    agent: RawCaps,
    #[serde(default)]
    run: RawCaps,
}

/// Numbers as text, so that amounts of money are not rounded to binary floating point.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCaps {
    wakeups: Option<String>,
    agents: Option<String>,
    tokens: Option<String>,
    cost: Option<String>,
}

impl RawCaps {
    fn limits(&self) -> Result<Limits, String> {
        let written = [
            (Cap::Wakeups, &self.wakeups),
            (Cap::Agents, &self.agents),
            (Cap::Tokens, &self.tokens),
            (Cap::Cost, &self.cost),
        ];
        let mut limits = Limits::default();
        for (cap, text) in written {
            if let Some(text) = text {
                limits = limits
                    .with_written(cap, text)
                    .map_err(|bad| format!("{}: {bad}", cap.as_str()))?;
            }
        }
        Ok(limits)
    }
}

/// Parses a settings file.
pub fn parse_settings(text: &str) -> Result<Settings, String> {
    let says_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    if text.trim_start_matches('\u{feff}').lines().all(says_nothing) {
        return Ok(Settings::default());
    }
    let file = SkillPath::new(FILE).map_err(|bad| bad.to_string())?;
    let raw: RawFile =
        yaml::parse(&file, text, 0).map_err(|problem| format!("{}; {}", problem.message, problem.fix))?;
    Ok(Settings {
        agent: raw.limits.agent.limits()?,
        run: raw.limits.run.limits()?,
        notify: raw.notify,
        supervisor: raw.supervisor,
        store: raw.store,
        listen: raw.listen,
        store_password_command: raw.store_password_command,
        project: raw.project.as_deref().map(project).transpose()?,
        decides: raw.decides.as_deref().map(decides).transpose()?,
    })
}

fn decides(text: &str) -> Result<TeamRole, String> {
    let role = text.parse().ok().filter(|role| *role != TeamRole::Viewer);
    role.ok_or_else(|| format!("decides: `{text}` is not `lead` or `member`"))
}

fn project(text: &str) -> Result<ProjectKey, String> {
    ProjectKey::parse(text).ok_or_else(|| {
        format!(
            "project: `{text}` is not a project id; `bugle project list` shows ids such as p-0123456789ab"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_parsed_exactly() {
        let text =
            "limits:\n  agent: { wakeups: 50, cost: 2.50 }\n  run:\n    agents: 8\n    tokens: 2000000\n";
        let Settings { agent, run, .. } = parse_settings(text).unwrap();
        assert_eq!(
            agent,
            Limits::default()
                .with(Cap::Wakeups, 50)
                .with(Cap::Cost, 2_500_000)
        );
        assert_eq!(
            run,
            Limits::default()
                .with(Cap::Agents, 8)
                .with(Cap::Tokens, 2_000_000)
        );
        for nothing in ["", "# nothing\n", "limits: {}\n"] {
            assert_eq!(parse_settings(nothing), Ok(Settings::default()));
        }
    }

    #[test]
    fn commands_and_supervisor_start_are_parsed() {
        let read = parse_settings("notify: [mail, -s, Bugle]\nsupervisor: by-hand\n").unwrap();
        assert_eq!(read.notify, ["mail", "-s", "Bugle"]);
        assert_eq!(read.supervisor, Some(SupervisorStart::ByHand));
        let read = parse_settings("store_password_command: [pass, show, team]\n").unwrap();
        assert_eq!(read.store_password_command, ["pass", "show", "team"]);
        let read = parse_settings("supervisor: on-demand\n").unwrap();
        assert_eq!(read.supervisor, Some(SupervisorStart::OnDemand));
        for wrong in [
            "supervisor: sometimes",
            "notify: 3",
            "store_password_command: pass",
            "notify: { a: b }",
        ] {
            assert!(parse_settings(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_an_id_made_by_bugle_names_a_project() {
        let read = parse_settings("project: p-0123456789ab\n").unwrap();
        assert_eq!(read.project, ProjectKey::parse("p-0123456789ab"));
        for wrong in ["project: shop", "project: 3", "project: [p-0123456789ab]"] {
            assert!(parse_settings(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn leads_or_members_decide() {
        for (text, role) in [("lead", TeamRole::Lead), ("member", TeamRole::Member)] {
            let read = parse_settings(&format!("decides: {text}\n")).unwrap();
            assert_eq!(read.decides, Some(role));
        }
        assert!(parse_settings("decides: viewer\n").is_err());
    }

    #[test]
    fn an_invalid_limit_is_reported() {
        for (text, words) in [
            (
                "limits: { agent: { wakeups: lots } }",
                "wakeups: `lots` is not a valid limit",
            ),
            ("limits: { agent: { wakeup: 3 } }", "wakeup"),
            ("limits: [1]", ""),
            ("limit: {}", "limit"),
            ("limits: { run: { cost: -1 } }", "cost: `-1` is not a valid limit"),
        ] {
            let wrong = parse_settings(text).unwrap_err();
            assert!(wrong.contains(words), "{text}: {wrong}");
        }
    }
}
