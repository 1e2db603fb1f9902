//! Two machines: two homes and two clones of one repository, with one store on a Postgres server.

use bugle_testkit::postgres::{self, Server};

use super::sandbox::Sandbox;
use super::test_store::sandbox_with_store;

/// The repository's URL, as each machine spells it.
const SPELLINGS: [&str; 2] = [
    "ssh://git@git.example.org:2222/acme/shop.git",
    "git@Git.Example.org:acme/shop",
];

/// Two machines with a shared store.
pub(crate) struct Machines {
    pub(crate) server: &'static Server,
    pub(crate) database: String,
    pub(crate) one: Sandbox,
    pub(crate) other: Sandbox,
}

impl Machines {
    /// Two machines, or `None` if no server is installed.
    pub(crate) fn new() -> Option<Self> {
        if !postgres::is_available() {
            return None;
        }
        let server = postgres::shared();
        let database = server.create_database();
        let [one, other] = SPELLINGS.map(|_| sandbox_with_store(server.url(&database)));
        let bare = one.root().join("shop.git");
        one.git_init();
        one.tool(&one.project(), "git", &["branch", "-m", "main"]);
        one.tool(
            one.root(),
            "git",
            &["clone", "--quiet", "--bare", "project", "shop.git"],
        );
        for (sandbox, spelling) in [(&one, SPELLINGS[0]), (&other, SPELLINGS[1])] {
            sandbox.write(
                &sandbox.home().join(".gitconfig"),
                format!(
                    "[user]\n\temail = tester@example.org\n\tname = Tester\n[url \"{}\"]\n\tinsteadOf = {spelling}\n",
                    bare.display()
                ),
            );
        }
        one.tool(&one.project(), "git", &["remote", "add", "origin", SPELLINGS[0]]);
        one.tool(
            &one.project(),
            "git",
            &["push", "--quiet", "-u", "origin", "main"],
        );
        other.tool(&other.project(), "git", &["clone", "--quiet", SPELLINGS[1], "."]);
        Some(Self {
            server,
            database,
            one,
            other,
        })
    }

    /// The result of an SQL statement, as text.
    pub(crate) fn sql(&self, statement: &str) -> String {
        self.server.sql(&self.database, statement)
    }
}
