//! Projects.

shapes! {
    ProjectList {
        projects: Vec<ProjectEntry>,
    }
    ProjectEntry {
        id: String,
        name: String,
        folder: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        remote: Option<String>,
        exists: bool,
        keeps_id: bool,
        here: bool,
        runs: u64,
        open_runs: u64,
        tasks: u64,
        open_tasks: u64,
        last_activity: i64,
    }
}
