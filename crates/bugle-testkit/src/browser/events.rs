//! Page events: requests, failures, console messages.

use std::collections::BTreeMap;

use serde_json::Value;

/// All events since the browser started.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub(super) requests: Vec<String>,
    pub(super) failures: Vec<String>,
    pub(super) console: Vec<String>,
    /// The loader id of the last loaded page.
    pub(super) loaded: Option<String>,
    /// Whether a dialog is blocking the page.
    pub(super) dialogue: bool,
    addresses: BTreeMap<String, String>,
}

impl Events {
    pub(super) fn note(&mut self, event: &Value) {
        let about = &event["params"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match event["method"].as_str().unwrap_or_default() {
            "Network.requestWillBeSent" => {
                let address = text(&about["request"]["url"]);
                self.addresses.insert(text(&about["requestId"]), address.clone());
                self.requests.push(address);
            }
            "Network.loadingFailed" => {
                let id = text(&about["requestId"]);
                let address = self.addresses.get(&id).unwrap_or(&id);
                // Leaving a page cancels its pending requests.
                if about["canceled"] != true {
                    self.failures
                        .push(format!("{address}: {}", text(&about["errorText"])));
                }
            }
            "Network.responseReceived" => {
                let status = about["response"]["status"].as_u64().unwrap_or_default();
                if status >= 400 {
                    let address = text(&about["response"]["url"]);
                    self.failures.push(format!("{address}: {status}"));
                }
            }
            "Runtime.consoleAPICalled" => {
                let said = about["args"].as_array().into_iter().flatten();
                let said: Vec<String> = said
                    .map(|value| match &value["value"] {
                        Value::String(text) => text.clone(),
                        Value::Null => text(&value["description"]),
                        other => other.to_string(),
                    })
                    .collect();
                self.console
                    .push(format!("{}: {}", text(&about["type"]), said.join(" ")));
            }
            "Runtime.exceptionThrown" => {
                let details = &about["exceptionDetails"];
                let why = details["exception"]["description"].as_str();
                let why = why.map_or_else(|| text(&details["text"]), str::to_owned);
                self.console.push(format!("exception: {why}"));
            }
            "Log.entryAdded" => {
                let entry = &about["entry"];
                self.console
                    .push(format!("{}: {}", text(&entry["level"]), text(&entry["text"])));
            }
            "Page.javascriptDialogOpening" => {
                self.dialogue = true;
                self.console
                    .push(format!("dialogue: {}", text(&about["message"])));
            }
            "Page.lifecycleEvent" if about["name"] == "load" => {
                self.loaded = Some(text(&about["loaderId"]));
            }
            _ => {}
        }
    }
}
