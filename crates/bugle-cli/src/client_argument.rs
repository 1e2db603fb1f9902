//! Clients as values on the command line.

use bugle_client::plugin::PluginFormat;
use bugle_client::{AgentFormat, Client};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Any client.
pub(crate) fn any_client() -> impl TypedValueParser<Value = Client> {
    clients(Some)
}

/// A client for which Bugle can write agents.
pub(crate) fn agent_format() -> impl TypedValueParser<Value = &'static AgentFormat> {
    clients(Client::agent_format)
}

/// A client that installs plugins.
pub(crate) fn plugin_format() -> impl TypedValueParser<Value = &'static PluginFormat> {
    clients(Client::plugin_format)
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
