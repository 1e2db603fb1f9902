//! The migrations, in order. There are no downgrades.
//!
//! Each engine replaces `BYTES` with its own column type for bytes, and orders `TEXT` by code point.

use super::chains::SCHEMA as CHAINS;
use super::failed_runs::SCHEMA as FAILED_RUNS;
use super::machines::SCHEMA as MACHINES;
use super::people::{SCHEMA as PEOPLE, SESSIONS};

/// The migration at index `n` upgrades the schema from version `n` to `n + 1`.
pub(crate) const MIGRATIONS: &[&str] = &[
    "
CREATE TABLE project (
  id TEXT PRIMARY KEY,
  place TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL
);
CREATE TABLE run (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  directory TEXT NOT NULL,
  session TEXT,
  skill TEXT NOT NULL,
  pin TEXT NOT NULL,
  status TEXT NOT NULL,
  step TEXT,
  visit BIGINT,
  version BIGINT NOT NULL,
  started_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL
);
CREATE INDEX run_by_project ON run (project_id, changed_at);
CREATE INDEX open_run_by_project ON run (project_id, changed_at) WHERE status IN ('active', 'waiting', 'paused');
CREATE INDEX open_run_by_session ON run (session, changed_at) WHERE status IN ('active', 'waiting', 'paused');
CREATE INDEX run_by_change ON run (changed_at);
CREATE TABLE event (
  run_id TEXT NOT NULL REFERENCES run (id),
  seq BIGINT NOT NULL,
  happened_at BIGINT NOT NULL,
  actor TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (run_id, seq)
);
CREATE TABLE blob (
  hash TEXT PRIMARY KEY,
  content BYTES NOT NULL
);
CREATE TABLE compiled (
  pin TEXT NOT NULL REFERENCES blob (hash),
  compiler BIGINT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (pin, compiler)
);
CREATE TABLE trust (
  pin TEXT PRIMARY KEY,
  skill TEXT NOT NULL,
  given_by TEXT NOT NULL,
  given_at BIGINT NOT NULL
);
", "
ALTER TABLE run ADD COLUMN parent TEXT REFERENCES run (id);
ALTER TABLE run ADD COLUMN parent_visit BIGINT;
ALTER TABLE run ADD COLUMN slot BIGINT;
ALTER TABLE run ADD COLUMN attempt BIGINT;
CREATE UNIQUE INDEX run_by_parent ON run (parent, parent_visit, slot, attempt) WHERE parent IS NOT NULL;
", "
CREATE TABLE plan (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  file TEXT NOT NULL,
  title TEXT NOT NULL,
  source TEXT NOT NULL REFERENCES blob (hash),
  branch TEXT,
  root_id TEXT NOT NULL,
  imported_at BIGINT NOT NULL,
  UNIQUE (project_id, file)
);
CREATE TABLE task (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  root_id TEXT NOT NULL,
  parent_id TEXT REFERENCES task (id),
  path TEXT NOT NULL,
  rank BIGINT NOT NULL,
  title TEXT NOT NULL,
  skill TEXT,
  agent TEXT,
  standing TEXT NOT NULL,
  reason TEXT,
  skipped_with TEXT,
  removed TEXT,
  retries BIGINT NOT NULL,
  plan_id TEXT REFERENCES plan (id),
  plan_number TEXT,
  plan_title TEXT,
  plan_hash TEXT,
  substance TEXT,
  run_id TEXT,
  version BIGINT NOT NULL,
  is_open BIGINT NOT NULL,
  children BIGINT NOT NULL,
  open_children BIGINT NOT NULL,
  blockers BIGINT NOT NULL
);
CREATE INDEX task_in_order ON task (project_id, path);
CREATE INDEX task_by_parent ON task (parent_id, rank);
CREATE INDEX task_at_top ON task (project_id, path) WHERE parent_id IS NULL;
CREATE INDEX task_by_plan ON task (plan_id) WHERE plan_id IS NOT NULL;
CREATE INDEX task_position ON task (project_id, path) WHERE is_open = 1 AND open_children = 0;
CREATE INDEX task_ready ON task (project_id, path)
  WHERE is_open = 1 AND open_children = 0 AND standing = 'pending' AND blockers = 0;
CREATE INDEX task_active ON task (project_id, path) WHERE is_open = 1 AND standing = 'active';
CREATE INDEX task_removed ON task (project_id, path) WHERE removed IS NOT NULL;
CREATE TABLE dependency (
  task_id TEXT NOT NULL REFERENCES task (id),
  on_id TEXT NOT NULL REFERENCES task (id),
  says TEXT NOT NULL,
  PRIMARY KEY (task_id, on_id)
);
CREATE INDEX dependency_on ON dependency (on_id);
CREATE TABLE task_event (
  task_id TEXT NOT NULL REFERENCES task (id),
  seq BIGINT NOT NULL,
  happened_at BIGINT NOT NULL,
  actor TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (task_id, seq)
);
CREATE TABLE focus (
  project_id TEXT NOT NULL REFERENCES project (id),
  session TEXT NOT NULL,
  root_id TEXT NOT NULL REFERENCES task (id),
  PRIMARY KEY (project_id, session)
);
CREATE TABLE skill_pin (
  root_id TEXT NOT NULL REFERENCES task (id),
  skill TEXT NOT NULL,
  hash TEXT NOT NULL REFERENCES blob (hash),
  version TEXT,
  source TEXT NOT NULL,
  pinned_at BIGINT NOT NULL,
  PRIMARY KEY (root_id, skill)
);
", "
CREATE TABLE message (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  seq BIGINT NOT NULL,
  sender TEXT NOT NULL,
  body TEXT NOT NULL,
  said_at BIGINT NOT NULL,
  UNIQUE (project_id, seq)
);
CREATE INDEX message_by_sender ON message (project_id, sender, seq);
CREATE TABLE mailbox (
  project_id TEXT NOT NULL REFERENCES project (id),
  agent TEXT NOT NULL,
  delivered BIGINT NOT NULL,
  taken BIGINT NOT NULL,
  PRIMARY KEY (project_id, agent)
);
CREATE TABLE delivery (
  project_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  seq BIGINT NOT NULL,
  message_id TEXT NOT NULL REFERENCES message (id),
  taken_at BIGINT,
  PRIMARY KEY (project_id, agent, seq),
  UNIQUE (message_id, project_id, agent),
  FOREIGN KEY (project_id, agent) REFERENCES mailbox (project_id, agent)
);
CREATE TABLE wakeup (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  seq BIGINT NOT NULL,
  agent TEXT NOT NULL,
  reason TEXT NOT NULL,
  given_at BIGINT NOT NULL,
  budget_limit BIGINT NOT NULL,
  unit TEXT NOT NULL,
  size BIGINT NOT NULL,
  parts TEXT NOT NULL,
  hash TEXT NOT NULL,
  content BYTES NOT NULL,
  UNIQUE (project_id, seq)
);
CREATE INDEX wakeup_by_agent ON wakeup (project_id, agent, seq);
", "
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  client TEXT NOT NULL,
  directory TEXT NOT NULL,
  ended TEXT,
  memory TEXT NOT NULL,
  seen_at BIGINT NOT NULL
);
CREATE INDEX session_that_ended ON session (client, directory, seen_at) WHERE ended IS NOT NULL;
CREATE TABLE subagent (
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  run_id TEXT NOT NULL REFERENCES run (id),
  PRIMARY KEY (session, agent)
);
CREATE INDEX subagent_by_run ON subagent (session, run_id);
", "
CREATE TABLE agent (
  project_id TEXT NOT NULL REFERENCES project (id),
  address TEXT NOT NULL,
  branch TEXT NOT NULL,
  name TEXT NOT NULL,
  client TEXT,
  role TEXT,
  session TEXT,
  status TEXT NOT NULL,
  asks BIGINT NOT NULL,
  in_turn BIGINT NOT NULL,
  question TEXT REFERENCES message (id),
  task TEXT,
  run_id TEXT REFERENCES run (id),
  started_by TEXT,
  directory TEXT NOT NULL,
  pid BIGINT,
  process_started BIGINT,
  exit_code BIGINT,
  log TEXT,
  recoveries BIGINT NOT NULL,
  wakeups BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  cost BIGINT NOT NULL,
  renamed TEXT,
  created_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, address),
  UNIQUE (project_id, branch, name)
);
CREATE UNIQUE INDEX agent_by_session ON agent (session) WHERE session IS NOT NULL;
CREATE INDEX agent_that_asks ON agent (question) WHERE question IS NOT NULL;
CREATE INDEX agent_by_run ON agent (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX agent_with_process ON agent (project_id, address) WHERE pid IS NOT NULL;
CREATE INDEX agent_by_starter ON agent (project_id, started_by) WHERE started_by IS NOT NULL;
CREATE TABLE exchange (
  first TEXT NOT NULL,
  second TEXT NOT NULL,
  last TEXT,
  turns BIGINT NOT NULL,
  since BIGINT NOT NULL,
  PRIMARY KEY (first, second)
);
CREATE INDEX exchange_by_second ON exchange (second);
CREATE TABLE notice (
  project_id TEXT NOT NULL REFERENCES project (id),
  what TEXT NOT NULL,
  told_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, what)
);
ALTER TABLE mailbox ADD COLUMN wakes_at BIGINT NOT NULL DEFAULT 0;
UPDATE mailbox SET wakes_at = delivered;
CREATE INDEX mailbox_that_wakes ON mailbox (project_id, agent) WHERE wakes_at > taken;
ALTER TABLE message ADD COLUMN kind TEXT NOT NULL DEFAULT 'say';
ALTER TABLE message ADD COLUMN answers TEXT REFERENCES message (id);
ALTER TABLE message ADD COLUMN branch TEXT NOT NULL DEFAULT '-';
CREATE INDEX message_by_branch ON message (project_id, branch, seq);
ALTER TABLE delivery ADD COLUMN asks BIGINT NOT NULL DEFAULT 0;
CREATE INDEX delivery_that_asks ON delivery (project_id, agent, seq) WHERE asks = 1;
CREATE INDEX task_event_by_time ON task_event (happened_at);
", "
CREATE TABLE launch (
  project_id TEXT NOT NULL REFERENCES project (id),
  agent TEXT NOT NULL,
  model TEXT,
  arguments TEXT NOT NULL,
  wakeup_id TEXT,
  state TEXT NOT NULL,
  is_new_session BIGINT NOT NULL,
  told_after BIGINT NOT NULL,
  told_up_to BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, agent)
);
CREATE INDEX launch_by_state ON launch (state);
", "
CREATE INDEX task_counted ON task (plan_id, substance, removed, is_open) WHERE plan_id IS NOT NULL;
DROP INDEX task_by_plan;
", CHAINS, "
ALTER TABLE task ADD COLUMN turn_blockers BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN waived TEXT;
", SNAPSHOTS, "
ALTER TABLE subagent RENAME TO subagent_with_one_run;
CREATE TABLE subagent (
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  run_id TEXT NOT NULL REFERENCES run (id),
  PRIMARY KEY (session, agent, run_id)
);
INSERT INTO subagent (session, agent, run_id) SELECT session, agent, run_id FROM subagent_with_one_run;
DROP TABLE subagent_with_one_run;
CREATE INDEX subagent_by_run ON subagent (session, run_id);
", PROJECTS, "
CREATE TABLE subagent_call (
  session TEXT NOT NULL,
  token TEXT NOT NULL,
  agent TEXT NOT NULL,
  PRIMARY KEY (session, token)
);
CREATE INDEX subagent_call_by_agent ON subagent_call (session, agent);
", "
CREATE INDEX plan_by_title ON plan (project_id, title);
", MACHINES, PEOPLE, SESSIONS, FAILED_RUNS, "
ALTER TABLE run ADD COLUMN task_id TEXT;
CREATE INDEX run_by_task ON run (task_id, started_at) WHERE task_id IS NOT NULL;
", "
ALTER TABLE agent ADD COLUMN access TEXT;
"];

