//! A model that has nothing but MCP: it sees the results of tools, and makes the calls that they print, word for word.

use serde_json::{Value, json};

use super::mcp_client::{Client, Told, forms, greeting};

/// What the user does with a question: an answer, or `None` to decline.
pub(crate) type User = fn(&str) -> Option<&'static str>;

/// A model with its own connection.
pub(crate) struct Model {
    client: Client,
    user: Option<User>,
    /// The questions that the client has shown to its user.
    pub(crate) asked: Vec<Value>,
    /// Everything that the model has read.
    pub(crate) read: Vec<String>,
}

impl Model {
    /// A model whose client shows the server's questions to `user`, or shows none.
    pub(crate) fn connected(command: std::process::Command, user: Option<User>) -> Self {
        let mut client = Client::start(command);
        let mut hello = greeting("2025-11-25");
        if user.is_some() {
            hello["capabilities"] = forms();
        }
        client.ask("initialize", &hello);
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        Self {
            client,
            user,
            asked: Vec::new(),
            read: Vec::new(),
        }
    }

    /// Calls a tool. Meanwhile, the client's user answers.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Told {
        let user = self.user;
        let asked = &mut self.asked;
        let called = json!({ "name": tool, "arguments": arguments });
        let answer = self.client.ask_answering("tools/call", &called, &mut |request| {
            assert_eq!(request["method"], "elicitation/create", "{request}");
            asked.push(request["params"].clone());
            let question = request["params"]["message"].as_str().unwrap();
            match user.and_then(|user| user(question)) {
                Some(answer) => json!({ "action": "accept", "content": { "answer": answer } }),
                None => json!({ "action": "decline" }),
            }
        });
        let told = Told::of(&answer);
        self.read.push(told.text.clone());
        told
    }

    /// Makes a printed call, with further arguments that the model has worked out itself.
    #[track_caller]
    pub(crate) fn make(&mut self, printed: &str, own: &Value) -> Told {
        let (tool, mut arguments) = parsed(printed);
        for (name, value) in own.as_object().unwrap() {
            arguments[name] = value.clone();
        }
        self.call(&tool, &arguments)
    }

    /// Does steps until the run, or the sub-agent's work, is over. `work` is what the model thinks of: the result for a
    /// step's title. Starts a sub-agent with its own connection for each prompt that a step prints.
    #[track_caller]
    pub(crate) fn works(
        &mut self,
        first: Told,
        work: &dyn Fn(&str) -> Value,
        helper: &dyn Fn() -> Self,
    ) -> String {
        let mut told = first;
        for _ in 0..40 {
            let text = told.text.clone();
            if text.contains("<run_complete") || text.contains("<orchestrator_action>") {
                return text;
            }
            let mut prompts = elements(&text, "start");
            let mut own = json!({});
            if text.contains("pass_as=\"result\"") {
                own["result"] = work(&title(&text));
            }
            let mut next = element(&text, "invoke_after");
            while !prompts.is_empty() {
                let last = helper().does_as_prompted(&prompts.remove(0), work, helper);
                next = element(&last, "command");
            }
            told = self.make(&next, &own);
        }
        panic!("the run does not end: {:?}", self.read.last());
    }

    /// A sub-agent's whole life: its prompt is all that it knows.
    #[track_caller]
    fn does_as_prompted(
        mut self,
        prompt: &str,
        work: &dyn Fn(&str) -> Value,
        helper: &dyn Fn() -> Self,
    ) -> String {
        let first = self.make(prompt, &json!({}));
        self.works(first, work, helper)
    }
}

/// The last printed call in a text.
#[track_caller]
pub(crate) fn parsed(text: &str) -> (String, Value) {
    let tools = [
        "start_run",
        "finish_step",
        "get_step",
        "get_context",
        "send_message",
        "update_task",
    ];
    let found = tools.iter().filter_map(|tool| {
        let at = text.rfind(&format!("{tool} {{"))?;
        let rest = &text[at + tool.len() + 1..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        Some((at, (*tool).to_owned(), values.next()?.ok()?))
    });
    let last = found.max_by_key(|(at, ..)| *at);
    let (_, tool, arguments) = last.unwrap_or_else(|| panic!("no call is printed: {text}"));
    (tool, arguments)
}

/// The text of an element.
#[track_caller]
pub(crate) fn element(text: &str, name: &str) -> String {
    elements(text, name)
        .pop()
        .unwrap_or_else(|| panic!("no {name}: {text}"))
}

/// The texts of the elements with this name.
pub(crate) fn elements(text: &str, name: &str) -> Vec<String> {
    let opening = format!("<{name}");
    let starts = text.split(&opening).skip(1);
    let bodies = starts.filter_map(|rest| {
        let (attributes, rest) = rest.split_once('>')?;
        let is_element = attributes.is_empty() || attributes.starts_with(' ');
        let (body, _) = rest.split_once(&format!("</{name}>"))?;
        is_element.then(|| body.trim().to_owned())
    });
    bodies.collect()
}

fn title(text: &str) -> String {
    element(text, "step_header")
}
