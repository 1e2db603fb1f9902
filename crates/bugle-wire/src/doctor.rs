//! The answer of `bugle doctor`.

use crate::words::Word;

shapes! {
    DoctorView {
        well: bool,
        clients: Vec<ClientHealth>,
        findings: Vec<HealthFinding>,
        remedy: Option<String>,
    }
    ClientHealth {
        client: String,
        title: String,
        scope: String,
        findings: Vec<HealthFinding>,
    }
    HealthFinding {
        check: String,
        state: Word,
        says: String,
        remedy: Option<String>,
    }
}
