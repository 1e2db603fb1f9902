//! Checks whether a client trusts the project and its hooks. Some clients silently skip untrusted hooks and settings.

use std::collections::BTreeMap;
use std::path::Path;

use bugle_client::Client;
use bugle_client::setup::{Content, Scope};
use bugle_core::doctor::{Seen, Trust, trust};

use crate::Context;
use crate::context::VariableSource;
use crate::files::content_hash;
use crate::setup::{Inspected, client_folders};

/// Whether the client reads the project's settings; `None` if the client reads the settings of every project.
pub(super) fn project_trust(ctx: &Context, variables: VariableSource<'_>, client: Client) -> Option<Seen> {
    let rules = client.project_trust()?;
    let trusts_all = rules
        .variable
        .is_some_and(|(name, value)| variables(name).is_some_and(|set| set == value));
    let is_trusted = if trusts_all {
        Some(true)
    } else {
        let file = client_folders(ctx, variables, client, Scope::User)
            .own
            .join(rules.file);
        let listed = text_or_empty(&file);
        listed.and_then(|text| (rules.trusts)(&text, &ctx.root))
    };
    Some(Seen::ProjectTrust {
        is_trusted,
        client: client.title(),
        start: rules.start,
    })
}

/// Whether the client runs the hooks; `None` if the client runs every hook.
pub(super) fn hook_trust(
    ctx: &Context,
    variables: VariableSource<'_>,
    client: Client,
    files: &[Inspected],
) -> Option<Seen> {
    let rules = client.hook_trust()?;
    let config = text_or_empty(&client_folders(ctx, variables, client, Scope::User).servers);
    let Some(trusted) = config.and_then(|config| (rules.trusted_hooks)(&config)) else {
        return Some(Seen::Trust(Trust::Unknown));
    };
    let mut hooks = Vec::new();
    for file in files {
        let (Some(Content::Settings(settings)), Some(text)) = (&file.content, &file.text) else {
            continue;
        };
        let path = file.path.canonicalize().unwrap_or_else(|_| file.path.clone());
        for hook in (rules.own_hooks)(settings, text) {
            let hash = hook
                .hashed
                .map(|text| format!("sha256:{}", content_hash(text.as_bytes())));
            hooks.push((format!("{}:{}", path.display(), hook.place), hash));
        }
    }
    let same_file = |key: &str| same_hook(&trusted, key);
    Some(Seen::Trust(trust(&hooks, same_file)))
}

/// A file's text, empty if the file does not exist; `None` if it cannot be read.
fn text_or_empty(file: &Path) -> Option<String> {
    match std::fs::read_to_string(file) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(String::new()),
        Err(_) => None,
    }
}

/// The trusted hash for this hook key. The client may have recorded the file under another path.
fn same_hook<'a>(trusted: &'a BTreeMap<String, String>, key: &str) -> Option<&'a str> {
    let found = trusted.get(key).or_else(|| {
        let (path, place) = split_key(key)?;
        let same = trusted.iter().find(|(other, _)| {
            split_key(other).is_some_and(|(other, at)| {
                at == place
                    && Path::new(other)
                        .canonicalize()
                        .is_ok_and(|other| other == Path::new(path))
            })
        });
        same.map(|(_, hash)| hash)
    });
    found.map(String::as_str)
}

/// Splits a key such as `/x/hooks.json:stop:0:0` into the file and the position in the file.
fn split_key(key: &str) -> Option<(&str, &str)> {
    let (at, _) = key.rmatch_indices(':').nth(2)?;
    Some((&key[..at], &key[at + 1..]))
}
