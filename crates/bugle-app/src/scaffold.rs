//! Creates skills: a working example, or a copy of a built-in one.

use std::fs;
use std::path::{Path, PathBuf};

use bugle_core::name::SkillName;

use crate::{AppError, builtin, fs_util};

const SKILL: &str = "---
name: NAME
description: Use when a question needs an answer that is backed by evidence. Replace this text with the situations in which an agent should start this skill.
---

# TITLE

Describe in a few sentences what this skill is for and when not to use it. To start it:

    bugle start NAME topic=\"what to investigate\"

Each reply from Bugle is the next step and ends with the command that continues the run.
";

const WORKFLOW: &str =
    "# The workflow of this skill. `bugle skill check NAME` checks it, `bugle skill graph NAME` draws it,
# `bugle skill test NAME` walks every path. `bugle skill schema` prints the JSON Schema, which your editor can use too.
version: 1

params:
  topic: { type: string, required: true, min: 1, help: What to investigate }

steps:
  gather:
    title: Gather facts
    do: prompts/gather.md
    forbid:
      - Drawing conclusions before the list is complete, because you would then pick facts that fit the conclusions.
    result:
      findings: { type: array, min: 1, items: { type: string, min: 1 }, help: \"One fact per item, with its source\" }
      confidence: { type: enum, choices: [low, high] }
    loop: { until: \"result.confidence == 'high'\", limit: 3 }
    next: { ok: conclude, iterate: gather }

  conclude:
    title: Conclude
    do: prompts/conclude.md
    result:
      answer: { type: string, min: 1 }
    next: end
";

const GATHER: &str = "Collect the facts that the answer needs.

Topic:

{{ params.topic | quote }}
{% if visit.iteration > 1 %}
Found so far:

{{ state.gather.findings | items }}
{% endif %}
Write each fact as one sentence with its source: a file and line, a command and its
output, or a web page. \"The queue is slow\" is not a fact; \"the queue took
40 s for 100 jobs, logs/queue.txt:17\" is.

Done when a reader can check every fact at its source.

Return `findings` with all facts, and `confidence`: `high` if no missing fact could
change the answer, else `low`.
";

const CONCLUDE: &str = "Answer the question, using only the facts below.

Topic:

{{ params.topic | quote }}

Facts:

{{ state.gather.findings | items }}

Give the answer first, then the facts that support it, then the evidence that would change it.

Done when a fact above supports every sentence of the answer.

Return `answer`.
";

/// Creates a working example skill in a skills folder.
pub fn new_skill(skills: &Path, name: &str) -> Result<PathBuf, AppError> {
    let name = SkillName::new(name).map_err(|bad| AppError::Usage {
        what: bad.to_string(),
        hints: Vec::new(),
    })?;
    let mut title = name.as_str().replace('-', " ");
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let fill = |text: &str| {
        text.replace("NAME", name.as_str())
            .replace("TITLE", &title)
            .into_bytes()
    };
    let files = [
        ("SKILL.md", fill(SKILL)),
        ("workflow.yaml", fill(WORKFLOW)),
        ("prompts/gather.md", GATHER.as_bytes().to_vec()),
        ("prompts/conclude.md", CONCLUDE.as_bytes().to_vec()),
    ];
    write_skill(&skills.join(name.as_str()), files.into_iter())
}

/// Copies a built-in skill into a skills folder.
pub fn eject(skills: &Path, name: &str) -> Result<PathBuf, AppError> {
    let mut files = builtin::files(name)
        .map(|(path, file)| (path, file.bytes.to_vec()))
        .peekable();
    if files.peek().is_none() {
        let names: Vec<String> = builtin::names().iter().map(ToString::to_string).collect();
        return Err(AppError::NotFound {
            what: format!("there is no built-in skill `{name}`"),
            hints: vec![format!("The built-in skills are {}.", names.join(", "))],
        });
    }
    write_skill(&skills.join(name), files)
}

/// Writes a skill's files to a new folder; an error if the folder exists.
fn write_skill<'a>(
    target: &Path,
    files: impl Iterator<Item = (&'a str, Vec<u8>)>,
) -> Result<PathBuf, AppError> {
    let file_error = |path: &Path| {
        let path = path.to_owned();
        move |source| AppError::File {
            what: "cannot write",
            path,
            source,
        }
    };
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent).map_err(file_error(parent))?;
    }
    fs::create_dir(target).map_err(|source| match source.kind() {
        std::io::ErrorKind::AlreadyExists => AppError::Usage {
            what: format!("{} already exists", target.display()),
            hints: vec!["Nothing was changed. Choose another name or folder.".to_owned()],
        },
        _ => AppError::File {
            what: "cannot create",
            path: target.to_owned(),
            source,
        },
    })?;
    for (path, bytes) in files {
        let file = target.join(path);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).map_err(file_error(parent))?;
        }
        fs_util::write_atomic(&file, &bytes)?;
    }
    Ok(target.to_owned())
}
