//! The projects of a team's members, and the errors of people who lack a right.

use bugle_testkit::postgres::Server;

use crate::support::sandbox::Sandbox;
use crate::support::test_store::{database, sandbox_with_store};

/// A team with two projects, `project` and `elsewhere`, and a member of the first one.
struct Team {
    server: &'static Server,
    database: String,
    owner: Sandbox,
    ben: String,
}

impl Team {
    fn new() -> Option<Self> {
        let (server, database) = database()?;
        let owner = sandbox_with_store(server.url(&database));
        owner.run(&["task", "add", "Count the stars"]).ok();
        let elsewhere = owner.elsewhere();
        std::fs::create_dir_all(&elsewhere).unwrap();
        owner.run_in(&elsewhere, &["task", "add", "Count the moons"]).ok();
        owner.run_as_person(&["store", "init"]).ok();
        let ben = format!("ben_of_{database}");
        let team = Self {
            server,
            database,
            owner,
            ben,
        };
        let added = team.add(&["--project", "project"]);
        assert!(added.contains("is now a member of project."), "{added}");
        Some(team)
    }

    /// Adds Ben with these options.
    fn add(&self, options: &[&str]) -> String {
        let words = ["team", "add", self.ben.as_str(), "--role", "member"];
        self.owner.run_as_person(&[&words, options].concat()).ok().out
    }

    /// Ben's machine, with a clone of the first project.
    fn bens_machine(&self) -> Sandbox {
        let sandbox = sandbox_with_store(self.server.url_as(&self.ben, &self.database));
        let id = self
            .server
            .sql(&self.database, "SELECT id FROM project WHERE name = 'project'");
        sandbox.write(
            &sandbox.project().join(".bugle/config.yaml"),
            format!("project: {id}\n"),
        );
        sandbox
    }
}

#[test]
fn adding_a_project_keeps_the_members_other_projects() {
    let Some(team) = Team::new() else { return };
    let added = team.add(&["--project", "elsewhere"]);
    for expected in [
        "elsewhere",
        "project",
        &format!("store: postgres://{}@", team.ben),
    ] {
        assert!(added.contains(expected), "{added}");
    }
    let listed = "SELECT COUNT(*) FROM member_project";
    assert_eq!(team.server.sql(&team.database, listed), "2");
    let added = team.add(&[]);
    assert!(added.contains("is now a member of all projects."), "{added}");
    let added = team.add(&["--project", "project"]);
    assert!(
        added.contains("is now a member of project (before: all projects)."),
        "{added}"
    );
}

#[test]
fn a_member_of_one_project_verifies_it_and_cannot_copy_the_store() {
    let Some(team) = Team::new() else { return };
    let ben = team.bens_machine();
    let verified = ben.run(&["store", "verify"]).ok().out;
    assert!(verified.contains("checked only your own projects"), "{verified}");
    let all = team.owner.run(&["store", "verify"]).ok().out;
    assert!(!all.contains("only your own"), "{all}");
    for arguments in [["store", "export"].as_slice(), &["store", "backup", "copy.db"]] {
        let refused = ben.run(arguments).exits(3);
        assert!(
            refused.err.contains("needs access to all projects"),
            "{}",
            refused.err
        );
    }
}

#[test]
fn a_removed_member_sees_that_a_lead_can_help() {
    let Some(team) = Team::new() else { return };
    let ben = team.bens_machine();
    team.owner.run_as_person(&["team", "remove", &team.ben]).ok();
    let refused = ben.run(&["task", "list"]).exits(3).err;
    assert!(
        refused.contains("you are not a member of this team's database"),
        "{refused}"
    );
    assert!(refused.contains("Ask a lead"), "{refused}");
    assert!(!refused.contains("bugle_schema"), "{refused}");
}

#[test]
fn an_owner_who_cannot_create_roles_sees_the_statement_that_permits_it() {
    let Some((server, database)) = database() else {
        return;
    };
    let ada = format!("ada_of_{database}");
    server.sql(
        "postgres",
        &format!("CREATE ROLE {ada} LOGIN; ALTER DATABASE {database} OWNER TO {ada}"),
    );
    let owner = sandbox_with_store(server.url_as(&ada, &database));
    owner.run(&["task", "add", "Count the stars"]).ok();
    let refused = owner.run_as_person(&["store", "init"]).exits(3).err;
    let statement = format!("ALTER ROLE {ada} CREATEROLE");
    assert!(refused.contains(&statement), "{refused}");
    server.sql("postgres", &statement);
    owner.run_as_person(&["store", "init"]).ok();
}

#[test]
fn an_error_names_where_the_url_is_from_and_doctor_advises_the_same() {
    let missing = "postgres://ada@/bugle?host=/missing";
    let mut sandbox = sandbox_with_store(missing.to_owned());
    let failed = sandbox.run(&["task", "list"]).exits(1).err;
    assert!(
        failed.contains("that BUGLE_DATABASE_URL points to it"),
        "{failed}"
    );
    sandbox.use_file();
    let failed = sandbox.run(&["store", "move", missing]).exits(1).err;
    assert!(
        failed.contains("that the URL in this command points to it"),
        "{failed}"
    );
    sandbox.write(
        &sandbox.bugle_home().join("config.yaml"),
        format!("store: {missing}\n"),
    );
    let advice = "config.yaml points to it";
    let failed = sandbox.run(&["task", "list"]).exits(1).err;
    assert!(failed.contains(advice), "{failed}");
    let advised = sandbox.run(&["doctor"]).out;
    assert!(advised.contains(advice), "{advised}");
    assert!(!advised.contains("store verify"), "{advised}");
}
