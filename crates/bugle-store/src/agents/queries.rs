//! Agent queries and updates.

use bugle_core::agent::{Access, AgentState, Exchange, Spent};
use bugle_core::id::{Actor, MessageId, RunId, SessionId, Timestamp};
use bugle_core::message::AgentAddress;

use super::{AgentRow, Pair, ProcessId};
use crate::StoreError;
use crate::connection::Connection;
use crate::machine_id::MachineId;
use crate::row::{Row, Value};
use crate::{ProjectId, Store};

pub(super) const COLUMNS: &str = "agent.project_id, agent.address, agent.client, agent.role, agent.session, agent.status, \
     agent.asks, agent.in_turn, agent.question, agent.task, agent.run_id, agent.started_by, agent.directory, \
     agent.pid, agent.process_started, agent.exit_code, agent.log, agent.recoveries, agent.wakeups, agent.tokens, \
     agent.cost, agent.renamed, agent.created_at, agent.changed_at, agent.machine, agent.access, \
     (SELECT COUNT(*) FROM agent AS started WHERE started.started_by = agent.address \
      AND started.project_id = agent.project_id) AS agents_started";

fn bad(what: &str) -> StoreError {
    StoreError::Unreadable(format!("an agent has an invalid {what}"))
}

fn number(count: u64) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}

fn optional_address(row: &Row, column: &str) -> Result<Option<AgentAddress>, StoreError> {
    row.optional_text(column)?
        .map(|text| text.parse().map_err(|_| bad("address")))
        .transpose()
}

pub(super) fn agent_row(row: &Row) -> Result<AgentRow, StoreError> {
    let process = match (row.optional_int("pid")?, row.optional_int("process_started")?) {
        (Some(pid), Some(started)) => Some(ProcessId {
            pid: u32::try_from(pid).map_err(|_| bad("process"))?,
            started,
        }),
        _ => None,
    };
    Ok(AgentRow {
        project: ProjectId(row.text("project_id")?),
        address: row.text("address")?.parse().map_err(|_| bad("address"))?,
        client: row.optional_text("client")?,
        role: row
            .optional_text("role")?
            .map(|role| role.parse().map_err(|()| bad("role")))
            .transpose()?,
        access: row
            .optional_text("access")?
            .map(|access| access.parse().map_err(|()| bad("access")))
            .transpose()?,
        session: row.optional_text("session")?.map(SessionId),
        state: AgentState {
            status: row.text("status")?.parse().map_err(|()| bad("status"))?,
            asks: row.flag("asks")?,
            in_turn: row.flag("in_turn")?,
        },
        question: row
            .optional_text("question")?
            .map(|id| MessageId::parse(&id).map_err(|_| bad("question")))
            .transpose()?,
        task: row.optional_text("task")?,
        run: row
            .optional_text("run_id")?
            .map(|id| RunId::parse(&id).map_err(|_| bad("run")))
            .transpose()?,
        started_by: optional_address(row, "started_by")?,
        machine: MachineId::from_stored(row.text("machine")?),
        directory: row.text("directory")?,
        process,
        exit_code: row
            .optional_int("exit_code")?
            .map(|code| i32::try_from(code).map_err(|_| bad("exit code")))
            .transpose()?,
        log: row.optional_text("log")?,
        recoveries: row.count("recoveries")?,
        spent: Spent {
            wakeups: row.unsigned("wakeups")?,
            tokens: row.unsigned("tokens")?,
            cost: row.unsigned("cost")?,
            agents: row.unsigned("agents_started")?,
        },
        renamed: optional_address(row, "renamed")?,
        created_at: Timestamp(row.int("created_at")?),
        changed_at: Timestamp(row.int("changed_at")?),
    })
}

/// An agent's values in column order.
fn values(agent: &AgentRow) -> Vec<Value> {
    let text = |text: Option<&str>| Value::from(text);
    let address = |address: &Option<AgentAddress>| {
        address
            .as_ref()
            .map_or(Value::Null, |address| address.to_string().as_str().into())
    };
    vec![
        agent.project.0.as_str().into(),
        agent.address.to_string().as_str().into(),
        text(agent.client.as_deref()),
        text(agent.role.map(bugle_core::role::AgentRole::as_str)),
        text(agent.session.as_ref().map(|session| session.0.as_str())),
        agent.state.status.as_str().into(),
        Value::Int(i64::from(agent.state.asks)),
        Value::Int(i64::from(agent.state.in_turn)),
        text(agent.question.as_ref().map(MessageId::as_str)),
        text(agent.task.as_deref()),
        text(agent.run.as_ref().map(RunId::as_str)),
        address(&agent.started_by),
        agent.directory.as_str().into(),
        agent
            .process
            .map_or(Value::Null, |process| Value::Int(i64::from(process.pid))),
        agent
            .process
            .map_or(Value::Null, |process| Value::Int(process.started)),
        agent
            .exit_code
            .map_or(Value::Null, |code| Value::Int(i64::from(code))),
        text(agent.log.as_deref()),
        Value::Int(i64::from(agent.recoveries)),
        number(agent.spent.wakeups),
        number(agent.spent.tokens),
        number(agent.spent.cost),
        address(&agent.renamed),
        agent.created_at.0.into(),
        agent.changed_at.0.into(),
        agent.machine.as_str().into(),
        text(agent.access.map(Access::as_str)),
    ]
}

