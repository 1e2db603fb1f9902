//! Setting up a team: owners without superuser rights, and the role that may decide.

use bugle_testkit::postgres;

use crate::support::review::{finding, judge, up_to_review};
use crate::support::sandbox::Sandbox;
use crate::support::test_store::sandbox_with_store;
use crate::support::workflows::{REVIEWED, REVIEWER};

#[test]
fn an_owner_who_can_only_create_roles_sets_up_a_team() {
    if !postgres::is_available() {
        return;
    }
    let server = postgres::shared();
    let database = server.create_database();
    let person = |name: &str| format!("{name}_of_{database}");
    let owner = person("manager");
    server.sql(
        "postgres",
        &format!("CREATE ROLE {owner} LOGIN CREATEROLE; ALTER DATABASE {database} OWNER TO {owner}"),
    );
    let sandbox = sandbox_with_store(server.url_as(&owner, &database));
    sandbox.run(&["task", "add", "Count the stars"]).ok();
    for _ in 0..2 {
        sandbox.run_as_person(&["store", "init"]).ok();
    }
    // The provider's administrator may have created a role before.
    let (member, lead) = (person("member"), person("lead"));
    server.sql("postgres", &format!("CREATE ROLE {member} LOGIN"));
    for (name, role) in [(&member, "viewer"), (&member, "member"), (&lead, "lead")] {
        sandbox.run_as_person(&["team", "add", name, "--role", role]).ok();
    }
    let titles = "SELECT title FROM task";
    assert_eq!(
        server.sql_as(&member, &database, titles).unwrap(),
        "Count the stars"
    );
    let changed = server.sql_as(&member, &database, "UPDATE task_event SET body = 'x'");
    assert!(changed.unwrap_err().contains("permission denied"));
    // A lead who does not own the database can also change the team.
    let leading = sandbox_with_store(server.url_as(&lead, &database));
    let new = person("new");
    leading
        .run_as_person(&["team", "add", &new, "--role", "viewer"])
        .ok();
    leading.run_as_person(&["team", "remove", &member]).ok();
    assert!(server.sql_as(&member, &database, titles).is_err());
    assert_eq!(server.sql_as(&new, &database, titles).unwrap(), "Count the stars");
    sandbox.verify();
}

/// A person's clone of a project.
fn clone(url: String) -> Sandbox {
    let sandbox = sandbox_with_store(url);
    sandbox.git_init();
    let folder = sandbox.skill("reviewed", REVIEWED);
    sandbox.write(&folder.join("agents/review.yaml"), REVIEWER);
    sandbox
}

#[test]
fn a_lead_lets_the_members_of_a_project_decide() {
    if !postgres::is_available() {
        return;
    }
    let server = postgres::shared();
    let database = server.create_database();
    let owner = clone(server.url(&database));
    owner.run(&["task", "add", "Count the stars"]).ok();
    owner.run_as_person(&["store", "init"]).ok();
    let person = format!("member_of_{database}");
    let add = ["team", "add", person.as_str(), "--role", "member"];
    owner.run_as_person(&add).ok();
    let member = clone(server.url_as(&person, &database));
    let project = server.sql(&database, "SELECT id FROM project");
    let settings = format!("project: {project}\ndecides: member\n");
    // The member's own settings do not count.
    member.write(&member.project().join(".bugle/config.yaml"), &settings);
    let step = member.start(&["reviewed"]);
    let gate = up_to_review(&member, &step);
    judge(&member, &gate, &[finding("must", "errors")]);
    member.printed(gate.command()).ok();
    let accept = ["accept", gate.visit.as_str(), "1", "--why", "a known risk"];
    let refused = member.run_as_person(&accept).exits(3);
    assert!(
        refused.err.contains("only a lead can decide at gates"),
        "{}",
        refused.err
    );
    let changed = member.run_as_person(&["store", "init"]).exits(3);
    assert!(changed.err.contains("denied permission"), "{}", changed.err);
    owner.write(&owner.project().join(".bugle/config.yaml"), settings);
    owner.run_as_person(&add).ok();
    member.run_as_person(&accept).ok();
    let findings = owner
        .run(&["run", "findings", &gate.visit, "--format", "text"])
        .ok()
        .out;
    for words in ["Reviewed for", "Accepted as risks by"] {
        assert!(findings.contains(&format!("{words} {person}")), "{findings}");
    }
    let task = server.sql(&database, "SELECT id FROM task");
    member
        .run(&["task", "note", &task, "Start with the bright ones."])
        .ok();
    let shown = owner.run(&["task", "show", &task]).ok().out;
    assert!(shown.contains(&format!(" for {person}: Start with")), "{shown}");
    owner.verify();
}
