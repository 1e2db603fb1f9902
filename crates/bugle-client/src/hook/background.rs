//! Sub-agents that work in the background while the agent that started them continues or stops.

use serde_json::Value;

use super::ToolCall;

/// The sub-agents that are at work when the agent stops; `None` if the client does not list them.
pub(super) fn agents(body: &Value) -> Option<Vec<String>> {
    let tasks = body.get("background_tasks")?.as_array()?.iter();
    let at_work = tasks.filter(|task| task["type"] == "subagent" && task["status"] == "running");
    let ids = at_work.filter_map(|task| task["id"].as_str());
    Some(ids.map(str::to_owned).collect())
}

impl ToolCall {
    /// The sub-agent that the tool has started in the background.
    pub fn background_agent(&self) -> Option<&str> {
        let is_launch = self.response["status"] == "async_launched";
        self.response["agentId"].as_str().filter(|_| is_launch)
    }

    /// The task that the tool gives to a sub-agent.
    pub fn task(&self) -> Option<&str> {
        self.input["prompt"].as_str()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Client;
    use crate::hook::HookCall;

    fn read(event: &str, body: &serde_json::Value) -> HookCall {
        HookCall::read(Client::Claude, event, &body.to_string()).unwrap()
    }

    #[test]
    fn only_running_sub_agents_count_as_background_agents() {
        let listed = json!({ "background_tasks": [
            { "id": "a1", "type": "subagent", "status": "running" },
            { "id": "a2", "type": "subagent", "status": "completed" },
            { "id": "b1", "type": "shell", "status": "running" },
        ]});
        let agents = |body| read("Stop", &body).background_agents;
        assert_eq!(agents(listed), Some(vec!["a1".to_owned()]));
        assert_eq!(agents(json!({ "background_tasks": [] })), Some(Vec::new()));
        assert_eq!(agents(json!({})), None);
    }

    #[test]
    fn a_sub_agent_in_the_background_is_distinguished_from_one_that_has_returned() {
        let response = |status: &str| json!({ "tool_response": { "status": status, "agentId": "a1" } });
        let launched = read("PostToolUse", &response("async_launched"));
        assert_eq!(launched.tool.background_agent(), Some("a1"));
        let returned = read("PostToolUse", &response("completed"));
        assert_eq!(returned.tool.background_agent(), None);
    }
}
