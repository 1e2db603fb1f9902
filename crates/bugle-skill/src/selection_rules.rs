//! A user's own rules for selecting a skill: matching titles, default skills per role, and reminders. They take
//! precedence over the built-in rules.
//!
//! ```yaml
//! rules:
//!   - verbs: [deploy, roll out]
//!     objects: [service, release]
//!     unless: [locally]
//!     skill: team:deploying
//!   - nouns: [weekly report]
//!     skill: none
//!   - anywhere: [personal data]
//!     skill: privacy-check
//! roles:
//!   technical-writer: writing-for-readers
//! reminders:
//!   - skill: privacy-check
//!     line: Name the personal data that a change touches.
//!     words: [user data, email address]
//! ```

use bugle_core::did_you_mean::nearest;
use bugle_core::name::SkillAddress;
use bugle_core::path::SkillPath;
use bugle_core::role::AgentRole;
use bugle_core::skill_selection::{Phrase, Reminder, RoleDefault, UserRules, When};
use bugle_core::validate::{Problem, ProblemLocation, Rule};
use indexmap::IndexMap;
use serde::Deserialize;

use crate::source::SourceMap;
use crate::yaml;

/// The word for "no skill".
const NO_SKILL: &str = "none";

/// Maximum length of a reminder, which agents read with every task.
const MAX_LINE_LENGTH: usize = 200;

/// A mistake in the file, and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectionRuleProblem {
    /// The line, from 1.
    pub line: usize,
    /// The problem, with its location and fix.
    pub problem: Problem,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    rules: Vec<RawRule>,
    #[serde(default)]
    roles: IndexMap<String, String>,
    #[serde(default)]
    reminders: Vec<RawReminder>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    objects: Vec<String>,
    #[serde(default)]
    mentions: Vec<String>,
    #[serde(default)]
    compounds: Vec<String>,
    #[serde(default)]
    nouns: Vec<String>,
    #[serde(default)]
    anywhere: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    skill: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawReminder {
    skill: String,
    line: String,
    #[serde(default)]
    words: Vec<String>,
    #[serde(default)]
    skills: Vec<String>,
    #[serde(default)]
    roles: Vec<String>,
    #[serde(default)]
    not_for: Vec<String>,
}

/// Parses a user's rules. Keeps the valid rules, and reports mistakes as problems, in file order.
pub fn parse_selection_rules(file: &SkillPath, text: &str) -> (UserRules, Vec<SelectionRuleProblem>) {
    let says_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    if text.trim_start_matches('\u{feff}').lines().all(says_nothing) {
        return (UserRules::default(), Vec::new());
    }
    let places = SourceMap::of(text, 0);
    let mut reader = Reader {
        file,
        problems: Vec::new(),
    };
    let rules = match yaml::parse(file, text, 0) {
        Ok(raw) => reader.file(raw),
        Err(problem) => {
            reader.problems.push(problem);
            UserRules::default()
        }
    };
    let mut problems: Vec<SelectionRuleProblem> = reader
        .problems
        .into_iter()
        .map(|problem| SelectionRuleProblem {
            line: places
                .locate(&problem.place)
                .map_or(1, |span| line_of(text, span.start)),
            problem,
        })
        .collect();
    problems.sort_by_key(|problem| problem.line);
    (rules, problems)
}

/// The 1-based line of a byte offset.
fn line_of(text: &str, byte: usize) -> usize {
    let before = text.as_bytes().iter().take(byte);
    1 + before.filter(|byte| **byte == b'\n').count()
}

/// Marks a mistake that is already reported.
struct Reported;