fn select(db: &mut Connection, rest: &str, parameters: &[Value]) -> Result<Vec<AgentRow>, StoreError> {
    let statement = format!("SELECT {COLUMNS} FROM agent {rest}");
    db.query(&statement, parameters)?.iter().map(agent_row).collect()
}

impl Store {
    /// The agent with this address. Inside a transaction, locks the agent's row until the transaction ends.
    pub fn agent(
        &mut self,
        project: &ProjectId,
        address: &AgentAddress,
    ) -> Result<Option<AgentRow>, StoreError> {
        let parameters = [project.0.as_str().into(), address.to_string().as_str().into()];
        let lock = self.connection.row_lock();
        let rest = format!("WHERE project_id = $1 AND address = $2{lock}");
        let rows = select(&mut self.connection, &rest, &parameters)?;
        Ok(rows.into_iter().next())
    }

    /// The agent of a session on this machine. Inside a transaction, locks the agent's row until the transaction ends.
    pub fn agent_of_session(&mut self, session: &SessionId) -> Result<Option<AgentRow>, StoreError> {
        let lock = self.connection.row_lock();
        let rest = format!("WHERE session = $1 AND machine IN ($2, ''){lock}");
        let parameters = [session.0.as_str().into(), self.machine.as_str().into()];
        let rows = select(&mut self.connection, &rest, &parameters)?;
        Ok(rows.into_iter().next())
    }

    /// The agent of a session on any machine, preferably this one. Used only for the agent's name.
    pub fn agent_of_session_anywhere(&mut self, session: &SessionId) -> Result<Option<AgentRow>, StoreError> {
        let rows = select(
            &mut self.connection,
            "WHERE session = $1 ORDER BY CASE WHEN machine = $2 THEN 0 ELSE 1 END, machine LIMIT 1",
            &[session.0.as_str().into(), self.machine.as_str().into()],
        )?;
        Ok(rows.into_iter().next())
    }

    /// The agent that is waiting for the answer to a question.
    pub fn agent_asking(&mut self, question: &MessageId) -> Result<Option<AgentRow>, StoreError> {
        let rows = select(
            &mut self.connection,
            "WHERE question = $1",
            &[question.as_str().into()],
        )?;
        Ok(rows.into_iter().next())
    }

    /// The agents of one or all projects, sorted by project, branch and name. Former addresses of renamed agents are
    /// left out.
    pub fn agents(&mut self, project: Option<&ProjectId>) -> Result<Vec<AgentRow>, StoreError> {
        let (condition, parameters) = match project {
            Some(project) => ("project_id = $1 AND ", vec![project.0.as_str().into()]),
            None => ("", Vec::new()),
        };
        let rest = format!("WHERE {condition}renamed IS NULL ORDER BY project_id, branch, name");
        select(&mut self.connection, &rest, &parameters)
    }

    /// Inserts an agent. Returns false and writes nothing if its address or session is taken.
    pub fn add_agent(&mut self, agent: &AgentRow) -> Result<bool, StoreError> {
        let mut parameters = values(agent);
        parameters.push(agent.address.branch().into());
        parameters.push(agent.address.name().into());
        let made = self.connection.execute(
            "INSERT INTO agent (project_id, address, client, role, session, status, asks, in_turn, question, task, \
             run_id, started_by, directory, pid, process_started, exit_code, log, recoveries, wakeups, tokens, cost, \
             renamed, created_at, changed_at, machine, access, branch, name) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, \
             $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28) ON CONFLICT DO NOTHING",
            &parameters,
        )?;
        Ok(made > 0)
    }

    /// Updates an agent. Returns false if no agent has this address or another agent has this session.
    pub fn keep_agent(&mut self, agent: &AgentRow) -> Result<bool, StoreError> {
        let kept = self.connection.execute(
            "UPDATE agent SET client = $3, role = $4, session = $5, status = $6, asks = $7, in_turn = $8, \
             question = $9, task = $10, run_id = $11, started_by = $12, directory = $13, pid = $14, \
             process_started = $15, exit_code = $16, log = $17, recoveries = $18, wakeups = $19, tokens = $20, \
             cost = $21, renamed = $22, created_at = $23, changed_at = $24, machine = $25, access = $26 \
             WHERE project_id = $1 AND address = $2 AND NOT EXISTS \
             (SELECT 1 FROM agent AS other WHERE other.session = $5 AND other.machine = $25 AND \
             NOT (other.project_id = $1 AND other.address = $2))",
            &values(agent),
        )?;
        Ok(kept > 0)
    }

