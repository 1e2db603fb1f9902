//! Conventions: front matter with a description and roles, then independent sections.

use bugle_core::path::SkillPath;
use bugle_core::role::AgentRole;
use bugle_core::validate::{Problem, ProblemLocation, Rule};
use serde::Deserialize;

use crate::manifest::split;
use crate::markdown::{Fences, lines};
use crate::yaml;

/// A convention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Convention {
    /// A one-line description.
    pub description: String,
    /// The roles that the convention is for.
    pub roles: Vec<AgentRole>,
    /// The text for agents.
    pub body: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawConvention {
    name: String,
    description: String,
    #[serde(default)]
    roles: Vec<String>,
}

/// Parses the convention `name`.
pub fn parse_convention(file: &SkillPath, name: &str, text: &str) -> Result<Convention, Problem> {
    let problem = |rule, message: String, fix: &str| {
        let place = ProblemLocation::File(file.clone());
        Problem {
            rule,
            place,
            message,
            fix: fix.to_owned(),
        }
    };
    let Some((shift, front, body)) = split(text) else {
        let message = "the convention does not start with front matter".to_owned();
        return Err(problem(
            Rule::BadFrontMatter,
            message,
            "start the file with `name`, `description` and `roles` between `---` lines",
        ));
    };
    let raw: RawConvention = yaml::parse(file, front, shift)?;
    if raw.name != name {
        let message = format!(
            "the convention's name is `{}`, but its file is `{name}.md`",
            raw.name
        );
        return Err(problem(
            Rule::NameMismatch,
            message,
            "use the same name for the convention and its file",
        ));
    }
    let mut roles = Vec::new();
    for word in &raw.roles {
        let Ok(role) = word.parse() else {
            let message = format!("there is no role `{word}`");
            let fix = format!("use one of {}", AgentRole::ALL.map(AgentRole::as_str).join(", "));
            return Err(problem(Rule::UnknownRole, message, &fix));
        };
        roles.push(role);
    }
    Ok(Convention {
        description: raw.description,
        roles,
        body: body.trim().to_owned(),
    })
}

/// The text of a convention without its front matter, even if the front matter is invalid: agents never see YAML.
pub fn convention_body(text: &str) -> &str {
    split(text).map_or(text, |(_, _, body)| body).trim()
}

/// The section titles in a convention: its second-level headings.
pub fn section_titles(body: &str) -> Vec<&str> {
    headings(body).into_iter().map(|(title, _)| title).collect()
}

/// A section with its heading, up to the next second-level heading.
pub fn section<'a>(body: &'a str, title: &str) -> Option<&'a str> {
    let all = headings(body);
    let index = all.iter().position(|(found, _)| *found == title)?;
    let end = all.get(index + 1).map_or(body.len(), |(_, start)| *start);
    Some(body[all[index].1..end].trim_end())
}

/// Second-level headings with their offsets; a `##` inside a fence is not a heading.
fn headings(body: &str) -> Vec<(&str, usize)> {
    lines(body, Fences::Toggling)
        .filter(|line| line.fence.is_none())
        .filter_map(|line| Some((line.text.strip_prefix("## ")?.trim(), line.at)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\nname: naming\ndescription: How things are called\nroles: [developer]\n---\n\n# Naming\n\nFirst.\n\n## Verbs\n\nA.\n\n```\n## not a heading\n```\n\n## Nouns\n\nB.\n";

    #[test]
    fn a_convention_is_read_in_full_or_by_section() {
        let file = SkillPath::new("conventions/naming.md").unwrap();
        let convention = parse_convention(&file, "naming", TEXT).unwrap();
        assert_eq!(convention.roles, [AgentRole::Developer]);
        assert_eq!(section_titles(&convention.body), ["Verbs", "Nouns"]);
        assert_eq!(section(&convention.body, "Nouns").unwrap(), "## Nouns\n\nB.");
        assert!(section(&convention.body, "Verbs").unwrap().ends_with("```"));
        assert!(section(&convention.body, "not a heading").is_none());
        assert!(convention_body(TEXT).starts_with("# Naming"));
    }

    #[test]
    fn a_convention_with_a_mismatched_name_or_unknown_role_is_refused() {
        let file = SkillPath::new("conventions/naming.md").unwrap();
        assert_eq!(
            parse_convention(&file, "other", TEXT).unwrap_err().rule,
            Rule::NameMismatch
        );
        let text = TEXT.replace("developer", "devloper");
        assert_eq!(
            parse_convention(&file, "naming", &text).unwrap_err().rule,
            Rule::UnknownRole
        );
        assert_eq!(
            parse_convention(&file, "naming", "# Naming").unwrap_err().rule,
            Rule::BadFrontMatter
        );
    }
}
