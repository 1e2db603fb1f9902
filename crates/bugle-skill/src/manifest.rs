//! `SKILL.md`: front matter as required by the Agent Skills standard, and a body.

use std::collections::BTreeMap;

use bugle_core::path::SkillPath;
use bugle_core::validate::{Manifest, Problem, ProblemLocation, Rule};
use serde::Deserialize;

use crate::source::SourceMap;
use crate::yaml;

/// A parsed `SKILL.md`, or the older single-file form.
#[derive(Debug, Clone)]
pub struct SkillFile {
    /// The front matter.
    pub manifest: Manifest,
    /// The text after the front matter.
    pub body: String,
    /// The locations of the front matter's keys.
    pub places: SourceMap,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawManifest {
    name: String,
    description: String,
    #[serde(default)]
    license: Option<String>,
    #[serde(default)]
    compatibility: Option<String>,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
    #[serde(default, rename = "allowed-tools")]
    allowed_tools: Option<String>,
}

/// Parses a skill file.
pub fn parse_skill_file(file: &SkillPath, text: &str) -> Result<SkillFile, Problem> {
    let (shift, front, body) = split(text).ok_or_else(|| {
        let opened = text
            .trim_start_matches('\u{feff}')
            .lines()
            .next()
            .is_some_and(|line| line.trim_end() == "---");
        let message = if opened {
            "the front matter is not closed"
        } else {
            "the file does not start with front matter"
        };
        Problem {
            rule: Rule::BadFrontMatter,
            place: ProblemLocation::Bytes {
                file: file.clone(),
                start: 0,
                end: text.find(['\n', '\r']).unwrap_or(text.len()),
            },
            message: message.to_owned(),
            fix: "start the file with `name` and `description` between `---` lines".to_owned(),
        }
    })?;
    let raw: RawManifest = yaml::parse(file, front, shift).map_err(|problem| Problem {
        rule: if problem.rule == Rule::BadYaml {
            Rule::BadFrontMatter
        } else {
            problem.rule
        },
        ..problem
    })?;
    Ok(SkillFile {
        manifest: Manifest {
            name: raw.name,
            description: raw.description,
            license: raw.license,
            compatibility: raw.compatibility,
            metadata: raw.metadata,
            allowed_tools: raw.allowed_tools,
        },
        body: body.to_owned(),
        places: SourceMap::of(front, shift),
    })
}

/// A skill file's text without the front matter. The front matter may contain keys that only some client knows.
pub fn skill_body(text: &str) -> &str {
    split(text).map_or(text, |(_, _, body)| body)
}

/// The offset of the front matter, the front matter, and the rest.
pub(crate) fn split(text: &str) -> Option<(usize, &str, &str)> {
    let bom = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let rest = &text[bom..];
    let first = rest.split_inclusive('\n').next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let start = bom + first.len();
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((start, &text[start..at], &text[at + line.len()..]));
        }
        at += line.len();
    }
    None
}
