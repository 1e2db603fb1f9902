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
use bugle_core::validate::ProblemLocation;
use serde::Deserialize;

use crate::{SourceMap, yaml};

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

/// Whose settings a file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsOwner {
    /// The project: the file comes with every clone.
    Project,
    /// The user: the file is in Bugle's home.
    User,
}

impl SettingsOwner {
    /// The keys that this owner's file must not contain. A project must not run commands on the machine of a user who
    /// clones it, nor send the user's data to a server.
    fn forbidden(self) -> &'static [&'static str] {
        match self {
            Self::Project => &["notify", "store", "listen", "store_password_command"],
            Self::User => &["project", "decides"],
        }
    }
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
    fn limits(&self) -> Result<Limits, (Cap, String)> {
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
                    .map_err(|bad| (cap, format!("{}: {bad}", cap.as_str())))?;
            }
        }
        Ok(limits)
    }
}

/// Parses a settings file. An error names the line.
pub fn parse_settings(text: &str, owner: SettingsOwner) -> Result<Settings, String> {
    let says_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    if text.trim_start_matches('\u{feff}').lines().all(says_nothing) {
        return Ok(Settings::default());
    }
    let file = SkillPath::new(FILE).map_err(|bad| bad.to_string())?;
    let places = SourceMap::of(text, 0);
    let on_line = |place: &ProblemLocation, why: &str| match places.locate(place) {
        Some(span) => format!("line {}: {why}", line_of(text, span.start)),
        None => why.to_owned(),
    };
    let at_key = |path: &str, why: String| {
        let (file, path) = (file.clone(), path.to_owned());
        on_line(&ProblemLocation::Key { file, path }, &why)
    };
    let raw: RawFile = yaml::parse(&file, text, 0)
        .map_err(|problem| on_line(&problem.place, &format!("{}; {}", problem.message, problem.fix)))?;
    for key in owner.forbidden() {
        if places.has(key) {
            let why = match owner {
                SettingsOwner::Project => {
                    format!(
                        "`{key}` is allowed only in the settings in Bugle's home, not in project settings"
                    )
                }
                SettingsOwner::User => {
                    format!(
                        "`{key}` is allowed only in project settings, not in the settings in Bugle's home"
                    )
                }
            };
            return Err(at_key(key, why));
        }
    }
    let limits = |caps: &RawCaps, whose: &str| {
        caps.limits()
            .map_err(|(cap, why)| at_key(&format!("limits.{whose}.{}", cap.as_str()), why))
    };
    let project = raw.project.as_deref().map(project).transpose();
    let decides = raw.decides.as_deref().map(decides).transpose();
    Ok(Settings {
        agent: limits(&raw.limits.agent, "agent")?,
        run: limits(&raw.limits.run, "run")?,
        notify: raw.notify,
        supervisor: raw.supervisor,
        store: raw.store,
        listen: raw.listen,
        store_password_command: raw.store_password_command,
        project: project.map_err(|why| at_key("project", why))?,
        decides: decides.map_err(|why| at_key("decides", why))?,
    })
}

/// The 1-based line of a byte.
fn line_of(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
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

    fn parse_user(text: &str) -> Result<Settings, String> {
        parse_settings(text, SettingsOwner::User)
    }

    fn parse_project(text: &str) -> Result<Settings, String> {
        parse_settings(text, SettingsOwner::Project)
    }

    #[test]
    fn limits_are_parsed_exactly() {
        let text =
            "limits:\n  agent: { wakeups: 50, cost: 2.50 }\n  run:\n    agents: 8\n    tokens: 2000000\n";
        let Settings { agent, run, .. } = parse_user(text).unwrap();
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
            assert_eq!(parse_user(nothing), Ok(Settings::default()));
        }
    }

    #[test]
    fn commands_and_supervisor_start_are_parsed() {
        let read = parse_user("notify: [mail, -s, Bugle]\nsupervisor: by-hand\n").unwrap();
        assert_eq!(read.notify, ["mail", "-s", "Bugle"]);
        assert_eq!(read.supervisor, Some(SupervisorStart::ByHand));
        let read = parse_user("store_password_command: [pass, show, team]\n").unwrap();
        assert_eq!(read.store_password_command, ["pass", "show", "team"]);
        let read = parse_user("supervisor: on-demand\n").unwrap();
        assert_eq!(read.supervisor, Some(SupervisorStart::OnDemand));
        for wrong in [
            "supervisor: sometimes",
            "notify: 3",
            "store_password_command: pass",
            "notify: { a: b }",
        ] {
            assert!(parse_user(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_an_id_made_by_bugle_names_a_project() {
        let read = parse_project("project: p-0123456789ab\n").unwrap();
        assert_eq!(read.project, ProjectKey::parse("p-0123456789ab"));
        for wrong in ["project: shop", "project: 3", "project: [p-0123456789ab]"] {
            assert!(parse_project(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn leads_or_members_decide() {
        for (text, role) in [("lead", TeamRole::Lead), ("member", TeamRole::Member)] {
            let read = parse_project(&format!("decides: {text}\n")).unwrap();
            assert_eq!(read.decides, Some(role));
        }
        assert!(parse_project("decides: viewer\n").is_err());
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
            let wrong = parse_user(text).unwrap_err();
            assert!(wrong.contains(words), "{text}: {wrong}");
        }
    }

    #[test]
    fn an_error_names_its_line() {
        for (text, start) in [
            (
                "# Shop\nsupervisor: by-hand\nproject: shop\n",
                "line 3: project: `shop`",
            ),
            ("\ndecides: viewer\n", "line 2: decides: "),
            ("limits:\n  run:\n    cost: -1\n", "line 3: cost: `-1`"),
            (
                "supervisor: by-hand\nprojct: p-0123456789ab\n",
                "line 2: unknown key `projct`",
            ),
            (
                "decides: member\nnotify: [mail]\n",
                "line 2: `notify` is allowed only in",
            ),
        ] {
            let wrong = parse_project(text).unwrap_err();
            assert!(wrong.starts_with(start), "{text}: {wrong}");
        }
        let wrong = parse_user("notify: [mail]\nproject: p-0123456789ab\n").unwrap_err();
        assert!(
            wrong.starts_with("line 2: `project` is allowed only in"),
            "{wrong}"
        );
    }
}
