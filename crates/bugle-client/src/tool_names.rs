//! Looks up tools by the clients' names for them. All lookups search the names of every client, because a client can
//! call hooks that were written for another client.

use bugle_core::tool::Tool;

use crate::Client;

/// The tool that has this name in any client.
pub(crate) fn tool_named(name: &str) -> Tool {
    let names = || Client::ALL.into_iter().map(|client| &client.facts().tools);
    let mut meanings = names().flat_map(|names| names.meanings);
    if let Some((_, tool)) = meanings.find(|(known, _)| *known == name) {
        *tool
    } else if bugle_tool(name).is_some() {
        Tool::Bugle
    } else if names().any(|names| names.mcp_prefix.is_some_and(|prefix| name.starts_with(prefix))) {
        Tool::Mcp
    } else {
        Tool::Other
    }
}

/// Whether any client has a tool with this name that returns when a sub-agent has finished.
pub fn awaits_subagent(tool: &str) -> bool {
    let mut clients = Client::ALL.into_iter();
    clients.any(|client| client.facts().tools.subagent.contains(&tool))
}

/// Maps any client's name for a tool of Bugle's MCP server to the server's own name; `None` for other tools.
pub fn bugle_tool(tool: &str) -> Option<&str> {
    let mut clients = Client::ALL.into_iter();
    clients.find_map(|client| tool.strip_prefix(client.facts().tools.bugle_prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clients_names_for_bugles_mcp_tools_are_known() {
        for tool in [
            "mcp__bugle__finish_step",
            "mcp_bugle_finish_step",
            "bugle_finish_step",
        ] {
            assert_eq!(bugle_tool(tool), Some("finish_step"), "{tool}");
        }
        for other in ["mcp__files__write", "mcp_files_write", "Bash", "finish_step"] {
            assert_eq!(bugle_tool(other), None, "{other}");
        }
    }
}
