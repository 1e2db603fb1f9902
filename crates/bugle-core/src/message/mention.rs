//! Who is mentioned in a text: `@agent`, `@branch:agent`, `@project:branch:agent`, `@all`, `@human`.
//!
//! E-mail addresses, package names (`@types/node`), decorators that can be told (`@app.route`, `@cache(1)`) and whatever
//! stands in code mention nobody. `@dataclass` alone in prose cannot be told from an agent, only that it
//! [may be code](Mention::may_be_code); whoever delivers knows who there is.

use std::collections::HashSet;
use std::fmt;

use super::address::{ALL, AgentAddress, BadAddress, HUMAN, Home, is_name, is_name_character, is_place};
use super::code::prose;

/// What decorators, annotations, rules of style sheets and tags of comments are called, where they have names that an
/// agent could have; written small and in order.
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

/// Somebody who is mentioned, as far as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Mention {
    /// Everybody.
    All,
    /// The person.
    Human,
    /// An agent.
    Agent {
        /// Its project, if it was named.
        project: Option<String>,
        /// Its branch, if it was named.
        branch: Option<String>,
        /// Its name, written small.
        name: String,
    },
}

/// Somebody who is meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Addressee {
    /// Everybody.
    All,
    /// One agent, or the person.
    One(AgentAddress),
}

impl Mention {
    /// Reads what stands behind the `@`.
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
            // These two belong to no branch, and no agent may be called so.
            _ if is_everywhere || !places_are_sound || !is_name(name) => Err(BadAddress(text.to_owned())),
            _ => Ok(Self::Agent {
                project: project.map(str::to_owned),
                branch: branch.map(str::to_owned),
                name: written_small,
            }),
        }
    }

    /// Whether this is more likely a piece of code than anybody, if nobody is called so.
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

    /// Who is meant by somebody who is there.
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

/// Everybody mentioned in a text, each once, in the order of the text.
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

