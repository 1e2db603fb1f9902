//! What can be said to `bugle project`.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectCommand {
    /// List every project: folder, runs, tasks, last activity
    List,
    /// Tell Bugle that a project is in another folder now (user only)
    ///
    /// Bugle notices a moved folder by the id that it keeps in git's configuration, or in .bugle/project outside git. This
    /// is for a folder that has no id.
    Move(MoveProjectArguments),
    /// Bring the runs, tasks, plans, agents and messages of one project under another (user only)
    ///
    /// Two agents with the same address become one, with one mailbox: what either has not read stays unread.
    Merge(MergeProjectArguments),
}

#[derive(Debug, Args)]
pub(crate) struct MoveProjectArguments {
    /// The project: its id, or the folder that it was in
    pub old: String,
    /// The folder that it is in now; without it, this one
    pub new: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct MergeProjectArguments {
    /// The project that is merged: its id or its folder
    pub from: String,
    /// The project that gets everything: its id or its folder
    pub into: String,
}
