//! The store of agents, in its one text of SQL.

use bugle_core::agent::{Exchange, Spent, Standing};
use bugle_core::id::{Actor, MessageId, RunId, SessionId, Timestamp};
use bugle_core::message::AgentAddress;

use super::{AgentRow, AgentStore, Pair, ProcessId, party};
use crate::StoreError;
use crate::sql::{Row, Sql, Value, transaction};
use crate::store::{ProjectId, SqlStore};

const COLUMNS: &str = "agent.project_id, agent.address, agent.client, agent.role, agent.session, agent.status, \
     agent.asks, agent.in_turn, agent.question, agent.task, agent.run_id, agent.started_by, agent.directory, \
     agent.pid, agent.process_started, agent.exit_code, agent.log, agent.recoveries, agent.wakeups, agent.tokens, \
     agent.cost, agent.renamed, agent.created_at, agent.changed_at, \
     (SELECT COUNT(*) FROM agent AS started WHERE started.started_by = agent.address \
      AND started.project_id = agent.project_id)";

fn bad(what: &str) -> StoreError {
    StoreError::Unreadable(format!("an agent has a bad {what}"))
}

fn number(count: u64) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}

fn whole(row: &Row, column: usize) -> Result<u64, StoreError> {
    u64::try_from(row.int(column)?).map_err(|_| bad("count"))
}

fn optional_int(row: &Row, column: usize) -> Result<Option<i64>, StoreError> {
    match row.0.get(column) {
        Some(Value::Null) => Ok(None),
        _ => row.int(column).map(Some),
    }
}

fn optional_address(row: &Row, column: usize) -> Result<Option<AgentAddress>, StoreError> {
    row.optional_text(column)?
        .map(|text| text.parse().map_err(|_| bad("address")))
        .transpose()
}

fn agent_row(row: &Row) -> Result<AgentRow, StoreError> {
    let process = match (optional_int(row, 13)?, optional_int(row, 14)?) {
        (Some(pid), Some(started)) => Some(ProcessId {
            pid: u32::try_from(pid).map_err(|_| bad("process"))?,
            started,
        }),
        _ => None,
    };
    Ok(AgentRow {
        project: ProjectId(row.text(0)?),
        address: row.text(1)?.parse().map_err(|_| bad("address"))?,
        client: row.optional_text(2)?,
        role: row
            .optional_text(3)?
            .map(|role| role.parse().map_err(|()| bad("role")))
            .transpose()?,
        session: row.optional_text(4)?.map(SessionId),
        standing: Standing {
            status: row.text(5)?.parse().map_err(|()| bad("status"))?,
            asks: row.int(6)? != 0,
            in_turn: row.int(7)? != 0,
        },
        question: row
            .optional_text(8)?
            .map(|id| MessageId::parse(&id).map_err(|_| bad("question")))
            .transpose()?,
        task: row.optional_text(9)?,
        run: row
            .optional_text(10)?
            .map(|id| RunId::parse(&id).map_err(|_| bad("run")))
            .transpose()?,
        started_by: optional_address(row, 11)?,
        directory: row.text(12)?,
        process,
        exit_code: optional_int(row, 15)?
            .map(|code| i32::try_from(code).map_err(|_| bad("exit code")))
            .transpose()?,
        log: row.optional_text(16)?,
        recoveries: row.count(17)?,
        spent: Spent {
            wakeups: whole(row, 18)?,
            tokens: whole(row, 19)?,
            cost: whole(row, 20)?,
            agents: whole(row, 24)?,
        },
        renamed: optional_address(row, 21)?,
        created_at: Timestamp(row.int(22)?),
        changed_at: Timestamp(row.int(23)?),
    })
}

/// The columns of an agent in the order of both statements that write them.
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
        agent.standing.status.as_str().into(),
        Value::Int(i64::from(agent.standing.asks)),
        Value::Int(i64::from(agent.standing.in_turn)),
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
    ]
}

fn found<S: Sql>(sql: &mut S, rest: &str, parameters: &[Value]) -> Result<Vec<AgentRow>, StoreError> {
    let statement = format!("SELECT {COLUMNS} FROM agent {rest}");
    sql.query(&statement, parameters)?.iter().map(agent_row).collect()
}

impl<S: Sql> AgentStore for SqlStore<S> {
    fn agent(&mut self, project: &ProjectId, address: &AgentAddress) -> Result<Option<AgentRow>, StoreError> {
        let parameters = [project.0.as_str().into(), address.to_string().as_str().into()];
        let rows = found(
            &mut self.sql,
            "WHERE project_id = $1 AND address = $2",
            &parameters,
        )?;
        Ok(rows.into_iter().next())
    }

    fn agent_of_session(&mut self, session: &SessionId) -> Result<Option<AgentRow>, StoreError> {
        let rows = found(&mut self.sql, "WHERE session = $1", &[session.0.as_str().into()])?;
        Ok(rows.into_iter().next())
    }

    fn agent_asking(&mut self, question: &MessageId) -> Result<Option<AgentRow>, StoreError> {
        let rows = found(&mut self.sql, "WHERE question = $1", &[question.as_str().into()])?;
        Ok(rows.into_iter().next())
    }

    fn agents(&mut self, project: Option<&ProjectId>) -> Result<Vec<AgentRow>, StoreError> {
        let (condition, parameters) = match project {
            Some(project) => ("project_id = $1 AND ", vec![project.0.as_str().into()]),
            None => ("", Vec::new()),
        };
        let rest = format!("WHERE {condition}renamed IS NULL ORDER BY project_id, branch, name");
        found(&mut self.sql, &rest, &parameters)
    }