/// The mention whose `@` stands there, if it is one.
fn mention_at(text: &str, at: usize) -> Option<Mention> {
    if is_part_of_something(&text[..at]) {
        return None;
    }
    let rest = &text[at + 1..];
    let end = rest.find(|c| !is_token_character(c)).unwrap_or(rest.len());
    // `@name@server` is an account elsewhere, `@cache(1)` a decorator, `@click="..."` an attribute.
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

/// Whether nothing more stands on a line and the next one declares something: then the word is a decorator of it.
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

/// Whether what stands before an `@` makes it the middle of something: an e-mail address, a path, an account.
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

/// Scripts without spaces go on right behind a name; a letter like `ö` belongs to the word, which then is no name.
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<String> {
        mentions(text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn those_who_are_spoken_to_are_found() {
        for (text, expected) in [
            ("@backend the spec is ready", "@backend"),
            ("Ask @backend.", "@backend"),
            ("@backend: look, @Frontend!", "@backend @frontend"),
            (
                "(@backend), \"@frontend\"; **@docs** _@qa_ [@ops](x)",
                "@backend @frontend @docs @qa @ops",
            ),
            ("@feature/login:impl-1.", "@feature/login:impl-1"),
            ("@Shop:Feature/Login:Impl-1...", "@Shop:Feature/Login:impl-1"),
            ("@release/1.2:impl_2's turn", "@release/1.2:impl_2"),
            ("@all, and @human?", "@all @human"),
            ("@ALL @Human", "@all @human"),
            ("@backend @BACKEND @backend", "@backend"),
            ("first @b, then @a, then @b", "@b @a"),
            ("@refactor-9c4f-", "@refactor-9c4f"),
            ("请@backend看", "@backend"),
            ("@größe/x:impl-1。", "@größe/x:impl-1"),
            ("one\r\n@backend\r\n", "@backend"),
            (
                "@550e8400-e29b-41d4-a716-446655440000",
                "@550e8400-e29b-41d4-a716-446655440000",
            ),
            // Nobody can tell; whoever delivers knows who there is.
            ("@dataclass", "@dataclass"),
            (
                "@backend public API is ready\n@docs\nplease write it down",
                "@backend @docs",
            ),
        ] {
            assert_eq!(found(text).join(" "), expected, "{text:?}");
        }
    }

    #[test]
    fn what_only_looks_like_a_mention_is_none() {
        for text in [
            "bob@example.com",
            "bob.@example.com b_@example c-@d 7@x",
            "@types/node and @scope/pkg: both, @scope/pkg@1.2.3",
            "@app.route(\"/\") @pytest.fixture @cache(1)",
            "@dataclass\nclass A: pass",
            "Look at this:\n    @staticmethod\n    def f(): pass\n@Override\npublic void g() {}",
            "`@backend` and ``@front`end``",
            "```python\n@dataclass\nclass A: pass\n```",
            "    ~~~\n@backend\n~~~",
            "https://example.org/@backend",
            "@backend@example.org",
            "\\@backend",
            "@ @. @: @- @5 @12:30 @@backend",
            "@größe",
            "@a:b:c:d @:b @a::b",
            "@main:all @main:human",
            "@click=\"go\" x=@y",
            "curl -d @data.json",
        ] {
            assert_eq!(found(text).join(" "), "", "{text:?}");
        }
    }

    #[test]
    fn what_may_be_code_is_a_name_alone() {
        assert!(CODE_WORDS.is_sorted());
        for (text, expected) in [
            ("@Override", true),
            ("@media", true),
            ("@backend", false),
            ("@main:test", false),
            ("@all", false),
        ] {
            let found = mentions(text);
            assert_eq!(found[0].may_be_code(), expected, "{text}");
        }
    }

    #[test]
    fn an_agent_an_address_and_a_package_are_one_mention() {
        let text = "@feature/login:impl-1. Write to bob@example.com about @types/node.";
        assert_eq!(found(text), ["@feature/login:impl-1"]);
    }

    #[test]
    fn what_is_left_out_is_the_sender_s_own() {
        let home = Home::new("shop", Some("main"));
        for (text, address) in [
            ("backend", "shop:main:backend"),
            ("Feature/x:Backend", "shop:Feature/x:backend"),
            ("Other:dev:backend", "Other:dev:backend"),
            ("human", "shop:-:human"),
        ] {
            let meant = Mention::parse(text).unwrap().resolve(&home).unwrap();
            assert_eq!(meant, Addressee::One(address.parse().unwrap()));
        }
        assert_eq!(Mention::All.resolve(&home).unwrap(), Addressee::All);
    }

    /// Texts of what matters here: signs, names, code, other scripts.
    fn chatter() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("@".to_owned()),
            Just("`".to_owned()),
            Just("```".to_owned()),
            Just("~~~".to_owned()),
            Just("\n".to_owned()),
            Just("\n\n".to_owned()),
            "[ .:/_>-]",
            "[a-zA-Z0-9]{1,4}",
            "[äß请İ🎺]",
            any::<char>().prop_map(String::from),
        ];
        proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn every_mention_stands_in_the_text_once_and_can_be_resolved(text in chatter()) {
            let home = Home::new("shop", None);
            let found = mentions(&text);
            let written = text.to_ascii_lowercase();
            for mention in &found {
                prop_assert!(written.contains(&mention.to_string().to_ascii_lowercase()), "{mention}");
                prop_assert!(mention.resolve(&home).is_ok(), "{mention}");
                let again = Mention::parse(mention.to_string().trim_start_matches('@'));
                prop_assert_eq!(again.as_ref(), Ok(mention));
            }
            let once: HashSet<&Mention> = found.iter().collect();
            prop_assert_eq!(once.len(), found.len());
        }

        #[test]
        fn nothing_in_a_fence_is_a_mention(text in "[^`]*") {
            prop_assert_eq!(mentions(&format!("````\n{text}\n````")), []);
        }

        #[test]
        fn a_name_between_spaces_is_always_found(before in "[a-z ,.]{0,9}", name in "[a-z][a-z0-9]{0,9}") {
            prop_assume!(name != "all" && name != "human");
            let mention = Mention::Agent { project: None, branch: None, name: name.clone() };
            prop_assert_eq!(mentions(&format!("{before} @{name} is meant")), [mention]);
        }
    }
}