struct Reader<'a> {
    file: &'a SkillPath,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn report(&mut self, rule: Rule, path: &str, message: String, fix: impl Into<String>) {
        self.problems.push(Problem {
            rule,
            place: ProblemLocation::Key {
                file: self.file.clone(),
                path: path.to_owned(),
            },
            message,
            fix: fix.into(),
        });
    }

    fn file(&mut self, raw: RawFile) -> UserRules {
        let mut read = UserRules::default();
        for (index, rule) in raw.rules.into_iter().enumerate() {
            read.rules.extend(self.rule(&format!("rules.{index}"), rule));
        }
        for (role, skill) in raw.roles {
            let path = format!("roles.{role}");
            let role = self.role(&path, &role);
            let skill = self.skill_or_none(&path, &skill);
            if let (Some(role), Ok(skill)) = (role, skill) {
                read.roles.push(RoleDefault { role, skill });
            }
        }
        for (index, reminder) in raw.reminders.into_iter().enumerate() {
            let path = format!("reminders.{index}");
            read.reminders.extend(self.reminder(&path, reminder));
        }
        read
    }

    fn rule(&mut self, path: &str, raw: RawRule) -> Option<(When, Vec<Phrase>, Option<SkillAddress>)> {
        let before = self.problems.len();
        let mut phrases = |key: &str, list: Vec<String>| self.phrases(&format!("{path}.{key}"), list);
        let verbs = phrases("verbs", raw.verbs);
        let objects = phrases("objects", raw.objects);
        let mentions = phrases("mentions", raw.mentions);
        let compounds = phrases("compounds", raw.compounds);
        let nouns = phrases("nouns", raw.nouns);
        let anywhere = phrases("anywhere", raw.anywhere);
        let unless = phrases("unless", raw.unless);
        let skill = self.skill_or_none(&format!("{path}.skill"), &raw.skill);
        if self.problems.len() > before {
            return None;
        }
        let chosen = [&verbs, &nouns, &anywhere]
            .into_iter()
            .filter(|list| !list.is_empty())
            .count();
        if chosen != 1 {
            let message = "a rule needs exactly one of `verbs`, `nouns` or `anywhere`".to_owned();
            let (rule, fix) = if chosen == 0 {
                (Rule::BadYaml, "add one of these keys")
            } else {
                (Rule::ConflictingParts, "write a separate rule for each key")
            };
            self.report(rule, path, message, fix);
            return None;
        }
        let refined = !(objects.is_empty() && mentions.is_empty() && compounds.is_empty());
        if verbs.is_empty() && refined {
            let message = "`objects`, `mentions` and `compounds` need `verbs`".to_owned();
            self.report(
                Rule::ConflictingParts,
                path,
                message,
                "add `verbs`, or remove these keys",
            );
            return None;
        }
        let when = if !verbs.is_empty() {
            When::Verb {
                verbs,
                objects,
                mentions,
                compounds,
            }
        } else if !nouns.is_empty() {
            When::Noun(nouns)
        } else {
            When::Anywhere(anywhere)
        };
        Some((when, unless, skill.ok()?))
    }

    fn reminder(&mut self, path: &str, raw: RawReminder) -> Option<Reminder> {
        let before = self.problems.len();
        let skill = self.skill(&format!("{path}.skill"), &raw.skill);
        let line = raw.line.trim().to_owned();
        if line.is_empty() || line.contains(['\n', '\r']) || line.chars().count() > MAX_LINE_LENGTH {
            let message = format!("a reminder must be one line of 1 to {MAX_LINE_LENGTH} characters");
            self.report(
                Rule::BadYaml,
                &format!("{path}.line"),
                message,
                "shorten the reminder, and put details in the skill",
            );
        }
        let words = self.phrases(&format!("{path}.words"), raw.words);
        let skills = self.each(path, "skills", &raw.skills, Self::skill);
        let roles = self.each(path, "roles", &raw.roles, Self::role);
        let not_for = self.each(path, "not_for", &raw.not_for, Self::role);
        if self.problems.len() > before {
            return None;
        }
        if words.is_empty() && skills.is_empty() && roles.is_empty() {
            let message = "nothing triggers this reminder".to_owned();
            self.report(Rule::BadYaml, path, message, "add `words`, `skills` or `roles`");
            return None;
        }
        Some(Reminder {
            skill: skill?,
            line,
            words,
            skills,
            roles,
            not_for,
        })
    }

    fn each<T>(
        &mut self,
        path: &str,
        key: &str,
        list: &[String],
        read: fn(&mut Self, &str, &str) -> Option<T>,
    ) -> Vec<T> {
        let items = list.iter().enumerate();
        items
            .filter_map(|(index, text)| read(self, &format!("{path}.{key}.{index}"), text))
            .collect()
    }

    fn phrases(&mut self, path: &str, list: Vec<String>) -> Vec<Phrase> {
        let mut read = Vec::new();
        for (index, text) in list.into_iter().enumerate() {
            match Phrase::new(&text) {
                Some(phrase) => read.push(phrase),
                None => self.report(
                    Rule::BadYaml,
                    &format!("{path}.{index}"),
                    format!("`{text}` contains no words"),
                    "use words that occur in task titles",
                ),
            }
        }
        read
    }

    fn skill(&mut self, path: &str, text: &str) -> Option<SkillAddress> {
        match SkillAddress::new(text) {
            Ok(skill) => Some(skill),
            Err(error) => {
                self.report(
                    Rule::BadName,
                    path,
                    error.to_string(),
                    "run `bugle skill list` to see the skills' names",
                );
                None
            }
        }
    }

    /// A skill, or none.
    fn skill_or_none(&mut self, path: &str, text: &str) -> Result<Option<SkillAddress>, Reported> {
        if text == NO_SKILL {
            return Ok(None);
        }
        self.skill(path, text).map(Some).ok_or(Reported)
    }

    fn role(&mut self, path: &str, text: &str) -> Option<AgentRole> {
        if let Ok(role) = text.parse() {
            return Some(role);
        }
        let fix = match nearest(text, AgentRole::ALL.map(AgentRole::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("use one of {}", AgentRole::ALL.map(AgentRole::as_str).join(", ")),
        };
        self.report(Rule::UnknownRole, path, format!("there is no role `{text}`"), fix);
        None
    }
}
