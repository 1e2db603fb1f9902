//! The rights of viewers, members and leads, which the server enforces even for direct SQL.

use bugle_testkit::postgres::{self, Server};
use serde_json::json;

use crate::support::sandbox::Sandbox;
use crate::support::test_store::{database, sandbox_with_file, sandbox_with_store};
use crate::support::workflows::THREE;

/// A store with two projects, a run in each, and a person of each role.
struct Team {
    server: &'static Server,
    database: String,
    owner: Sandbox,
    /// A run in the member's project, and one in another project.
    runs: [String; 2],
    projects: [String; 2],
}

impl Team {
    fn new() -> Option<Self> {
        let (server, database) = database()?;
        let owner = sandbox_with_store(server.url(&database));
        owner.skill("three", THREE);
        let run = owner.start(&["three"]).run;
        let elsewhere = owner.elsewhere();
        owner.skill_at(&elsewhere.join(".bugle/skills/three"), "three", THREE);
        let other = owner.run_in(&elsewhere, &["start", "three"]).ok().step().run;
        owner.run_as_person(&["store", "init"]).ok();
        let project = |run: &str| {
            server.sql(
                &database,
                &format!("SELECT project_id FROM run WHERE id = '{run}'"),
            )
        };
        let projects = [project(&run), project(&other)];
        let team = Self {
            server,
            database: database.clone(),
            owner,
            runs: [run, other],
            projects,
        };
        let project = team.projects[0].clone();
        team.add("member", &["--project", &project]);
        team.add("viewer", &[]);
        team.add("lead", &["--display-name", "Ada Lead"]);
        Some(team)
    }

    /// A person's database role. Roles belong to the whole server.
    fn person(&self, role: &str) -> String {
        format!("{role}_of_{}", self.database)
    }

    fn add(&self, role: &str, more: &[&str]) {
        let person = self.person(role);
        let words = ["team", "add", person.as_str(), "--role", role];
        let added = self.owner.run_as_person(&[&words, more].concat()).ok();
        assert!(added.out.contains("has no password"), "{}", added.out);
    }

    /// Executes a statement as a person.
    fn sql(&self, role: &str, statement: &str) -> Result<String, String> {
        self.server.sql_as(&self.person(role), &self.database, statement)
    }

    #[track_caller]
    fn refuses(&self, role: &str, statement: &str) {
        let refused = self.sql(role, statement).unwrap_err();
        assert!(
            refused.contains("permission denied")
                || refused.contains("row-level security")
                || refused.contains("only a lead"),
            "{role}: {statement}: {refused}"
        );
    }

    /// An event of a run.
    fn event(run: &str, seq: u32, body: &str) -> String {
        format!(
            "INSERT INTO event (run_id, seq, happened_at, actor, body, rules, batch, hash) \
             VALUES ('{run}', {seq}, 1, '\"program\"', '{body}', 1, 1, 'h')"
        )
    }

    /// The commands of a person on another machine, in a clone of the first project.
    fn machine_of(&self, role: &str) -> Sandbox {
        let sandbox = sandbox_with_store(self.server.url_as(&self.person(role), &self.database));
        sandbox.write(
            &sandbox.project().join(".bugle/config.yaml"),
            format!("project: {}\n", self.projects[0]),
        );
        sandbox
    }
}

