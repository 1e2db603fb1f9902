//! Skill stubs for clients. A stub adds a built-in skill to the client's own list of skills, and says how to start it.

use bugle_client::shell_word;
use bugle_core::path::SkillPath;
use bugle_skill::parse_skill_file;

use crate::builtin;

/// The `metadata` key and value that mark a stub.
const KEY: &str = "bugle";
const VALUE: &str = "built-in";

/// The names and texts of all stubs. `program` is the command that calls Bugle.
pub(super) fn stubs(program: &str) -> Vec<(String, String)> {
    let names = builtin::names().into_iter();
    names
        .filter(|name| builtin::files(name.as_str()).any(|(path, _)| path == "workflow.yaml"))
        .filter_map(|name| Some((name.to_string(), stub(name.as_str(), program)?)))
        .collect()
}

fn stub(name: &str, program: &str) -> Option<String> {
    let (_, file) = builtin::files(name).find(|(path, _)| *path == "SKILL.md")?;
    let skill = parse_skill_file(
        &SkillPath::new("SKILL.md").ok()?,
        std::str::from_utf8(file.bytes).ok()?,
    )
    .ok()?;
    // A JSON string is also a YAML string.
    let description = serde_json::to_string(&skill.manifest.description).ok()?;
    let start = format!("{} start ", shell_word(program));
    let body = skill.body.replace("bugle start ", &start);
    let mark = format!(
        "# Stub for a built-in skill. `bugle setup` overwrites it. To change the skill: bugle skill eject {name}"
    );
    Some(format!(
        "---\n{mark}\nname: {name}\ndescription: {description}\nmetadata:\n  {KEY}: \"{VALUE}\"\n---\n{body}"
    ))
}

/// Whether a `SKILL.md` is a stub.
pub(crate) fn is_stub(text: &str) -> bool {
    let Ok(path) = SkillPath::new("SKILL.md") else {
        return false;
    };
    // Most skills are not stubs, so a substring search avoids parsing their YAML.
    text.contains(VALUE)
        && parse_skill_file(&path, text).is_ok_and(|skill| {
            skill
                .manifest
                .metadata
                .get(KEY)
                .is_some_and(|value| value == VALUE)
        })
}
