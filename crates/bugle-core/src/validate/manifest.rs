//! Rules about SKILL.md: the front matter as the Agent Skills standard has it, and a description that helps to choose.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Problem, ProblemLocation, Rule, texts};
use crate::name::SkillName;
use crate::path::SkillPath;
use crate::workflow::WorkflowDef;

/// The standard's bound for a description, in characters.
pub const MAX_DESCRIPTION: usize = 1024;
const MAX_COMPATIBILITY: usize = 500;

/// The front matter of SKILL.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The skill's name, the same as its folder's.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// Under which license it may be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// What it needs around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compatibility: Option<String>,
    /// Anything else, as text by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// Tools that need no permission while it is used.
    #[serde(default, rename = "allowed-tools", skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<String>,
}

/// Checks the front matter of `file`, a skill that lives in the folder `folder`.
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
                "the skill is called `{}` but its folder `{folder}`",
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
            "say when to use the skill: it is all that a client sees when it chooses".to_owned(),
        );
    } else if length > MAX_DESCRIPTION {
        push(
            Rule::LongDescription,
            "description",
            format!("the description has {length} characters; the standard allows {MAX_DESCRIPTION}"),
            "say only when to use the skill".to_owned(),
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
            format!("`compatibility` has more than the {MAX_COMPATIBILITY} characters the standard allows"),
            "shorten it".to_owned(),
        );
    }
    if let Some((start, end)) = texts::promise(&manifest.description) {
        push(
            Rule::StepCountInText,
            "description",
            format!(
                "the description speaks of `{}`",
                &manifest.description[start..end]
            ),
            "leave the number out: it goes wrong when the workflow changes".to_owned(),
        );
    }
    if let Some(workflow) = workflow
        && retells(&manifest.description, workflow)
    {
        push(
            Rule::RetellingDescription,
            "description",
            "the description retells the workflow; an agent that knows it all will not start it".to_owned(),
            "say when to use the skill, and leave how it works to the workflow".to_owned(),
        );
    }
    problems
}

/// Checks the body of `file`, which begins so many bytes into it: where a workflow leads, no text may count its steps.
pub fn check_body(file: &SkillPath, offset: usize, body: &str) -> Option<Problem> {
    let (start, end) = texts::promise(body)?;
    Some(Problem {
        rule: Rule::StepCountInText,
        place: ProblemLocation::Bytes {
            file: file.clone(),
            start: offset + start,
            end: offset + end,
        },
        message: format!("the text speaks of `{}`", &body[start..end]),
        fix: "leave the number out: it goes wrong when the workflow changes".to_owned(),
    })
}

/// Whether a description goes through the steps: it names several of them, or strings things together in order.
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
