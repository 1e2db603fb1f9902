//! Parsing and judging thousands of damaged hook calls never panics. The calls are the same in every run.

use bugle_client::Client;
use bugle_client::hook::{HookCall, HookReply, StatusCall, is_denial, text as lossy_text};
use bugle_core::hook::{AgentPaths, Denied, Shell, ToolUse, judge, mirror};
use bugle_core::tool::ToolPolicy;
use serde_json::{Value, json};

const CALLS: usize = 24_000;
const EVENTS: [&str; 9] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "BeforeTool",
];
const TOOLS: [&str; 8] = [
    "Bash",
    "Edit",
    "Write",
    "NotebookEdit",
    "TodoWrite",
    "apply_patch",
    "mcp__bugle__finish_step",
    "Größe",
];
const CLIENTS: [Client; 3] = [Client::Claude, Client::Codex, Client::Gemini];
/// Commands to start from.
const CORPUS: &str = include_str!("../../../bugle-core/tests/it/shell_corpus.txt");
/// Bytes that are special in JSON or in a shell, and some that are not.
const BYTES: &[u8] = b"{}[]\",:0\\'$`()<>|&;\n\0\x1b\xc3\xff";

/// Pseudo-random numbers.
struct Series(u64);

impl Series {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound.max(1)
    }

    fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// Changes a few bytes.
    fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(5) {
            let place = self.below(bytes.len());
            match self.below(6) {
                0 => bytes.truncate(place),
                1 if place < bytes.len() => bytes[place] = *self.one_of(BYTES),
                2 if place < bytes.len() => drop(bytes.remove(place)),
                3 => {
                    let end = (place + self.below(60)).min(bytes.len());
                    let again = bytes[place..end].to_vec();
                    bytes.splice(place..place, again);
                }
                4 => drop(bytes.splice(place..place, b"[".repeat(self.below(300)))),
                _ => bytes.insert(place, *self.one_of(BYTES)),
            }
        }
    }
}

fn territory() -> AgentPaths {
    AgentPaths {
        directory: "/h/u/project".to_owned(),
        root: "/h/u/project".to_owned(),
        store: "/h/u/.bugle".to_owned(),
        results: vec!["/h/u/.bugle/work/r-1".to_owned()],
        scratch: "/tmp".to_owned(),
        settings: vec!["/h/u/.claude/settings.json".to_owned()],
        program: vec!["/opt/bugle".to_owned()],
    }
}

/// Whether a tool may be used if writing is denied.
fn judged(call: &HookCall) -> Result<(), Denied> {
    let command = call.tool.command();
    let used = ToolUse {
        tool: call.tool.tool(),
        name: &call.tool.name,
        command: command.as_deref(),
        file: call.tool.file(),
        patch: call.tool.patch(),
    };
    let policy = ToolPolicy::Deny(["Edit", "Write", "NotebookEdit"].map(str::to_owned).to_vec());
    let shell = Shell {
        program: &|word| word == "bugle",
        variable: &|name| (name == "HOME").then(|| "/h/u".to_owned()),
        session_variables: &[],
    };
    judge(&[policy], &used, &territory(), &shell).map_err(|(_, denied)| denied)
}

fn commands() -> Vec<String> {
    let lines = CORPUS
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| line.split_once('\t').unwrap().1.replace('␤', "\n"))
        .collect()
}

/// A call with its fields in the clients' order: the tool before its input.
fn body(tool: &str, command: &str) -> String {
    let input = json!({
        "command": command, "file_path": "src/a.rs", "content": command, "input": command,
        "todos": [{ "content": command, "status": "pending", "activeForm": "x" }],
    });
    let tool = Value::from(tool);
    format!(
        "{{\"session_id\":\"s\",\"cwd\":\"/h/u/project\",\"tool_name\":{tool},\"tool_input\":{input},\
         \"tool_response\":[1,-2.5e3,true,null,\"x\"],\"stop_hook_active\":false,\"prompt\":\"go on\"}}"
    )
}

#[test]
fn damaged_calls_are_read_and_judged() {
    let commands = commands();
    let mut series = Series(17);
    let (mut understood, mut denied) = (0, 0);
    for _ in 0..CALLS {
        let (client, event) = (*series.one_of(&CLIENTS), *series.one_of(&EVENTS));
        let tool = *series.one_of(&TOOLS);
        let command: &String = series.one_of(&commands);
        let mut bytes = body(tool, command).into_bytes();
        series.damage(&mut bytes);
        let text = lossy_text(&bytes);
        let _ = StatusCall::read(&text);
        let Ok(call) = HookCall::read(client, event, &text) else {
            continue;
        };
        understood += 1;
        if let Some(change) = call.todo_update() {
            let _ = mirror(&std::collections::BTreeMap::new(), &change);
        }
        let _ = call.tool.said();
        let judgement = judged(&call);
        assert_eq!(judged(&call), judgement, "{text}");
        let answer = HookReply {
            deny: judgement.err().map(|why| format!("{why:?}")),
            context: Some(text.clone().into_owned()),
            ..HookReply::default()
        };
        let Some(written) = answer.render(&call) else {
            continue;
        };
        assert!(serde_json::from_str::<Value>(&written).is_ok(), "{written}");
        assert_eq!(is_denial(client, &written), answer.deny.is_some(), "{written}");
        denied += usize::from(answer.deny.is_some());
    }
    println!("understood: {understood}; denied: {denied}");
    assert!(
        understood > CALLS / 3 && denied > CALLS / 20,
        "{understood} {denied}"
    );
}

#[test]
fn a_call_truncated_after_its_command_is_judged_like_the_whole_call() {
    let commands = commands();
    let mut series = Series(4);
    for command in &commands {
        let tool = *series.one_of(&["Bash", "Edit", "Write"]);
        let whole = body(tool, command);
        let needed = whole.find("\"file_path\":\"src/a.rs\"").unwrap() + 22;
        let expected = judged(&HookCall::read(Client::Claude, "PreToolUse", &whole).unwrap());
        for _ in 0..20 {
            let cut = needed + series.below(whole.len() - needed);
            let text = lossy_text(&whole.as_bytes()[..cut]).into_owned();
            let call = HookCall::read(Client::Claude, "PreToolUse", &text)
                .unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(judged(&call), expected, "{text}");
        }
    }
}
