//! The limits in a file of settings: what each agent, and all agents of one run together, may spend.
//!
//! ```yaml
//! limits:
//!   agent: { wakeups: 50, tokens: 2000000 }
//!   run: { agents: 8, cost: 5.00 }
//! ```

use bugle_core::agent::{Cap, Limits};
use bugle_core::path::SkillPath;
use serde::Deserialize;

use crate::yaml;

/// What the file is called where a mistake in it is told.
const FILE: &str = "config.yaml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    limits: RawLimits,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLimits {
    #[serde(default)]
    agent: RawCaps,
    #[serde(default)]
    run: RawCaps,
}

/// The numbers as they are written: 2.50 dollars are no binary fraction.
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

/// Reads what each agent may spend, and what all agents of one run may.
pub fn parse_limits(text: &str) -> Result<(Limits, Limits), String> {
    let says_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    if text.trim_start_matches('\u{feff}').lines().all(says_nothing) {
        return Ok((Limits::default(), Limits::default()));
    }
    let file = SkillPath::new(FILE).map_err(|bad| bad.to_string())?;
    let raw: RawFile =
        yaml::parse(&file, text, 0).map_err(|problem| format!("{}; {}", problem.message, problem.fix))?;
    Ok((raw.limits.agent.limits()?, raw.limits.run.limits()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_they_are_written() {
        let text =
            "limits:\n  agent: { wakeups: 50, cost: 2.50 }\n  run:\n    agents: 8\n    tokens: 2000000\n";
        let (agent, run) = parse_limits(text).unwrap();
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
            assert_eq!(
                parse_limits(nothing).unwrap(),
                (Limits::default(), Limits::default())
            );
        }
    }

    #[test]
    fn what_is_no_limit_is_said() {
        for (text, words) in [
            (
                "limits: { agent: { wakeups: lots } }",
                "wakeups: `lots` is no limit",
            ),
            ("limits: { agent: { wakeup: 3 } }", "wakeup"),
            ("limits: [1]", ""),
            ("limit: {}", "limit"),
            ("limits: { run: { cost: -1 } }", "cost: `-1` is no limit"),
        ] {
            let wrong = parse_limits(text).unwrap_err();
            assert!(wrong.contains(words), "{text}: {wrong}");
        }
    }
}
