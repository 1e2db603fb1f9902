//! Time and random numbers come from the context, so that a test can control both: only one file reads the system's
//! clock and random numbers.

use crate::tree::{TextFile, assert_no_faults, texts};

/// The file that reads the system's clock and random numbers.
const HOME: &str = "crates/bugle-app/src/ids.rs";

/// The crates whose code has a context.
const CRATES: [&str; 3] = [
    "crates/bugle-app/src/",
    "crates/bugle-daemon/src/",
    "crates/bugle-cli/src/",
];

/// Calls that read the system's clock or its random numbers. A process may measure how long it waits with `Instant`.
const FORBIDDEN: [&str; 4] = ["SystemTime::now", "getrandom", "Timestamp::now", "Zoned::now"];

fn faults(file: &TextFile) -> Vec<String> {
    let has_context = CRATES.iter().any(|folder| file.path.starts_with(folder));
    if !has_context || file.path == HOME || !file.has_extension("rs") {
        return Vec::new();
    }
    let lines = (1..).zip(file.text.lines());
    lines
        .filter_map(|(number, line)| {
            let call = FORBIDDEN.iter().find(|call| line.contains(*call))?;
            Some(format!(
                "{}:{number}: `{call}` is only for {HOME}: take the time and new ids from the context",
                file.path
            ))
        })
        .collect()
}

#[test]
fn asking_the_system_for_time_or_random_numbers_is_a_fault() {
    let now = "fn f() {\n    let now = std::time::SystemTime::now();\n}\n";
    let random = "fn f() { getrandom::u64() }\n";
    let faults_in = |path: &str, text: &str| faults(&TextFile::new(path, text)).len();
    for krate in ["bugle-app", "bugle-daemon", "bugle-cli"] {
        assert_eq!(faults_in(&format!("crates/{krate}/src/a.rs"), now), 1);
        assert_eq!(faults_in(&format!("crates/{krate}/src/b/c.rs"), random), 1);
    }
    assert_eq!(faults_in(HOME, now), 0);
    assert_eq!(faults_in("crates/bugle-cli/tests/it/main.rs", now), 0);
    let waits = "fn f() { std::time::Instant::now(); }\n";
    assert_eq!(faults_in("crates/bugle-app/src/a.rs", waits), 0);
}

#[test]
fn only_one_file_asks_the_system_for_time_or_random_numbers() {
    let files = texts();
    assert!(files.iter().any(|file| file.path == HOME), "{HOME} has moved");
    let found: Vec<String> = files.iter().flat_map(faults).collect();
    assert_no_faults(&found);
}
