//! Plans a use case's queries, so that a remote server answers them in few round trips.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use bugle_core::engine::RunStatus;
use bugle_core::id::{ChildToken, ContentHash, RunId, SessionId, Timestamp, VisitNumber, VisitToken};
use bugle_core::message::{AgentAddress, Home};

use crate::connection::Connection;
use crate::engine::Engine;
use crate::postgres::{ConnectionDefaults, Postgres, VERSION};
use crate::read_ahead::Keys;
use crate::row::Value;
use crate::run_rows::OPEN;
use crate::schema::MIGRATIONS;
use crate::sqlite::Patience;
use crate::store::{check_for_hook, upgrade};
use crate::{Durability, MachineId, ProjectId, RunRow, Store, StoreError};

/// Records a store's queries instead of running them. Each query returns no rows.
#[derive(Debug)]
pub struct Plan<'store>(&'store mut Store);

impl Deref for Plan<'_> {
    type Target = Store;

    fn deref(&self) -> &Store {
        self.0
    }
}

impl DerefMut for Plan<'_> {
    fn deref_mut(&mut self) -> &mut Store {
        self.0
    }
}

/// Calls a command's first queries on a plan, which records them.
pub type PlanFirst<'a> = &'a mut dyn FnMut(&mut Plan<'_>) -> Result<(), StoreError>;

impl Store {
    /// Opens the store in a Postgres database for one command on a machine. `plan` calls the command's first queries,
    /// which are sent in the same round trip as the check of the schema.
    pub fn open_url_with_plan(
        url: &str,
        defaults: &dyn ConnectionDefaults,
        machine: MachineId,
        plan: PlanFirst<'_>,
        report: &mut dyn FnMut(&str),
    ) -> Result<Self, StoreError> {
        let postgres = Postgres::connect(url, defaults, Durability::Full, Patience::Usual)?;
        let mut store = Self::on_server(postgres, machine);
        if !store.has_current_schema(plan) {
            upgrade(&mut store.connection, MIGRATIONS, report)?;
        }
        Ok(store)
    }

    /// Like [`Self::open_url_with_plan`], for a client's hook: waits less than a second in total and never upgrades an
    /// older schema. Writes may be deferred: call [`Self::flush`] at the end.
    pub fn open_url_for_hook(
        url: &str,
        defaults: &dyn ConnectionDefaults,
        machine: MachineId,
        plan: PlanFirst<'_>,
    ) -> Result<Self, StoreError> {
        let postgres = Postgres::connect(url, defaults, Durability::Full, Patience::Short)?;
        let mut store = Self::on_server(postgres, machine);
        if !store.has_current_schema(plan) {
            check_for_hook(&mut store.connection)?;
        }
        store.connection.engine().hold_back_writes();
        Ok(store)
    }

    fn on_server(postgres: Postgres, machine: MachineId) -> Self {
        Self {
            connection: Connection::new(Engine::Postgres(Box::new(postgres))),
            machine,
        }
    }

    /// Sends the queries in `plan` in advance, and enables read-ahead for later plans. Returns false and caches
    /// nothing if the schema is not the current one.
    pub(crate) fn has_current_schema(&mut self, plan: PlanFirst<'_>) -> bool {
        self.connection.turn_on_read_ahead();
        let planned = self.read_ahead(|ahead| plan(ahead));
        let current = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
        let is_current = planned.is_ok()
            && self.connection.query(VERSION, &[]).is_ok_and(|rows| {
                let version = rows.first().and_then(|row| row.int("version").ok());
                version == Some(current)
            });
        if !is_current {
            self.connection.forget_read_ahead();
        }
        is_current
    }

    /// Drops the rows that were read ahead, so that the next queries see the current rows.
    pub fn forget_read_ahead(&mut self) {
        self.connection.forget_read_ahead();
    }

    /// Whether the store reads ahead.
    pub fn reads_ahead(&self) -> bool {
        self.connection.reads_ahead()
    }

    /// Queues the queries that `plan` calls. They are sent with the next query, and later calls of the same queries
    /// use the cached rows. Does nothing unless the store was opened for one command, with a plan of its first
    /// queries.
    pub fn read_ahead(
        &mut self,
        plan: impl FnOnce(&mut Plan<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        if !self.reads_ahead() {
            return Ok(());
        }
        self.connection.record_plan(true);
        let planned = plan(&mut Plan(self));
        self.connection.record_plan(false);
        planned
    }
}

/// The keys of a run that other queries need, in the order of [`stand_ins`].
const RUN_KEYS: [&str; 6] = ["id", "pin", "visit", "parent", "project_id", "session"];

/// The runs for which a plan contains further queries.
#[derive(Debug, Clone)]
pub enum RunKeys {
    /// The runs whose id has this prefix.
    Prefix(String),
    /// The open runs of a session on this machine.
    Session(SessionId),
    /// The latest open runs of the project at a location, without sub-agents' runs, up to a maximum number.
    Project(String, u32),
    /// The parents of these runs.
    ParentsOf(Box<Self>),
    /// The runs of the sub-agents in the current visits of these runs.
    ChildrenOf(Box<Self>),
}

impl RunKeys {
    /// The query that selects the keys. Appends the query's values to `parameters`.
    fn select(&self, machine: &MachineId, parameters: &mut Vec<Value>) -> String {
        let of = |table: &str| RUN_KEYS.map(|key| format!("{table}.{key}")).join(", ");
        let columns = of("run");
        match self {
            Self::Prefix(prefix) => {
                // Ids consist of a-z and 0-9, so every id with this prefix sorts before the prefix followed by `~`.
                parameters.push(prefix.as_str().into());
                parameters.push(format!("{prefix}~").as_str().into());
                format!(
                    "SELECT {columns} FROM run WHERE run.id >= $1 AND run.id < $2 ORDER BY run.id LIMIT 10"
                )
            }
            Self::Session(session) => {
                parameters.push(session.0.as_str().into());
                parameters.push(machine.as_str().into());
                format!("SELECT {columns} FROM run WHERE run.session = $1 AND run.machine = $2 AND {OPEN}")
            }
            Self::Project(place, most) => {
                parameters.push(machine.as_str().into());
                parameters.push(place.as_str().into());
                parameters.push(Value::Int(i64::from(*most)));
                format!(
                    "SELECT {columns} FROM run JOIN project_place ON project_place.project_id = run.project_id \
                     WHERE project_place.machine = $1 AND project_place.place = $2 AND run.parent IS NULL AND {OPEN} \
                     ORDER BY run.changed_at DESC, run.id LIMIT $3"
                )
            }
            Self::ParentsOf(children) => {
                let children = children.select(machine, parameters);
                format!("SELECT {columns} FROM run JOIN ({children}) AS child ON run.id = child.parent")
            }
            Self::ChildrenOf(parents) => {
                let parents = parents.select(machine, parameters);
                format!(
                    "SELECT {columns} FROM run JOIN ({parents}) AS parent ON run.parent = parent.id \
                     AND run.parent_visit = parent.visit"
                )
            }
        }
    }
}

/// A placeholder for each run of a plan.
fn stand_in() -> Result<RunRow, StoreError> {
    let id = |text: &str| RunId::parse(text).map_err(|bad| StoreError::Unreadable(bad.to_string()));
    Ok(RunRow {
        id: id("r-standin")?,
        project: ProjectId("p-stand-in".to_owned()),
        machine: MachineId::default(),
        directory: String::new(),
        session: Some(SessionId("stand-in session".to_owned())),
        skill: String::new(),
        pin: ContentHash::from_stored("stand-in pin".to_owned()),
        status: RunStatus::Active,
        step: None,
        visit: Some(VisitNumber(u32::MAX)),
        version: 0,
        started_at: Timestamp(0),
        changed_at: Timestamp(0),
        child: Some(ChildToken {
            parent: VisitToken {
                run: id("r-standinparent")?,
                visit: VisitNumber(u32::MAX - 1),
            },
            slot: 0,
        }),
    })
}

impl Plan<'_> {
    /// Plans the queries that `plan` calls for each of these runs.
    pub fn each_run(
        &mut self,
        runs: &RunKeys,
        plan: impl FnOnce(&mut Plan<'_>, &RunRow) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut parameters = Vec::new();
        let select = runs.select(&self.0.machine, &mut parameters);
        let run = stand_in()?;
        let stand_ins = vec![
            run.id.as_str().into(),
            run.pin.as_str().into(),
            Value::Int(run.visit.map_or(0, |visit| i64::from(visit.0))),
            run.child.as_ref().map(|child| child.parent.run.as_str()).into(),
            run.project.0.as_str().into(),
            run.session.as_ref().map(|session| session.0.as_str()).into(),
        ];
        self.each(
            Keys {
                query: (select, parameters),
                stand_ins,
            },
            |store| plan(store, &run),
        )
    }

    /// Plans the queries that `plan` calls for the agent of a session on this machine, with the agent's project, its
    /// address and its session's address.
    pub fn each_agent(
        &mut self,
        session: &SessionId,
        plan: impl FnOnce(&mut Plan<'_>, &ProjectId, &AgentAddress, &AgentAddress) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let home = Home::new("stand-in", Some("stand-in"));
        let stand_in = |name: &str| {
            let address = AgentAddress::new(home.project(), home.branch(), name);
            address.map_err(|bad| StoreError::Unreadable(bad.to_string()))
        };
        let (address, alias) = (stand_in("agent")?, stand_in("alias")?);
        let project = ProjectId("p-stand-in".to_owned());
        let own = AgentAddress::of_session(&session.0, &home);
        let select = "SELECT project_id, address, substr(address, 1, CAST(length(address) - length(name) AS INTEGER)) || $3 \
                      FROM agent WHERE session = $1 AND machine IN ($2, '')";
        let parameters = vec![
            session.0.as_str().into(),
            self.0.machine.as_str().into(),
            own.as_ref().map_or("", AgentAddress::name).into(),
        ];
        let keys = Keys {
            query: (select.to_owned(), parameters),
            stand_ins: vec![
                project.0.as_str().into(),
                address.to_string().as_str().into(),
                alias.to_string().as_str().into(),
            ],
        };
        self.each(keys, |ahead| plan(ahead, &project, &address, &alias))
    }

    /// Plans the queries that `plan` calls for the owners of these runs. Includes only agents on this machine.
    pub fn each_owner(
        &mut self,
        runs: &RunKeys,
        plan: impl FnOnce(&mut Plan<'_>, &ProjectId, &AgentAddress) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut parameters = Vec::new();
        let runs = runs.select(&self.0.machine, &mut parameters);
        parameters.push(self.0.machine.as_str().into());
        let machine = parameters.len();
        let project = ProjectId("p-stand-in".to_owned());
        let home = Home::new("stand-in", Some("stand-in"));
        let address = AgentAddress::new(home.project(), home.branch(), "owner")
            .map_err(|bad| StoreError::Unreadable(bad.to_string()))?;
        let select = format!(
            "SELECT agent.project_id, agent.address FROM agent JOIN ({runs}) AS owned ON agent.session = owned.session \
             WHERE agent.machine IN (${machine}, '')"
        );
        let keys = Keys {
            query: (select, parameters),
            stand_ins: vec![project.0.as_str().into(), address.to_string().as_str().into()],
        };
        self.each(keys, |ahead| plan(ahead, &project, &address))
    }

    /// Plans the queries that `plan` calls for the session of an agent.
    pub fn each_session_of(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        plan: impl FnOnce(&mut Plan<'_>, &SessionId) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let session = SessionId("stand-in session".to_owned());
        let keys = Keys {
            query: (
                "SELECT session FROM agent WHERE project_id = $1 AND address = $2 AND session IS NOT NULL"
                    .to_owned(),
                vec![project.0.as_str().into(), agent.to_string().as_str().into()],
            ),
            stand_ins: vec![session.0.as_str().into()],
        };
        self.each(keys, |ahead| plan(ahead, &session))
    }

    /// Plans the queries that `plan` calls for the project at a location.
    pub fn each_project(
        &mut self,
        place: &str,
        plan: impl FnOnce(&mut Plan<'_>, &ProjectId) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let project = ProjectId("p-stand-in".to_owned());
        let keys = Keys {
            query: (
                "SELECT project_id FROM project_place WHERE machine = $1 AND place = $2".to_owned(),
                vec![self.0.machine.as_str().into(), place.into()],
            ),
            stand_ins: vec![project.0.as_str().into()],
        };
        self.each(keys, |ahead| plan(ahead, &project))
    }

    pub(crate) fn each(
        &mut self,
        keys: Keys,
        plan: impl FnOnce(&mut Plan<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let before = self.0.connection.plan_for_each(Some(Arc::new(keys)));
        let planned = plan(&mut Plan(self.0));
        self.0.connection.plan_for_each(before);
        planned
    }
}