    /// Changes an agent's state. `changes` are pairs of old and new state. Needs no lock, because the statement reads
    /// the old state itself.
    pub fn change_agent_state(
        &mut self,
        project: &ProjectId,
        address: &AgentAddress,
        changes: &[(AgentState, AgentState)],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let state = |state: &AgentState| {
            let (status, asks, in_turn) = (
                state.status.as_str(),
                u8::from(state.asks),
                u8::from(state.in_turn),
            );
            format!("'{status}', {asks}, {in_turn}")
        };
        let changes = changes
            .iter()
            .map(|(before, after)| format!("({}, {})", state(before), state(after)));
        let statement = format!(
            "UPDATE agent SET status = change.column4, asks = change.column5, in_turn = change.column6, changed_at = $3 \
             FROM (VALUES {}) AS change WHERE agent.project_id = $1 AND agent.address = $2 \
             AND agent.status = change.column1 AND agent.asks = change.column2 AND agent.in_turn = change.column3",
            changes.collect::<Vec<_>>().join(", ")
        );
        let address = address.to_string();
        let parameters = [project.0.as_str().into(), address.as_str().into(), now.0.into()];
        self.connection.write(&statement, &parameters)
    }

    /// The agents with a process, on any machine.
    pub fn agents_with_process(&mut self) -> Result<Vec<AgentRow>, StoreError> {
        select(
            &mut self.connection,
            "WHERE pid IS NOT NULL ORDER BY project_id, address",
            &[],
        )
    }

    /// Forwards unread messages from one mailbox to another, in order.
    pub fn forward_mail(
        &mut self,
        project: &ProjectId,
        from: &AgentAddress,
        to: &AgentAddress,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.connection
            .transaction(|db| crate::messages::forward(db, project, from, to, now))
    }

    /// The spending of all agents that work for a run.
    pub fn spent_on_run(&mut self, run: &RunId) -> Result<Spent, StoreError> {
        let rows = self.connection.query(
            "SELECT COALESCE(SUM(wakeups), 0) AS wakeups, COUNT(*) AS agents, COALESCE(SUM(tokens), 0) AS tokens, \
             COALESCE(SUM(cost), 0) AS cost \
             FROM agent WHERE run_id = $1",
            &[run.as_str().into()],
        )?;
        let Some(row) = rows.first() else {
            return Ok(Spent::default());
        };
        Ok(Spent {
            wakeups: row.unsigned("wakeups")?,
            agents: row.unsigned("agents")?,
            tokens: row.unsigned("tokens")?,
            cost: row.unsigned("cost")?,
        })
    }

    /// Records a key in a project. Returns whether the key was new.
    pub fn record_once(
        &mut self,
        project: &ProjectId,
        what: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let made = self.connection.execute(
            "INSERT INTO notice (project_id, what, told_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            &[project.0.as_str().into(), what.into(), now.0.into()],
        )?;
        Ok(made > 0)
    }

    /// The recent exchange between two agents, and when counting began.
    pub fn exchange(&mut self, pair: &Pair) -> Result<(Exchange, Timestamp), StoreError> {
        let rows = self.connection.query(
            "SELECT last, turns, since FROM exchange WHERE first = $1 AND second = $2",
            &[pair.first.as_str().into(), pair.second.as_str().into()],
        )?;
        let Some(row) = rows.first() else {
            return Ok((Exchange::default(), Timestamp(0)));
        };
        let exchange = Exchange {
            last: optional_address(row, "last")?,
            turns: row.count("turns")?,
        };
        Ok((exchange, Timestamp(row.int("since")?)))
    }

    /// Stores the exchange between two agents.
    pub fn keep_exchange(
        &mut self,
        pair: &Pair,
        exchange: &Exchange,
        since: Timestamp,
    ) -> Result<(), StoreError> {
        let last = exchange.last.as_ref().map(ToString::to_string);
        self.connection.write(
            "INSERT INTO exchange (first, second, last, turns, since) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (first, second) DO UPDATE SET last = $3, turns = $4, since = $5",
            &[
                pair.first.as_str().into(),
                pair.second.as_str().into(),
                last.as_deref().into(),
                Value::Int(i64::from(exchange.turns)),
                since.0.into(),
            ],
        )
    }

    /// Deletes an agent's exchanges, after a message from the user.
    pub fn forget_exchanges(&mut self, project: &ProjectId, agent: &AgentAddress) -> Result<(), StoreError> {
        self.connection.write(
            "DELETE FROM exchange WHERE first = $1 OR second = $1",
            &[Pair::party(project, agent).as_str().into()],
        )
    }

    /// Whether one of these sessions has changed a run or task since the given time.
    pub fn progressed_since(
        &mut self,
        project: &ProjectId,
        sessions: &[SessionId],
        since: Timestamp,
    ) -> Result<bool, StoreError> {
        for session in sessions {
            let runs = self.connection.query(
                "SELECT 1 FROM run WHERE project_id = $1 AND changed_at > $2 AND session = $3 LIMIT 1",
                &[
                    project.0.as_str().into(),
                    since.0.into(),
                    session.0.as_str().into(),
                ],
            )?;
            let actor = serde_json::to_string(&Actor::Agent(session.clone()))
                .map_err(|error| StoreError::Unreadable(error.to_string()))?;
            let tasks = self.connection.query(
                "SELECT 1 FROM task_event WHERE happened_at > $1 AND actor = $2 LIMIT 1",
                &[since.0.into(), actor.as_str().into()],
            )?;
            if !runs.is_empty() || !tasks.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
