//! Setting up a team: owners without superuser rights, and the role that may decide.

use bugle_testkit::postgres::{self, Server};

use crate::support::reply::Step;
use crate::support::review::{finding, judge, up_to_review};
use crate::support::sandbox::{Answer, Sandbox};
use crate::support::test_store::{database, sandbox_with_store};
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

/// An owner and a member of a team, each with a clone of the project.
struct Pair {
    server: &'static Server,
    database: String,
    /// The member's database role.
    person: String,
    owner: Sandbox,
    member: Sandbox,
    /// Settings that let members decide at gates.
    settings: String,
}

impl Pair {
    /// Two clones with this workflow; `None` if Postgres is not installed.
    fn with_workflow(workflow: &str) -> Option<Self> {
        let (server, database) = database()?;
        let clone = |url: String| {
            let sandbox = sandbox_with_store(url);
            sandbox.git_init();
            let folder = sandbox.skill("reviewed", workflow);
            sandbox.write(&folder.join("agents/review.yaml"), REVIEWER);
            sandbox
        };
        let owner = clone(server.url(&database));
        owner.run(&["task", "add", "Count the stars"]).ok();
        owner.run_as_person(&["store", "init"]).ok();
        let person = format!("member_of_{database}");
        let member = clone(server.url_as(&person, &database));
        let project = server.sql(&database, "SELECT id FROM project");
        let pair = Self {
            server,
            database,
            person,
            owner,
            member,
            settings: format!("project: {project}\ndecides: member\n"),
        };
        pair.add_member();
        // The member's own settings do not count.
        pair.write_settings(&pair.member);
        Some(pair)
    }

    fn write_settings(&self, clone: &Sandbox) {
        clone.write(&clone.project().join(".bugle/config.yaml"), &self.settings);
    }

    /// Adds the member, or adds them again to record changed settings.
    fn add_member(&self) {
        let add = ["team", "add", self.person.as_str(), "--role", "member"];
        self.owner.run_as_person(&add).ok();
    }

    /// Lets the members of the project decide.
    fn let_members_decide(&self) {
        self.write_settings(&self.owner);
        self.add_member();
    }

    /// A gate of the member's run whose review found a problem.
    fn failed_review(&self) -> Step {
        let step = self.member.start(&["reviewed"]);
        let gate = up_to_review(&self.member, &step);
        judge(&self.member, &gate, &[finding("must", "errors")]);
        self.member.printed(gate.command()).ok();
        gate
    }
}

/// The command that accepts the first finding of a review.
fn accept(gate: &Step) -> [&str; 5] {
    ["accept", gate.visit.as_str(), "1", "--why", "a known risk"]
}

#[track_caller]
fn needs_a_lead(refused: Answer) {
    let refused = refused.exits(3).err;
    assert!(refused.contains("only a lead can decide at gates"), "{refused}");
}

#[test]
fn a_lead_lets_the_members_of_a_project_decide() {
    let Some(pair) = Pair::with_workflow(REVIEWED) else {
        return;
    };
    let gate = pair.failed_review();
    let Pair {
        server,
        database,
        person,
        owner,
        member,
        ..
    } = &pair;
    needs_a_lead(member.run_as_person(&accept(&gate)));
    let changed = member.run_as_person(&["store", "init"]).exits(3);
    assert!(changed.err.contains("denied permission"), "{}", changed.err);
    pair.let_members_decide();
    member.run_as_person(&accept(&gate)).ok();
    let findings = owner
        .run(&["run", "findings", &gate.visit, "--format", "text"])
        .ok()
        .out;
    for words in ["Reviewed for", "Accepted as risks by"] {
        assert!(findings.contains(&format!("{words} {person}")), "{findings}");
    }
    let task = server.sql(database, "SELECT id FROM task");
    member
        .run(&["task", "note", &task, "Start with the bright ones."])
        .ok();
    let shown = owner.run(&["task", "show", &task]).ok().out;
    assert!(shown.contains(&format!(" for {person}: Start with")), "{shown}");
    owner.verify();
}

#[test]
fn a_skill_can_require_a_lead_where_members_decide() {
    let strict = format!("decides: lead\n{REVIEWED}");
    let Some(pair) = Pair::with_workflow(&strict) else {
        return;
    };
    pair.let_members_decide();
    let gate = pair.failed_review();
    needs_a_lead(pair.member.run_as_person(&accept(&gate)));
    pair.owner.run_as_person(&accept(&gate)).ok();
    pair.owner.verify();
}
