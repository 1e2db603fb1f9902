//! Search in messages, notes and results.

use bugle_app::{AppError, RunSelector, runs, search};
use bugle_core::reply::{FoundKind, SearchView};
use bugle_core::task::TaskCommand;
use serde_json::json;

use crate::project::{Project, fails};
use crate::reviewed::{step, visit, with_result};

const TWO_STEPS: &str = "
version: 1
steps:
  first:
    title: Do the first thing
    do: Do it.
    result:
      word: { type: string, min: 1 }
    next: second
  second: { title: Do the second thing, do: Do it., next: end }
";

const MESSAGE: FoundKind = FoundKind::Message;
const NOTE: FoundKind = FoundKind::Note;
const RESULT: FoundKind = FoundKind::Result;

/// More results than any test has.
const ALL: u32 = 1_000;

impl Project {
    fn try_search(&mut self, words: &str) -> Result<SearchView, AppError> {
        search::search(&mut self.app.store, &self.app.context, words, ALL, false)
    }

    #[track_caller]
    fn search(&mut self, words: &str, limit: u32, everything: bool) -> SearchView {
        search::search(&mut self.app.store, &self.app.context, words, limit, everything).unwrap()
    }

    /// The kinds of the results, sorted.
    #[track_caller]
    fn found(&mut self, words: &str) -> Vec<FoundKind> {
        let found = self.search(words, ALL, false).found;
        let mut kinds: Vec<FoundKind> = found.iter().map(|text| text.kind).collect();
        kinds.sort();
        kinds
    }
}

#[test]
fn terms_are_found_in_messages_notes_and_results() {
    let mut project = Project::new();
    project.write_skill("two", TWO_STEPS);
    project.say("lead", "@docs the Lighthouse port is 8080");
    project.say("lead", "a report of lighthouses");
    let [task] = project.add(["Look"]);
    project.change(&task, &TaskCommand::Note("the lighthouse is dark".to_owned()));
    let first = project.start_skill("two");
    let selector = RunSelector::Run(first.position.run.clone());
    let (store, context) = (&mut project.app.store, &project.app.context);
    runs::note(store, context, &selector, "keep the lighthouse").unwrap();
    let result = json!({ "word": "lighthouse-keeper" });
    step(runs::done(store, context, with_result(visit(&first), &result)));
    assert_eq!(
        project.found("lighthouse"),
        [MESSAGE, MESSAGE, NOTE, NOTE, RESULT]
    );
    assert_eq!(
        project.found("LIGHTHOUSE port"),
        [MESSAGE],
        "every term matches the start of a word"
    );
    assert_eq!(project.found("\"lighthouse is dark\""), [NOTE]);
    assert_eq!(project.found("word"), [RESULT]);
    assert_eq!(project.found("house"), [], "not in the middle of a word");
    fails(project.try_search("?!"), 2, "the query has no words");
    let limited = project.search("lighthouse", 1, false);
    assert_eq!((limited.found.len(), limited.more), (1, 4));
    project.enter_folder("elsewhere");
    assert_eq!(project.found("lighthouse"), []);
}

/// Adds copies of the last message, event and task event directly to the database, a second apart.
fn grow(project: &Project, copies: u32) {
    let numbers = format!(
        "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {copies})"
    );
    project.sql(&format!(
        "{numbers} INSERT INTO message (id, project_id, seq, sender, body, said_at)
           SELECT 'm-x' || n, project_id, seq + n, sender, 'plain', said_at + n * 1000 FROM message, number;
         {numbers} INSERT INTO event (run_id, seq, happened_at, actor, body)
           SELECT run_id, seq + n, happened_at + n * 1000, actor, replace(body, 'ancient', 'plain') FROM number,
             (SELECT * FROM event ORDER BY seq DESC LIMIT 1) AS last;
         UPDATE run SET version = version + {copies}, changed_at = changed_at + {copies} * 1000;
         {numbers} INSERT INTO task_event (task_id, seq, happened_at, actor, body)
           SELECT task_id, seq + n, happened_at + n * 1000, actor, replace(body, 'ancient', 'plain') FROM number,
             (SELECT * FROM task_event ORDER BY seq DESC LIMIT 1) AS last;"
    ));
}

#[test]
fn a_search_in_a_large_store_says_how_far_back_it_went() {
    let mut project = Project::new();
    let run = project.start_run();
    let (store, context) = (&mut project.app.store, &project.app.context);
    runs::note(store, context, &RunSelector::Run(run), "an ancient note").unwrap();
    let [task] = project.add(["Write it"]);
    project.change(&task, &TaskCommand::Note("an ancient note".to_owned()));
    project.say("lead", "@backend an ancient word");
    let small = project.search("ancient", ALL, false);
    assert_eq!((small.found.len(), small.searched_after), (3, None), "{small:?}");

    grow(&project, 10_001);
    let recent = project.search("ancient", ALL, false);
    assert_eq!(recent.found, []);
    assert!(recent.searched_after.is_some(), "{recent:?}");
    let plain = project.search("plain", 20, false);
    assert_eq!(plain.found.len(), 20);
    assert!(plain.searched_after.is_some(), "{plain:?}");
    let all = project.search("ancient", ALL, true);
    assert_eq!((all.found.len(), all.searched_after), (3, None), "{all:?}");
}

#[test]
fn terms_of_any_length_and_number_are_searched() {
    let mut project = Project::new();
    let word = "w".repeat(60_000);
    project.say("lead", &format!("@backend {word}"));
    assert_eq!(project.found(&word), [MESSAGE]);
    assert_eq!(project.found(&format!("{word}w")), []);
    let many = vec!["w"; 5_000].join(" ");
    for words in [many.as_str(), "% _ ' \" w% \\ *"] {
        match project.try_search(words) {
            Ok(_) | Err(AppError::Usage { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}
