//! Value parsers for arguments that name a client.

use bugle_client::plugin::PluginFormat;
use bugle_client::{AgentFormat, Client};
use bugle_core::wake::Budget;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The argument for a wake-up that is delivered as a prompt, not by a hook.
const PROMPT: &str = "prompt";

/// The client to use if the command names none.
pub(crate) const DEFAULT_CLIENT: &str = "claude";

/// Any client.
pub(crate) fn any_client() -> impl TypedValueParser<Value = Client> {
    clients(Some)
}

/// A client for which Bugle can write agent definitions.
pub(crate) fn agent_format() -> impl TypedValueParser<Value = &'static AgentFormat> {
    clients(Client::agent_format)
}

/// A client that installs plugins.
pub(crate) fn plugin_format() -> impl TypedValueParser<Value = &'static PluginFormat> {
    clients(Client::plugin_format)
}

/// The size limit of a wake-up, for a client's hook or for a prompt.
pub(crate) fn client_budget() -> impl TypedValueParser<Value = Budget> {
    let hook = |client: Client| {
        let Budget { limit, unit } = client.hook_budget();
        let help = format!("{} hook: {limit} {}", client.title(), unit.as_str());
        PossibleValue::new(client.as_str()).help(help)
    };
    let Budget { limit, unit } = Budget::PROMPT;
    let prompt = PossibleValue::new(PROMPT).help(format!("Prompt: {limit} {}", unit.as_str()));
    PossibleValuesParser::new(Client::ALL.into_iter().map(hook).chain([prompt]))
        .map(|name| Client::named(&name).map_or(Budget::PROMPT, Client::hook_budget))
}

/// The clients for which `choose` returns a value.
fn clients<T: Clone + Send + Sync + 'static>(
    choose: fn(Client) -> Option<T>,
) -> impl TypedValueParser<Value = T> {
    let able = Client::ALL
        .into_iter()
        .filter(move |client| choose(*client).is_some());
    let names = able.map(|client| PossibleValue::new(client.as_str()).help(client.title()));
    PossibleValuesParser::new(names)
        .try_map(move |name| Client::named(&name).and_then(choose).ok_or("no such client"))
}
