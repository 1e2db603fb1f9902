//! The migration that adds the people of a shared store. On Postgres, the server fills in `person`; in a `SQLite`
//! file, which has only one user, these tables and columns stay empty.

/// The migration that adds a `person` column to client sessions. On Postgres, each person sees only their own sessions.
pub(crate) const SESSIONS: &str = "
ALTER TABLE session ADD COLUMN person TEXT;
ALTER TABLE subagent_call ADD COLUMN person TEXT;
UPDATE session SET person = (SELECT machine.person FROM machine WHERE machine.id = session.machine);
UPDATE subagent_call SET person = (SELECT machine.person FROM machine WHERE machine.id = subagent_call.machine);
";

/// The table `machine_trust` records trust that Bugle grants without asking, because a person installed the skill or
/// the skill is built in. It applies only to that person on that machine.
pub(crate) const SCHEMA: &str = "
ALTER TABLE event ADD COLUMN person TEXT;
ALTER TABLE task_event ADD COLUMN person TEXT;
ALTER TABLE message ADD COLUMN person TEXT;
ALTER TABLE trust ADD COLUMN person TEXT;
ALTER TABLE trust_event ADD COLUMN person TEXT;
ALTER TABLE machine ADD COLUMN person TEXT;
ALTER TABLE project ADD COLUMN decides TEXT NOT NULL DEFAULT 'lead';
CREATE TABLE member (
  person TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  every_project BIGINT NOT NULL,
  added_at BIGINT NOT NULL
);
CREATE TABLE member_project (
  person TEXT NOT NULL REFERENCES member (person),
  project_id TEXT NOT NULL REFERENCES project (id),
  PRIMARY KEY (person, project_id)
);
CREATE TABLE machine_trust (
  machine TEXT NOT NULL,
  person TEXT NOT NULL,
  pin TEXT NOT NULL,
  skill TEXT NOT NULL,
  given_at BIGINT NOT NULL,
  PRIMARY KEY (machine, person, pin)
);
";
