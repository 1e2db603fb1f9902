//! Projects are separate: a member of one project cannot read another project's rows, even with direct SQL.

use bugle_testkit::postgres;

use crate::support::test_store::sandbox_with_store;
use crate::support::workflows::THREE;

/// Everything in the other project contains this word.
const WORD: &str = "orchid";

#[test]
fn a_member_reads_nothing_of_another_project_in_any_table() {
    if !postgres::is_available() {
        return;
    }
    let server = postgres::shared();
    let database = server.create_database();
    let owner = sandbox_with_store(server.url(&database));
    owner.run(&["task", "add", "Count the stars"]).ok();
    let elsewhere = owner.elsewhere();
    owner.skill_at(
        &elsewhere.join(format!(".bugle/skills/{WORD}")),
        WORD,
        &THREE.replace("title: ", "title: Orchid "),
    );
    let run = owner.run_in(&elsewhere, &["start", WORD]).ok().step().run;
    owner.write(
        &elsewhere.join("orchid.md"),
        "# Orchid\n\n### Task 1: Water the orchid\n\nDaily.\n\n### Task 2: Turn the orchid\n\nWeekly.\n",
    );
    owner.run_in(&elsewhere, &["plan", "import", "orchid.md"]).ok();
    owner
        .run_in(&elsewhere, &["say", "@orchid water me", "--as", "orchid-keeper"])
        .ok();
    owner.run_as_person(&["store", "init"]).ok();
    let first = |statement: &str| server.sql(&database, statement);
    let other = first(&format!("SELECT project_id FROM run WHERE id = '{run}'"));
    let own = first(&format!("SELECT id FROM project WHERE id <> '{other}'"));
    let people = [
        (format!("stargazer_of_{database}"), own),
        (format!("gardener_of_{database}"), other.clone()),
    ];
    for (person, project) in &people {
        let words = ["team", "add", person, "--role", "member", "--project", project];
        owner.run_as_person(&words).ok();
    }
    let [(stargazer, _), (gardener, _)] = &people;
    let written = format!(
        "INSERT INTO session (machine, id, client, directory, memory, seen_at) VALUES ('m', 'orchid', 'x', '/', 'x', 1); \
         INSERT INTO subagent_call (machine, session, token, agent) VALUES ('m', 'orchid', 'x', 'x'); \
         INSERT INTO notice (project_id, what, told_at) VALUES ('{other}', 'orchid', 1); \
         INSERT INTO exchange (first, second, turns, since) VALUES ('{other} orchid', '{other} x', 1, 1)"
    );
    server.sql_as(gardener, &database, &written).unwrap();
    let tables = first(
        "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY 1",
    );
    // Search for the word as text and as hexadecimal bytes.
    let pattern = format!("{WORD}|6f7263686964|{other}|{run}");
    let mut separated = Vec::new();
    for table in tables.lines() {
        let count = format!("SELECT COUNT(*) FROM {table} AS row WHERE row::text ~* '{pattern}'");
        assert_eq!(
            server.sql_as(stargazer, &database, &count).unwrap(),
            "0",
            "{table}"
        );
        if first(&count) != "0" {
            separated.push(table);
        }
    }
    for table in [
        "blob",
        "compiled",
        "dependency",
        "event",
        "exchange",
        "mailbox",
        "member_project",
        "message",
        "notice",
        "plan",
        "project",
        "project_place",
        "run",
        "session",
        "subagent_call",
        "task",
        "task_event",
    ] {
        // The rows of `dependency` contain only the ids of tasks.
        assert!(
            separated.contains(&table) || table == "dependency",
            "{table}: {separated:?}"
        );
    }
    assert_eq!(
        server
            .sql_as(stargazer, &database, "SELECT COUNT(*) FROM dependency")
            .unwrap(),
        "0"
    );
    // A member of the other project works with the same rows.
    let seen = format!("SELECT COUNT(*) FROM run WHERE id = '{run}'");
    assert_eq!(server.sql_as(gardener, &database, &seen).unwrap(), "1");
    let pinned = format!(
        "SELECT COUNT(*) FROM run, bugle_blob(run.pin) WHERE run.id = '{run}' AND length(content) > 0"
    );
    assert_eq!(server.sql_as(gardener, &database, &pinned).unwrap(), "1");
}