/// The migration that lets projects move. Agents of a merged project keep their addresses, so two agents may have the
/// same branch and name: the migration rebuilds the agent table without that unique constraint.
const PROJECTS: &str = "
ALTER TABLE project ADD COLUMN name TEXT;
ALTER TABLE project ADD COLUMN kept BIGINT NOT NULL DEFAULT 0;
CREATE TABLE agent_of_project (
  project_id TEXT NOT NULL REFERENCES project (id),
  address TEXT NOT NULL,
  branch TEXT NOT NULL,
  name TEXT NOT NULL,
  client TEXT,
  role TEXT,
  session TEXT,
  status TEXT NOT NULL,
  asks BIGINT NOT NULL,
  in_turn BIGINT NOT NULL,
  question TEXT REFERENCES message (id),
  task TEXT,
  run_id TEXT REFERENCES run (id),
  started_by TEXT,
  directory TEXT NOT NULL,
  pid BIGINT,
  process_started BIGINT,
  exit_code BIGINT,
  log TEXT,
  recoveries BIGINT NOT NULL,
  wakeups BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  cost BIGINT NOT NULL,
  renamed TEXT,
  created_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, address)
);
INSERT INTO agent_of_project SELECT project_id, address, branch, name, client, role, session, status, asks, in_turn,
  question, task, run_id, started_by, directory, pid, process_started, exit_code, log, recoveries, wakeups, tokens, cost,
  renamed, created_at, changed_at FROM agent;
DROP TABLE agent;
ALTER TABLE agent_of_project RENAME TO agent;
CREATE UNIQUE INDEX agent_by_session ON agent (session) WHERE session IS NOT NULL;
CREATE INDEX agent_that_asks ON agent (question) WHERE question IS NOT NULL;
CREATE INDEX agent_by_run ON agent (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX agent_with_process ON agent (project_id, address) WHERE pid IS NOT NULL;
CREATE INDEX agent_by_starter ON agent (project_id, started_by) WHERE started_by IS NOT NULL;
CREATE INDEX agent_by_branch ON agent (project_id, branch, name);
";

const SNAPSHOTS: &str = "
CREATE TABLE snapshot (
  run_id TEXT PRIMARY KEY REFERENCES run (id),
  version BIGINT NOT NULL,
  fold BIGINT NOT NULL,
  body TEXT NOT NULL,
  hash TEXT NOT NULL
);
";
