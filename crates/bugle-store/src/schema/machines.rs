//! The migration that separates the data of each machine: the locations of projects, sessions, and the folders of runs
//! and agents.
//!
//! Rows from before the migration belong to the machine with the empty id, the only machine in a `SQLite` store.

/// A project may have several locations, so the location no longer identifies it. Its clones share a unique id
/// instead.
pub(crate) const SCHEMA: &str = "
CREATE TABLE machine (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  seen_at BIGINT NOT NULL
);
CREATE TABLE project_place (
  machine TEXT NOT NULL,
  place TEXT NOT NULL,
  project_id TEXT NOT NULL REFERENCES project (id),
  kept BIGINT NOT NULL,
  PRIMARY KEY (machine, place)
);
CREATE INDEX project_place_by_project ON project_place (project_id, machine, place);
INSERT INTO project_place (machine, place, project_id, kept) SELECT '', place, id, kept FROM project;
ALTER TABLE project RENAME COLUMN place TO shared_id;
UPDATE project SET shared_id = id;
ALTER TABLE project DROP COLUMN kept;
ALTER TABLE run ADD COLUMN machine TEXT NOT NULL DEFAULT '';
ALTER TABLE agent ADD COLUMN machine TEXT NOT NULL DEFAULT '';
DROP INDEX agent_by_session;
CREATE UNIQUE INDEX agent_by_session ON agent (session, machine) WHERE session IS NOT NULL;
ALTER TABLE session RENAME TO session_of_one_machine;
CREATE TABLE session (
  machine TEXT NOT NULL,
  id TEXT NOT NULL,
  client TEXT NOT NULL,
  directory TEXT NOT NULL,
  ended TEXT,
  memory TEXT NOT NULL,
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (machine, id)
);
INSERT INTO session (machine, id, client, directory, ended, memory, seen_at)
  SELECT '', id, client, directory, ended, memory, seen_at FROM session_of_one_machine;
DROP TABLE session_of_one_machine;
CREATE INDEX session_that_ended ON session (machine, client, directory, seen_at) WHERE ended IS NOT NULL;
ALTER TABLE focus RENAME TO focus_of_one_machine;
CREATE TABLE focus (
  project_id TEXT NOT NULL REFERENCES project (id),
  machine TEXT NOT NULL,
  session TEXT NOT NULL,
  root_id TEXT NOT NULL REFERENCES task (id),
  PRIMARY KEY (project_id, machine, session)
);
INSERT INTO focus (project_id, machine, session, root_id) SELECT project_id, '', session, root_id
  FROM focus_of_one_machine;
DROP TABLE focus_of_one_machine;
ALTER TABLE subagent RENAME TO subagent_of_one_machine;
DROP INDEX subagent_by_run;
CREATE TABLE subagent (
  machine TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  run_id TEXT NOT NULL REFERENCES run (id),
  PRIMARY KEY (machine, session, agent, run_id)
);
INSERT INTO subagent (machine, session, agent, run_id) SELECT '', session, agent, run_id FROM subagent_of_one_machine;
DROP TABLE subagent_of_one_machine;
CREATE INDEX subagent_by_run ON subagent (machine, session, run_id);
ALTER TABLE subagent_call RENAME TO subagent_call_of_one_machine;
DROP INDEX subagent_call_by_agent;
CREATE TABLE subagent_call (
  machine TEXT NOT NULL,
  session TEXT NOT NULL,
  token TEXT NOT NULL,
  agent TEXT NOT NULL,
  PRIMARY KEY (machine, session, token)
);
INSERT INTO subagent_call (machine, session, token, agent) SELECT '', session, token, agent
  FROM subagent_call_of_one_machine;
DROP TABLE subagent_call_of_one_machine;
CREATE INDEX subagent_call_by_agent ON subagent_call (machine, session, agent);
";