    fn add_agent(&mut self, agent: &AgentRow) -> Result<bool, StoreError> {
        let mut parameters = values(agent);
        parameters.push(agent.address.branch().into());
        parameters.push(agent.address.name().into());
        let made = self.sql.execute(
            "INSERT INTO agent (project_id, address, client, role, session, status, asks, in_turn, question, task, \
             run_id, started_by, directory, pid, process_started, exit_code, log, recoveries, wakeups, tokens, cost, \
             renamed, created_at, changed_at, branch, name) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, \
             $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26) ON CONFLICT DO NOTHING",
            &parameters,
        )?;
        Ok(made > 0)
    }

    fn keep_agent(&mut self, agent: &AgentRow) -> Result<bool, StoreError> {
        let kept = self.sql.execute(
            "UPDATE agent SET client = $3, role = $4, session = $5, status = $6, asks = $7, in_turn = $8, \
             question = $9, task = $10, run_id = $11, started_by = $12, directory = $13, pid = $14, \
             process_started = $15, exit_code = $16, log = $17, recoveries = $18, wakeups = $19, tokens = $20, \
             cost = $21, renamed = $22, created_at = $23, changed_at = $24 WHERE project_id = $1 AND address = $2 \
             AND NOT EXISTS (SELECT 1 FROM agent AS other WHERE other.session = $5 AND \
             NOT (other.project_id = $1 AND other.address = $2))",
            &values(agent),
        )?;
        Ok(kept > 0)
    }

    fn agents_to_wake(&mut self) -> Result<Vec<AgentRow>, StoreError> {
        found(
            &mut self.sql,
            "JOIN mailbox ON mailbox.project_id = agent.project_id AND mailbox.agent = agent.address \
             WHERE mailbox.wakes_at > mailbox.taken AND agent.renamed IS NULL ORDER BY agent.project_id, agent.address",
            &[],
        )
    }

    fn agents_with_process(&mut self) -> Result<Vec<AgentRow>, StoreError> {
        found(
            &mut self.sql,
            "WHERE pid IS NOT NULL ORDER BY project_id, address",
            &[],
        )
    }

    fn forward_mail(
        &mut self,
        project: &ProjectId,
        from: &AgentAddress,
        to: &AgentAddress,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        transaction(&mut self.sql, |sql| {
            crate::messages::forward(sql, project, from, to, now)
        })
    }

    fn spent_on_run(&mut self, run: &RunId) -> Result<Spent, StoreError> {
        let rows = self.sql.query(
            "SELECT COALESCE(SUM(wakeups), 0), COUNT(*), COALESCE(SUM(tokens), 0), COALESCE(SUM(cost), 0) \
             FROM agent WHERE run_id = $1",
            &[run.as_str().into()],
        )?;
        let Some(row) = rows.first() else {
            return Ok(Spent::default());
        };
        Ok(Spent {
            wakeups: whole(row, 0)?,
            agents: whole(row, 1)?,
            tokens: whole(row, 2)?,
            cost: whole(row, 3)?,
        })
    }

    fn is_news(&mut self, project: &ProjectId, what: &str, now: Timestamp) -> Result<bool, StoreError> {
        let made = self.sql.execute(
            "INSERT INTO notice (project_id, what, told_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            &[project.0.as_str().into(), what.into(), now.0.into()],
        )?;
        Ok(made > 0)
    }

    fn exchange(&mut self, pair: &Pair) -> Result<(Exchange, Timestamp), StoreError> {
        let rows = self.sql.query(
            "SELECT last, turns, since FROM exchange WHERE first = $1 AND second = $2",
            &[pair.first.as_str().into(), pair.second.as_str().into()],
        )?;
        let Some(row) = rows.first() else {
            return Ok((Exchange::default(), Timestamp(0)));
        };
        let exchange = Exchange {
            last: optional_address(row, 0)?,
            turns: row.count(1)?,
        };
        Ok((exchange, Timestamp(row.int(2)?)))
    }

    fn keep_exchange(
        &mut self,
        pair: &Pair,
        exchange: &Exchange,
        since: Timestamp,
    ) -> Result<(), StoreError> {
        let last = exchange.last.as_ref().map(ToString::to_string);
        self.sql
            .execute(
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
            .map(|_| ())
    }

    fn forget_exchanges(&mut self, project: &ProjectId, agent: &AgentAddress) -> Result<(), StoreError> {
        self.sql
            .execute(
                "DELETE FROM exchange WHERE first = $1 OR second = $1",
                &[party(project, agent).as_str().into()],
            )
            .map(|_| ())
    }

    fn got_on(
        &mut self,
        project: &ProjectId,
        sessions: &[SessionId],
        since: Timestamp,
    ) -> Result<bool, StoreError> {
        for session in sessions {
            let runs = self.sql.query(
                "SELECT 1 FROM run WHERE project_id = $1 AND changed_at > $2 AND session = $3 LIMIT 1",
                &[
                    project.0.as_str().into(),
                    since.0.into(),
                    session.0.as_str().into(),
                ],
            )?;
            let actor = serde_json::to_string(&Actor::Agent(session.clone()))
                .map_err(|error| StoreError::Unreadable(error.to_string()))?;
            let tasks = self.sql.query(
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
