//! The names under which Bugle passes a session to its own commands and MCP calls.

/// The environment variable in which Bugle's hooks and plugins pass a command's session, for clients that do not.
pub const SESSION: &str = "BUGLE_SESSION";

/// The argument in which Bugle's hooks pass the session of a call to Bugle's MCP server, for clients that do not.
pub const SESSION_ARGUMENT: &str = "bugle_session";
