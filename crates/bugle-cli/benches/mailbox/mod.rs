//! Writes many messages directly to a store, without the `bugle` command.

use std::ops::Range;

use bugle_core::id::{MessageId, Timestamp};
use bugle_core::message::{AgentAddress, Home, MessageKind};
use bugle_store::{Durability, NewMessage, ProjectId, Receiver, Store, StoreError};
use bugle_testkit::bench::Place;

/// Writes messages with these numbers to an agent of the project. Returns the store, the project and the agent.
pub(crate) fn post(place: &Place, numbers: Range<usize>, to: &str) -> (Store, ProjectId, AgentAddress) {
    let mut store = Store::open(&place.database(), Durability::Normal).expect("the store opens");
    let project = store
        .find_project(&place.known_as())
        .expect("it can be looked for")
        .expect("there is one");
    let folder = place.project.file_name().expect("a name").to_string_lossy();
    let home = Home::new(&folder, None);
    let address = |name: &str| AgentAddress::of_session(name, &home).expect("an address");
    let (sender, reader) = (address("boss"), address(to));
    let written = store.transaction(|store| {
        for number in numbers.clone() {
            store.post(&NewMessage {
                id: &MessageId::parse(&format!("m-{number:08}")).expect("an id"),
                project: &project,
                sender: &sender,
                text: "The review is done, and two findings are left: names, and an error that is not handled.",
                at: Timestamp(1),
                kind: MessageKind::Say,
                answers: None,
                branch: home.branch(),
                to: &[Receiver {
                    project: project.clone(),
                    agent: reader.clone(),
                    wakes: true,
                }],
            })?;
        }
        Ok::<_, StoreError>(())
    });
    written.expect("they are kept");
    (store, project, reader)
}
