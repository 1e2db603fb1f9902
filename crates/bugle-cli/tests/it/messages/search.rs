//! A search in a large store has a bounded cost and states how far back it searched.

use crate::support::sandbox::Sandbox;
use crate::support::workflows::THREE;

/// Adds copies of the last message, event and task event directly to the database, a second apart.
fn grow(sandbox: &Sandbox, copies: u32) {
    let numbers = format!(
        "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {copies})"
    );
    let statements = format!(
        "{numbers} INSERT INTO message (id, project_id, seq, sender, body, said_at)
           SELECT 'm-x' || n, project_id, seq + n, sender, 'plain', said_at + n * 1000 FROM message, number;
         {numbers} INSERT INTO event (run_id, seq, happened_at, actor, body)
           SELECT run_id, seq + n, happened_at + n * 1000, actor, replace(body, 'ancient', 'plain') FROM number,
             (SELECT * FROM event ORDER BY seq DESC LIMIT 1) AS last;
         UPDATE run SET version = version + {copies}, changed_at = changed_at + {copies} * 1000;
         {numbers} INSERT INTO task_event (task_id, seq, happened_at, actor, body)
           SELECT task_id, seq + n, happened_at + n * 1000, actor, replace(body, 'ancient', 'plain') FROM number,
             (SELECT * FROM task_event ORDER BY seq DESC LIMIT 1) AS last;"
    );
    sandbox.sql(&statements);
}

#[test]
fn a_search_in_a_large_store_says_how_far_back_it_went() {
    let sandbox = Sandbox::with_skill("three", THREE);
    sandbox.start(&["three"]);
    sandbox.run(&["note", "an ancient note"]).ok();
    let added = sandbox.run(&["task", "add", "Write it", "--json"]).ok().json();
    let task = added["data"]["tasks"][0]["id"].as_str().unwrap().to_owned();
    sandbox.run(&["task", "note", &task, "an ancient note"]).ok();
    sandbox
        .run(&["say", "@backend an ancient word", "--as", "lead"])
        .exits(0);
    let found = sandbox.run(&["search", "ancient"]).ok().out;
    assert_eq!(found.matches("ancient").count(), 3, "{found}");
    assert!(!found.contains("--all"), "{found}");

    grow(&sandbox, 10_001);
    let found = sandbox.run(&["search", "ancient"]).ok().out;
    assert!(
        found.starts_with("No text in this project contains all of these words.\nSearched everything after "),
        "{found}"
    );
    let json = sandbox.run(&["search", "plain", "--json"]).ok().json();
    assert!(json["data"]["searched_after"].is_i64(), "{json}");
    assert_eq!(json["data"]["found"].as_array().unwrap().len(), 20);
    let found = sandbox.run(&["search", "ancient", "--all"]).ok().out;
    assert_eq!(found.matches("ancient").count(), 3, "{found}");
    assert!(!found.contains("Searched everything"), "{found}");
    let json = sandbox.run(&["search", "ancient", "--all", "--json"]).ok().json();
    assert_eq!(json["data"]["searched_after"], serde_json::Value::Null, "{json}");
}

#[test]
fn terms_of_any_length_and_number_are_searched() {
    let sandbox = Sandbox::new();
    let word = "w".repeat(60_000);
    sandbox
        .run(&["say", &format!("@backend {word}"), "--as", "lead"])
        .exits(0);
    let found = sandbox.run(&["search", &word]).ok().out;
    assert!(found.contains("www"), "{found}");
    let longer = format!("{word}w");
    let many = vec!["w"; 5_000];
    let odd = ["%", "_", "'", "\"", "w%", "\\", "*"];
    for words in [&[longer.as_str()][..], &many, &odd] {
        let arguments: Vec<&str> = std::iter::once("search").chain(words.iter().copied()).collect();
        let answer = sandbox.run(&arguments);
        assert!(matches!(answer.code, Some(0 | 2)), "{answer:?}");
        assert!(!answer.err.contains("SQL"), "{}", answer.err);
    }
}
