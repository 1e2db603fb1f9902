//! Skill stubs for clients. A stub adds a skill to the client's own list of skills, and says how to start it.

use bugle_client::shell_word;
use bugle_core::path::SkillPath;
use bugle_skill::parse_skill_file;

use crate::builtin;
use crate::checksum::with_checksum;

/// The `metadata` key and value that mark a stub.
const KEY: &str = "bugle";
const BUILT_IN: &str = "built-in";
const OWN: &str = "stub";

/// The names and texts of the stubs for built-in skills. `program` is the command that calls Bugle.
pub(super) fn stubs(program: &str) -> Vec<(String, String)> {
    let names = builtin::names().into_iter();
    names
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
        "# Stub for a built-in skill, written by `bugle setup`. To change the skill: bugle skill eject {name}"
    );
    let text = format!(
        "---\n{mark}\nname: {name}\ndescription: {description}\nmetadata:\n  {KEY}: \"{BUILT_IN}\"\n---\n{body}"
    );
    Some(with_checksum(&text))
}

/// The stub for a skill of the project or the user. `params` are the names of the required params.
pub(super) fn own_stub(name: &str, description: &str, params: &[String], program: &str) -> Option<String> {
    let description = serde_json::to_string(description).ok()?;
    let program = shell_word(program);
    let params: String = params.iter().map(|param| format!(" {param}=\"...\"")).collect();
    let text = format!(
        "---
# Stub for one of your own skills, written by `bugle setup`. To find the skill: bugle skill show {name}
name: {name}
description: {description}
metadata:
  {KEY}: \"{OWN}\"
---

Bugle runs this skill step by step. To start it:

```
{program} start {name}{params}
```

Bugle prints the first step and the command that reports its result. Run that command;
it prints the next step. You don't have to remember anything in between.
"
    );
    Some(with_checksum(&text))
}

/// Whether a `SKILL.md` is a stub.
pub(crate) fn is_stub(text: &str) -> bool {
    let Ok(path) = SkillPath::new("SKILL.md") else {
        return false;
    };
    let is_mark = |value: &String| value == BUILT_IN || value == OWN;
    // Most skills are not stubs, so a substring search avoids parsing their YAML.
    (text.contains(BUILT_IN) || text.contains(OWN))
        && parse_skill_file(&path, text)
            .is_ok_and(|skill| skill.manifest.metadata.get(KEY).is_some_and(is_mark))
}
