//! Rules about SKILL.md: valid Agent Skills front matter, and a description that says when to use the skill.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Problem, ProblemLocation, Rule, texts};
use crate::name::SkillName;
use crate::path::SkillPath;
use crate::workflow::WorkflowDef;

/// The standard's limit for a description, in characters.
pub const MAX_DESCRIPTION: usize = 1024;
const MAX_COMPATIBILITY: usize = 500;

/// The front matter of SKILL.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The skill's name, which equals the folder's name.
    pub name: String,
    /// When to use the skill.
    pub description: String,
    /// The licence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// The skill's requirements on its environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compatibility: Option<String>,
    /// Additional metadata, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// Tools that the skill may use without asking for permission.
    #[serde(default, rename = "allowed-tools", skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<String>,
}

/// Checks the front matter of `file`. `folder` is the name of the skill's folder.
pub fn check_manifest(
    file: &SkillPath,
    folder: Option<&str>,
    manifest: &Manifest,
    workflow: Option<&WorkflowDef>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut push = |rule, path: &str, message: String, fix: String| {
        let place = ProblemLocation::Key {
            file: file.clone(),
            path: path.to_owned(),
        };
        problems.push(Problem {
            rule,
            place,
            message,
            fix,
        });
    };
    if let Err(bad) = SkillName::new(manifest.name.as_str()) {
        push(
            Rule::BadName,
            "name",
            bad.to_string(),
            "rename the skill and its folder".to_owned(),
        );
    }
    if let Some(folder) = folder
        && folder != manifest.name
    {
        push(
            Rule::NameMismatch,
            "name",
            format!(
                "the skill's name is `{}`, but its folder is `{folder}`",
                manifest.name
            ),
            format!("write `name: {folder}`, or rename the folder"),
        );
    }
    let length = manifest.description.chars().count();
    if manifest.description.trim().is_empty() {
        push(
            Rule::BadFrontMatter,
            "description",
            "the description is empty".to_owned(),
            "describe when to use the skill: clients choose skills only by their descriptions".to_owned(),
        );
    } else if length > MAX_DESCRIPTION {
        push(
            Rule::LongDescription,
            "description",
            format!("the description is {length} characters long; the limit is {MAX_DESCRIPTION}"),
            "describe only when to use the skill".to_owned(),
        );
    }
    if manifest
        .compatibility
        .as_ref()
        .is_some_and(|text| text.chars().count() > MAX_COMPATIBILITY)
    {
        push(
            Rule::BadFrontMatter,
            "compatibility",
            format!("`compatibility` is longer than {MAX_COMPATIBILITY} characters"),
            "shorten it".to_owned(),
        );
    }
    if let Some((start, end)) = texts::promise(&manifest.description) {
        push(
            Rule::StepCountInText,
            "description",
            format!("the description mentions `{}`", &manifest.description[start..end]),
            "remove the number: step numbers change when the workflow changes".to_owned(),
        );
    }
    if let Some(workflow) = workflow
        && retells(&manifest.description, workflow)
    {
        push(
            Rule::RetellingDescription,
            "description",
            "the description summarises the workflow, so an agent may follow the description without starting the skill"
                .to_owned(),
            "describe only when to use the skill".to_owned(),
        );
    }
    problems
}

/// Checks the body of `file`, which starts at byte `offset`: if the skill has a workflow, the body must not mention
/// step numbers or the number of steps.
pub fn check_body(file: &SkillPath, offset: usize, body: &str) -> Option<Problem> {
    let (start, end) = texts::promise(body)?;
    Some(Problem {
        rule: Rule::StepCountInText,
        place: ProblemLocation::Bytes {
            file: file.clone(),
            start: offset + start,
            end: offset + end,
        },
        message: format!("the text mentions `{}`", &body[start..end]),
        fix: "remove the number: step numbers change when the workflow changes".to_owned(),
    })
}

/// Whether a description retells the workflow: it names several steps, or lists actions in order.
fn retells(description: &str, workflow: &WorkflowDef) -> bool {
    let lower = description.to_lowercase();
    let named = workflow
        .steps
        .iter()
        .filter(|step| lower.contains(&step.title.to_lowercase()))
        .count();
    let sequence =
        lower.matches(" then ").count() + lower.matches("finally").count() + lower.matches("-> ").count();
    named >= 3 || (workflow.steps.len() > 2 && named == workflow.steps.len()) || sequence >= 2
}
