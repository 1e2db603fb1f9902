//! Flights: statements that are all sent to the server before the first answer is read, so they cost one round trip.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use tokio_postgres::{Client, Error};

use super::values::typed;
use crate::row::Value;

/// A statement with its parameters.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub text: String,
    pub parameters: Vec<Value>,
    pub wants_rows: bool,
}

impl Statement {
    pub(super) fn new(text: &str, parameters: &[Value], wants_rows: bool) -> Self {
        Self {
            text: text.to_owned(),
            parameters: parameters.to_vec(),
            wants_rows,
        }
    }
}

/// A part of a flight.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part<'a> {
    /// Statements without parameters, such as `BEGIN`.
    Batch(&'a str),
    Statement(&'a Statement),
}

/// The answer to a statement.
pub(super) enum Answer {
    Changed(u64),
    Rows(Vec<tokio_postgres::Row>),
}

/// Why a flight failed.
pub(super) enum FlightError {
    /// The connection was closed before anything was sent.
    NotSent,
    /// The first part that failed. Its failure makes all later parts fail.
    Part { place: usize, error: Error },
}

/// Sends all parts without waiting in between, then waits for all answers. Returns the answers to the statements.
pub(super) async fn fly(client: Arc<Client>, parts: &[Part<'_>]) -> Result<Vec<Answer>, FlightError> {
    if is_closed(&client).await {
        return Err(FlightError::NotSent);
    }
    let answers = all(parts.iter().map(|part| answer(&client, *part)).collect()).await;
    let mut found = Vec::with_capacity(answers.len());
    for (place, answer) in answers.into_iter().enumerate() {
        found.extend(answer.map_err(|error| FlightError::Part { place, error })?);
    }
    Ok(found)
}

/// Whether the connection is closed. Lets the connection's task run first: while the connection is idle, the task does
/// not run and cannot notice that the server has closed it.
async fn is_closed(client: &Client) -> bool {
    // Yield several times: the runtime first polls the socket, then wakes the task, then runs it.
    for _ in 0..4 {
        tokio::task::yield_now().await;
    }
    client.is_closed()
}

async fn answer(client: &Client, part: Part<'_>) -> Result<Option<Answer>, Error> {
    let statement = match part {
        Part::Batch(statements) => return client.batch_execute(statements).await.map(|()| None),
        Part::Statement(statement) => statement,
    };
    let parameters: Vec<_> = statement.parameters.iter().map(typed).collect();
    Ok(Some(if statement.wants_rows {
        Answer::Rows(client.query_typed(&statement.text, &parameters).await?)
    } else {
        Answer::Changed(client.execute_typed(&statement.text, &parameters).await?)
    }))
}

/// Starts all futures in order, and waits for all of them.
async fn all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut waiting: Vec<Pin<Box<F>>> = futures.into_iter().map(Box::pin).collect();
    let mut done: Vec<Option<F::Output>> = waiting.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, done) in waiting.iter_mut().zip(&mut done) {
            if done.is_none()
                && let Poll::Ready(output) = future.as_mut().poll(context)
            {
                *done = Some(output);
            }
        }
        if done.iter().all(Option::is_some) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    done.into_iter().flatten().collect()
}
