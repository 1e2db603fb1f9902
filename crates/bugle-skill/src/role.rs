//! Roles: front matter with a description and tools, then instructions.

use bugle_core::path::SkillPath;
use bugle_core::role::{AgentRole, Role};
use bugle_core::tool::{self, ToolPolicy};
use bugle_core::validate::{Problem, ProblemLocation, Rule};
use serde::Deserialize;

use crate::manifest::split;
use crate::raw::{ModelWord, RawTools};
use crate::yaml;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRole {
    name: String,
    description: String,
    #[serde(default)]
    tools: Option<RawTools>,
    #[serde(default)]
    model: Option<ModelWord>,
}

/// Parses a role's file.
pub fn parse_role(file: &SkillPath, role: AgentRole, text: &str) -> Result<Role, Problem> {
    let problem = |rule, message: String, fix: &str| Problem {
        rule,
        place: ProblemLocation::File(file.clone()),
        message,
        fix: fix.to_owned(),
    };
    let Some((shift, front, body)) = split(text) else {
        let message = "the role does not start with front matter".to_owned();
        let fix = "start the file with `name`, `description` and `tools` between `---` lines";
        return Err(problem(Rule::BadFrontMatter, message, fix));
    };
    let raw: RawRole = yaml::parse(file, front, shift)?;
    if raw.name != role.as_str() {
        let message = format!("the role's name is `{}`, but its file is `{role}.md`", raw.name);
        return Err(problem(
            Rule::NameMismatch,
            message,
            "use the same name for the role and its file",
        ));
    }
    let tools = match raw.tools {
        None => ToolPolicy::Unrestricted,
        Some(tools) => tools
            .policy()
            .map_err(|(message, fix)| problem(Rule::ConflictingParts, message, fix))?,
    };
    if let Some(unknown) = tools.named().iter().find(|name| !tool::is_known(name)) {
        let message = format!("no client has a tool `{unknown}`");
        return Err(problem(
            Rule::UnknownTool,
            message,
            "use the client's own name for the tool",
        ));
    }
    if body.trim().is_empty() {
        let message = "the role has no instructions".to_owned();
        return Err(problem(
            Rule::BadFrontMatter,
            message,
            "describe what an agent in this role does, below the front matter",
        ));
    }
    Ok(Role {
        description: raw.description,
        tools,
        model: raw.model.map(ModelWord::size),
        text: body.trim().to_owned(),
    })
}
