//! Mentions in a message: `@agent`, `@branch:agent`, `@project:branch:agent`, `@all`, `@human`.
//!
//! E-mail addresses, package names (`@types/node`), recognisable decorators (`@app.route`, `@cache(1)`) and code are
//! not mentions. `@dataclass` alone in prose looks like an agent, so it is a mention, but
//! [may be code](Mention::may_be_code). The caller decides, because it knows which agents exist.

use std::collections::HashSet;
use std::fmt;

use super::address::{ALL, AgentAddress, BadAddress, HUMAN, Home, is_name, is_name_character, is_place};
use super::code::prose;

/// Decorators, annotations, CSS rules and comment tags that could also be agent names. Lower case, sorted.
const CODE_WORDS: [&str; 57] = [
    "abstractmethod",
    "aftereach",
    "apply",
    "author",
    "autowired",
    "bean",
    "beforeeach",
    "brief",
    "charset",
    "classmethod",
    "container",
    "contextmanager",
    "dataclass",
    "deprecated",
    "entity",
    "enum",
    "example",
    "extend",
    "extends",
    "final",
    "fixture",
    "font-face",
    "functionalinterface",
    "if",
    "implements",
    "import",
    "include",
    "inheritdoc",
    "inject",
    "injectable",
    "interface",
    "internal",
    "keyframes",
    "layer",
    "link",
    "media",
    "mixin",
    "namespace",
    "nonnull",
    "notnull",
    "nullable",
    "overload",
    "override",
    "param",
    "private",
    "property",
    "public",
    "return",
    "returns",
    "see",
    "since",
    "staticmethod",
    "supports",
    "suppresswarnings",
    "test",
    "throws",
    "typedef",
];

/// A mention as written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Mention {
    /// All agents and users.
    All,
    /// The user.
    Human,
    /// An agent.
    Agent {
        /// The agent's project, if given.
        project: Option<String>,
        /// The agent's branch, if given.
        branch: Option<String>,
        /// The agent's name, in lower case.
        name: String,
    },
}

/// The addressee of a resolved mention.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Addressee {
    /// All agents and users.
    All,
    /// One agent, or the user.
    One(AgentAddress),
}

impl Mention {
    /// Parses the text after `@`.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        let parts: Vec<&str> = text.split(':').collect();
        let (project, branch, name) = match parts.as_slice() {
            [name] => (None, None, *name),
            [branch, name] => (None, Some(*branch), *name),
            [project, branch, name] => (Some(*project), Some(*branch), *name),
            _ => return Err(BadAddress(text.to_owned())),
        };
        let written_small = name.to_ascii_lowercase();
        let is_everywhere = matches!(written_small.as_str(), ALL | HUMAN);
        let places_are_sound = [project, branch].into_iter().flatten().all(is_place);
        match written_small.as_str() {
            ALL if branch.is_none() => Ok(Self::All),
            HUMAN if branch.is_none() => Ok(Self::Human),
            // `all` and `human` belong to no branch, and no agent may use these names.
            _ if is_everywhere || !places_are_sound || !is_name(name) => Err(BadAddress(text.to_owned())),
            _ => Ok(Self::Agent {
                project: project.map(str::to_owned),
                branch: branch.map(str::to_owned),
                name: written_small,
            }),
        }
    }

    /// Whether this is more likely code than a mention, unless an agent has this name.
    pub fn may_be_code(&self) -> bool {
        match self {
            Self::Agent {
                project: None,
                branch: None,
                name,
            } => CODE_WORDS.binary_search(&name.as_str()).is_ok(),
            _ => false,
        }
    }

    /// Resolves the mention relative to a project and branch.
    pub fn resolve(&self, home: &Home) -> Result<Addressee, BadAddress> {
        match self {
            Self::All => Ok(Addressee::All),
            Self::Human => Ok(Addressee::One(AgentAddress::human(home))),
            Self::Agent {
                project,
                branch,
                name,
            } => {
                let project = project.as_deref().unwrap_or(home.project());
                let branch = branch.as_deref().unwrap_or(home.branch());
                AgentAddress::new(project, branch, name).map(Addressee::One)
            }
        }
    }
}

impl fmt::Display for Mention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => write!(f, "@{ALL}"),
            Self::Human => write!(f, "@{HUMAN}"),
            Self::Agent {
                project,
                branch,
                name,
            } => {
                f.write_str("@")?;
                for place in [project, branch].into_iter().flatten() {
                    write!(f, "{place}:")?;
                }
                f.write_str(name)
            }
        }
    }
}

/// All mentions in a message, each once, in order.
pub fn mentions(text: &str) -> Vec<Mention> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for part in prose(text) {
        for (at, _) in text[part.clone()].match_indices('@') {
            let at = part.start + at;
            if let Some(mention) = mention_at(text, at)
                && seen.insert(mention.clone())
            {
                found.push(mention);
            }
        }
    }
    found
}

/// The mention that starts at this `@`, if any.
fn mention_at(text: &str, at: usize) -> Option<Mention> {
    if is_part_of_something(&text[..at]) {
        return None;
    }
    let rest = &text[at + 1..];
    let end = rest.find(|c| !is_token_character(c)).unwrap_or(rest.len());
    // `@name@server` is an account on another server, `@cache(1)` a decorator, `@click="..."` an attribute.
    if rest[end..].starts_with(['@', '(', '=']) {
        return None;
    }
    if starts_a_line(&text[..at]) && is_before_code(&rest[end..]) {
        return None;
    }
    let token = rest[..end].trim_end_matches(['.', ':', '-', '_', '+']);
    Mention::parse(without_other_script(token)?).ok()
}

fn starts_a_line(before: &str) -> bool {
    let line = before.rfind('\n').map_or(before, |end| &before[end + 1..]);
    line.trim().is_empty()
}

/// Whether the line ends here and the next line starts a declaration, which makes the word a decorator.
fn is_before_code(after: &str) -> bool {
    const DECLARES: [&str; 12] = [
        "async",
        "class",
        "def",
        "enum",
        "export",
        "fn",
        "function",
        "interface",
        "private",
        "protected",
        "public",
        "static",
    ];
    let Some((rest, next)) = after.split_once('\n') else {
        return false;
    };
    let first = next
        .lines()
        .next()
        .and_then(|line| line.split_whitespace().next());
    rest.trim().is_empty() && first.is_some_and(|word| DECLARES.contains(&word))
}

/// Whether the text before an `@` makes it part of an e-mail address, a path or an account.
fn is_part_of_something(before: &str) -> bool {
    let before = before.trim_end_matches(['_', '-', '.', '+', '%']);
    let Some(last) = before.chars().next_back() else {
        return false;
    };
    is_cased(last) || last.is_ascii_digit() || matches!(last, '/' | '\\' | '@' | '=')
}

fn is_token_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | ':' | '+')
}

/// Ends the name before text in a script without upper and lower case, such as Chinese. Returns `None` if the name is
/// followed by any other character that names cannot contain, such as `ö`: the word is then not a name.
fn without_other_script(token: &str) -> Option<&str> {
    let name = token.rfind(':').map_or(0, |colon| colon + 1);
    let Some(end) = token[name..].find(|c| !is_name_character(c)) else {
        return Some(token);
    };
    let (kept, rest) = token.split_at(name + end);
    if rest.starts_with(|c: char| c.is_ascii() || is_cased(c)) {
        return None;
    }
    Some(kept.trim_end_matches(['-', '_']))
}

fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase()
}

#[cfg(test)]
#[path = "mention_tests.rs"]
mod tests;
