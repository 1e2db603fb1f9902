//! Roles as client agent definitions.

use bugle_client::{AgentFormat, Client, is_definition};
use bugle_core::role::{AgentRole, ModelSize, Role};
use bugle_core::tool::ToolPolicy;
use proptest::prelude::*;

const CLIENTS: [Client; 3] = [Client::Claude, Client::Codex, Client::Qwen];

fn format(client: Client) -> &'static AgentFormat {
    client.agent_format().unwrap()
}

fn definition(client: Client, name: AgentRole, role: &Role) -> String {
    format(client).definition(name, role)
}

fn names(tools: &[&str]) -> Vec<String> {
    tools.iter().map(|&tool| tool.to_owned()).collect()
}

fn reviewer() -> Role {
    Role {
        description: "Use to judge: a plan, code # or text".to_owned(),
        tools: ToolPolicy::Deny(names(&["Edit", "Write", "Agent", "mcp__git__push"])),
        model: Some(ModelSize::Large),
        text: "## Brief\n\nYou \"judge\" C:\\work.\n\n## Report\n\nFindings.".to_owned(),
    }
}

/// The value of a key on one line. Parses the value as JSON, which has the same escapes.
fn value(definition: &str, key: &str) -> Option<String> {
    let line = definition.lines().find_map(|line| line.strip_prefix(key))?;
    Some(serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
}

/// The instructions in a Codex definition.
fn instructions(definition: &str) -> String {
    let (_, inside) = definition
        .split_once("developer_instructions = \"\"\"\n")
        .unwrap();
    let inside = inside.strip_suffix("\"\"\"\n").unwrap();
    serde_json::from_str(&format!("\"{}\"", inside.replace('\n', "\\n"))).unwrap()
}

/// The body of a Claude Code definition, found as the client does: three hyphens end the front matter.
fn body(definition: &str) -> &str {
    let (_, rest) = definition
        .strip_prefix("---\n")
        .unwrap()
        .split_once("---")
        .unwrap();
    rest.trim_start()
}

#[test]
fn for_claude_code() {
    insta::assert_snapshot!(definition(
        Client::Claude,
        AgentRole::QualityReviewer,
        &reviewer()
    ));
}

#[test]
fn for_codex() {
    insta::assert_snapshot!(definition(Client::Codex, AgentRole::QualityReviewer, &reviewer()));
}

#[test]
fn for_qwen_code() {
    insta::assert_snapshot!(definition(Client::Qwen, AgentRole::QualityReviewer, &reviewer()));
}

#[test]
fn a_role_that_may_use_only_some_tools() {
    let only = Role {
        tools: ToolPolicy::Allow(names(&["Read", "Bash"])),
        model: None,
        text: "Look.".to_owned(),
        ..reviewer()
    };
    let texts = CLIENTS.map(|client| definition(client, AgentRole::Explore, &only));
    insta::assert_snapshot!(texts.join("\n==========\n"));
}

#[test]
fn a_role_that_may_use_everything_says_nothing_about_tools() {
    for tools in [ToolPolicy::Unrestricted, ToolPolicy::Deny(Vec::new())] {
        let free = Role { tools, ..reviewer() };
        for client in CLIENTS {
            let text = definition(client, AgentRole::Developer, &free);
            assert!(!text.to_lowercase().contains("tools"), "{text}");
        }
    }
}

#[test]
fn the_text_names_a_tool_that_a_list_cannot_contain() {
    let odd = Role {
        tools: ToolPolicy::Deny(names(&["Edit", "mcp__a__b, Read", "mcp__c__d(e)"])),
        ..reviewer()
    };
    let text = definition(Client::Claude, AgentRole::Explore, &odd);
    assert_eq!(value(&text, "disallowedTools: ").as_deref(), Some("Edit"));
    assert!(
        body(&text).contains("`mcp__a__b, Read`, `mcp__c__d(e)`"),
        "{text}"
    );
}

#[test]
fn every_model_size_has_a_value_in_each_client() {
    let words = ModelSize::ALL.map(|size| {
        let role = Role {
            model: Some(size),
            ..reviewer()
        };
        let line = |client, key: &str| {
            let text = definition(client, AgentRole::Explore, &role);
            text.lines()
                .find_map(|line| line.strip_prefix(key).map(str::to_owned))
        };
        (
            line(Client::Claude, "model: ").unwrap(),
            line(Client::Codex, "model_reasoning_effort = ").unwrap(),
        )
    });
    let words = words
        .each_ref()
        .map(|(model, effort)| (model.as_str(), effort.as_str()));
    assert_eq!(
        words,
        [
            ("haiku", "\"low\""),
            ("sonnet", "\"medium\""),
            ("opus", "\"high\"")
        ]
    );
}

#[test]
fn each_agent_has_its_own_name_and_file() {
    let claude = AgentRole::ALL.map(|role| format(Client::Claude).file_name(role));
    assert_eq!(claude[7], "bugle-general-purpose.md");
    assert_eq!(
        format(Client::Codex).file_name(AgentRole::Explore),
        "bugle-explore.toml"
    );
    assert!(claude.iter().all(|name| name.starts_with("bugle-")));
}

#[test]
fn other_files_are_not_recognised_as_definitions() {
    for text in [
        "",
        "---\n",
        "---\nname: mine\n---\nMine.\n",
        "name = \"mine\"\n",
        "---\nname: mine\n---\n# Written by `bugle role export`\n",
    ] {
        assert!(!is_definition(text), "{text:?}");
    }
    for client in CLIENTS {
        let text = definition(client, AgentRole::Explore, &reviewer());
        assert!(is_definition(&text));
        assert!(
            is_definition(&text.replace('\n', "\r\n")),
            "with the line ends that git may check out"
        );
    }
}

/// Characters that YAML rejects or treats as a line break.
const NOT_FOR_YAML: [char; 9] = [
    '\r', '\t', '\0', '\u{7f}', '\u{85}', '\u{2028}', '\u{2029}', '\u{feff}', '\u{ffff}',
];

/// Any text, often with characters that are special in a format.
fn nasty() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("---".to_owned()),
        Just("\"\"\"".to_owned()),
        Just("\\".to_owned()),
        Just("\\u0041".to_owned()),
        Just("\n---\n".to_owned()),
        Just(": # {[&*!|>%@`'".to_owned()),
        Just("\r\n\t\u{0}\u{7f}\u{85}\u{2028}\u{feff}\u{ffff}".to_owned()),
        any::<String>(),
    ];
    proptest::collection::vec(pieces, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_escapes_its_quotes(description in nasty(), text in nasty()) {
        let role = Role { description, text, ..reviewer() };
        let codex = definition(Client::Codex, AgentRole::Explore, &role);
        prop_assert_eq!(value(&codex, "description = ").unwrap(), role.description.trim());
        let instructions = instructions(&codex);
        prop_assert!(instructions.starts_with(role.text.trim()));
        prop_assert!(instructions.contains("`bugle start --child`"));
        prop_assert!(instructions.contains("`Edit`, `Write`, `Agent`, `mcp__git__push`"));

        let claude = definition(Client::Claude, AgentRole::Explore, &role);
        prop_assert_eq!(value(&claude, "description: ").unwrap(), role.description.trim());
        prop_assert_eq!(value(&claude, "disallowedTools: ").unwrap(), "Edit, Write, Agent, mcp__git__push");
        prop_assert!(body(&claude).starts_with(role.text.trim()));
        prop_assert!(body(&claude).contains("`bugle start --child`"));

        for text in [&codex, &claude] {
            prop_assert!(is_definition(text));
            let settings = text.split("\n---").next().unwrap();
            let settings = settings.split("developer_instructions").next().unwrap();
            prop_assert!(!settings.contains(NOT_FOR_YAML));
        }
    }
}