#[test]
fn the_server_refuses_a_members_direct_sql() {
    let Some(team) = Team::new() else { return };
    let [own, other] = &team.runs;
    for statement in [
        "UPDATE event SET body = 'x'",
        "DELETE FROM event",
        "UPDATE task_event SET body = 'x'",
        "DELETE FROM task_event",
        "UPDATE message SET body = 'x'",
        "DELETE FROM message",
        "TRUNCATE event",
        "INSERT INTO trust (pin, skill, given_by, given_at) VALUES ('x', 'x', 'x', 1)",
        "INSERT INTO trust_event (seq, happened_at, actor, pin, skill, given, hash) VALUES (9, 1, 'x', 'x', 'x', 1, 'x')",
        "INSERT INTO member (person, name, role, every_project, added_at) VALUES ('x', 'x', 'lead', 1, 1)",
        "UPDATE member SET role = 'lead', every_project = 1",
        "DELETE FROM member_project",
        "SELECT bugle_add_member(session_user::text, 'x', 'lead', '', 1)",
        "UPDATE project SET decides = 'member'",
        "ALTER TABLE event DISABLE TRIGGER ALL",
        "DROP TABLE event",
    ] {
        if statement.contains("ALTER") || statement.contains("DROP") {
            assert!(
                team.sql("member", statement)
                    .unwrap_err()
                    .contains("must be owner")
            );
        } else {
            team.refuses("member", statement);
        }
    }
    // A member can see and change only their own project.
    for table in ["run", "event", "project"] {
        let column = if table == "event" { "run_id" } else { "id" };
        let seen = team
            .sql("member", &format!("SELECT DISTINCT {column} FROM {table}"))
            .unwrap();
        let expected = if table == "project" {
            &team.projects[0]
        } else {
            own
        };
        assert_eq!(seen, *expected);
    }
    team.sql("member", "UPDATE run SET status = 'cancelled'").unwrap();
    let status = format!("SELECT status FROM run WHERE id = '{other}'");
    assert_eq!(team.server.sql(&team.database, &status), "active");
    let note = r#"{"noted":{"visit":1,"text":"x"}}"#;
    team.refuses("member", &Team::event(other, 50, note));
    team.refuses(
        "member",
        &format!(
            "UPDATE run SET project_id = '{}' WHERE id = '{own}'",
            team.projects[1]
        ),
    );
    // The server records the database user as the person, regardless of the client's input.
    team.sql("member", &Team::event(own, 50, note)).unwrap();
    let forged = Team::event(own, 51, note)
        .replace("hash)", "hash, person)")
        .replace("'h')", "'h', 'someone')");
    team.sql("member", &forged).unwrap();
    let people = format!("SELECT DISTINCT person FROM event WHERE run_id = '{own}' AND seq >= 50");
    assert_eq!(team.sql("member", &people).unwrap(), team.person("member"));
    // Only a lead can decide at a gate, whichever event records the decision.
    team.sql(
        "member",
        &Team::event(own, 52, r#"{"judged":{"visit":7,"result":{}}}"#),
    )
    .unwrap();
    for body in [
        r#"{"ended":{"visit":7,"outcome":"ok"}}"#,
        r#"{"risks_accepted":{"visit":7,"findings":[],"reason":"x"}}"#,
    ] {
        team.refuses("member", &Team::event(own, 53, body));
    }
    for body in [
        r#"{"ended":{"outcome":"ok","visit":7}}"#,
        r#" {"ended":{"visit":7,"outcome":"ok"}}"#,
        r#"{"\u0065nded":{"visit":7,"outcome":"ok"}}"#,
    ] {
        let refused = team.sql("member", &Team::event(own, 53, body)).unwrap_err();
        assert!(refused.contains("not in Bugle's format"), "{refused}");
    }
    team.sql(
        "member",
        &Team::event(own, 53, r#"{"ended":{"visit":6,"outcome":"ok"}}"#),
    )
    .unwrap();
    team.sql(
        "lead",
        &Team::event(own, 54, r#"{"ended":{"visit":7,"outcome":"ok"}}"#),
    )
    .unwrap();
    team.refuses("lead", "UPDATE event SET body = 'x'");
    team.refuses("lead", "DELETE FROM event");
}

#[test]
fn a_viewer_reads_and_cannot_write_at_all() {
    let Some(team) = Team::new() else { return };
    assert_eq!(team.sql("viewer", "SELECT COUNT(*) FROM run").unwrap(), "2");
    let tables = team.server.sql(
        &team.database,
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
    );
    for table in tables.lines() {
        let allowed = format!(
            "SELECT has_table_privilege('{table}', 'INSERT') OR has_table_privilege('{table}', 'UPDATE') \
             OR has_table_privilege('{table}', 'DELETE') OR has_table_privilege('{table}', 'TRUNCATE')"
        );
        assert_eq!(team.sql("viewer", &allowed).unwrap(), "f", "{table}");
    }
    let viewer = team.machine_of("viewer");
    let shown = viewer.run(&["run", "list"]).ok();
    assert!(shown.out.contains(&team.runs[0]), "{}", shown.out);
    let refused = viewer.run(&["task", "add", "Count the stars"]).exits(3);
    assert!(
        refused.err.contains("you need the role member"),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("bugle team add"), "{}", refused.err);
}

#[test]
fn members_work_and_leads_trust_skills_and_manage_members() {
    let Some(team) = Team::new() else { return };
    let (member, lead) = (team.machine_of("member"), team.machine_of("lead"));
    for sandbox in [&member, &lead] {
        sandbox.skill("three", THREE);
    }
    member.run(&["task", "add", "Count the stars"]).ok();
    // Built-in skills are trusted on each machine without a lead's decision.
    member
        .run(&["start", "decision-critic", "decision=Use Postgres for the team"])
        .ok();
    let step = member.run(&["step", &team.runs[0]]).ok().step();
    let next = member.report(&step, &json!({ "word": "one" })).ok().step();
    assert_eq!(next.step, "second");
    let shown = team.owner.run(&["run", "show", &team.runs[0]]).ok();
    let by = format!("for {}", team.person("member"));
    assert!(shown.out.contains(&by), "{}", shown.out);
    let refused = member.run_as_person(&["trust", "three"]).exits(3);
    assert!(refused.err.contains("you need the role lead"), "{}", refused.err);
    lead.run_as_person(&["trust", "three"]).ok();
    let person = team.person("member");
    let refused = member
        .run_as_person(&["team", "add", &person, "--role", "lead"])
        .exits(3);
    assert!(refused.err.contains("role lead"), "{}", refused.err);
    member.run(&["run", "show", &team.runs[1]]).exits(4);
    let list = lead.run(&["team", "list", "--json"]).ok().json();
    let members = list["data"]["members"].as_array().unwrap();
    let you: Vec<_> = members.iter().filter(|member| member["you"] == true).collect();
    assert_eq!(you.len(), 1);
    assert_eq!(
        (&you[0]["name"], &you[0]["role"]),
        (&json!("Ada Lead"), &json!("lead"))
    );
    let removed = lead.run_as_person(&["team", "remove", &person]).ok();
    assert!(removed.out.contains(&person), "{}", removed.out);
    member.run(&["task", "list"]).exits(3);
    lead.run_as_person(&["team", "remove", &person]).exits(4);
    team.owner.verify();
}

#[test]
fn the_person_is_shown_with_runs_messages_tasks_and_trust() {
    let Some(team) = Team::new() else { return };
    let (member, lead) = (team.machine_of("member"), team.machine_of("lead"));
    let person = team.person("member");
    let by = format!("for {person}");
    let runs = lead.run(&["run", "list", "--json"]).ok().json();
    assert_eq!(runs["data"]["runs"][0]["person"], postgres::USER);
    let listed = lead.run(&["run", "list"]).ok().out;
    assert!(listed.contains(&format!("for {}", postgres::USER)), "{listed}");
    member
        .run(&["say", "The stars are counted", "--as", "counter"])
        .ok();
    let said = lead.run(&["message", "list", "--json"]).ok().json();
    assert_eq!(said["data"]["messages"][0]["person"], json!(person));
    let listed = lead.run(&["message", "list"]).ok().out;
    assert!(listed.contains(&by), "{listed}");
    let added = member
        .run(&["task", "add", "Count the stars", "--json"])
        .ok()
        .json();
    let task = added["data"]["tasks"][0]["id"].as_str().unwrap();
    member.run(&["task", "claim", "--as", "counter"]).ok();
    let shown = lead.run(&["task", "show", task, "--full"]).ok().out;
    assert!(shown.contains(&by), "{shown}");
    lead.skill("three", THREE);
    lead.run_as_person(&["trust", "three"]).ok();
    let trusted = lead.run(&["trust", "list"]).ok().out;
    assert!(trusted.contains("by Ada Lead"), "{trusted}");
}

#[test]
fn a_file_has_no_team() {
    let sandbox = sandbox_with_file();
    for words in [
        ["team", "list"].as_slice(),
        &["team", "add", "ada", "--role", "member"],
        &["team", "remove", "ada"],
        &["store", "init"],
    ] {
        sandbox
            .run_as_person(words)
            .fails(2, "a team needs a Postgres store");
    }
}
