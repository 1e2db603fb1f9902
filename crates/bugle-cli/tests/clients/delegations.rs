//! Gemini CLI's hooks do not mention sub-agents. Bugle tells them apart by the call that started them.

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request};
use serde_json::json;

use crate::agent::{Sight, between, finish, sight};
use crate::work::{set_up, status};

const PARCEL: &str = "version: 1
steps:
  send:
    title: Send a messenger
    role: orchestrator
    do: Send one messenger.
    dispatch: { role: developer, workflow: agents/messenger.yaml }
    next: { ok: tell, fail: tell }
  tell:
    title: Tell
    do: Tell the user.
    next: end
";

const MESSENGER: &str = "version: 1
steps:
  carry:
    title: Carry the parcel
    do: Carry it.
    tools: { deny: [WebFetch] }
    result:
      seen: { type: string }
    next: end
";

/// The tool with which a sub-agent returns its result.
const END: &str = "complete_task";

#[test]
fn a_sub_agent_without_hooks_of_its_own_follows_its_own_rules_and_must_report() {
    let Some(sandbox) = set_up(Client::Gemini, &[("parcel", PARCEL)]) else {
        return;
    };
    let agents = sandbox.project().join(".bugle/skills/parcel/agents");
    sandbox.write(&agents.join("messenger.yaml"), MESSENGER);
    let written = sandbox.project().join("parcel.txt");
    let file = written.display().to_string();
    let mut acts = 0;
    let model = move |request: &Request| {
        if request.tools().contains(&END) {
            acts += 1;
            let shown = request.shown();
            return match acts {
                1 => {
                    let token = between(&shown, "bugle start --child '", "'").unwrap_or_default();
                    Reply::shell(format!("bugle start --child '{token}'"))
                }
                2 => Reply::tool("web_fetch", json!({ "prompt": "Read http://127.0.0.1/map" })),
                3 => Reply::write(&file, "a parcel"),
                // It ends its work before it has reported, and is refused.
                5 => match sight(request) {
                    Sight::Step(seen) => finish(&seen, &json!({ "seen": "a door" })),
                    other => Reply::text(format!("{other:?}")),
                },
                _ => Reply::tool(END, json!({ "result": { "response": "Carried." } })),
            };
        }
        match sight(request) {
            Sight::Nothing => Reply::shell("bugle start parcel"),
            Sight::Step(seen) if seen.step == "send" && acts == 0 => {
                let prompt = seen.starts.concat();
                Reply::tool(
                    "invoke_agent",
                    json!({ "agent_name": "generalist", "prompt": prompt }),
                )
            }
            Sight::Step(seen) => Reply::shell(seen.command),
            Sight::Complete => Reply::text("The parcel is there."),
        }
    };
    let finished = sandbox.launch("Send the parcel.").run(model).ok();
    assert_eq!(status(&sandbox, "parcel"), "completed", "{finished}");
    assert!(
        written.exists(),
        "the orchestrator's rules do not apply\n{finished}"
    );
    let results = finished
        .requests()
        .into_iter()
        .filter_map(Request::last_tool_result);
    let refused: Vec<String> = results
        .filter(|result| result.contains("Tool execution blocked"))
        .collect();
    assert_eq!(refused.len(), 2, "{finished}");
    assert!(
        refused[0].contains("does not allow the web_fetch tool"),
        "{refused:?}"
    );
    assert!(refused[1].contains("Your report is missing"), "{refused:?}");
}
