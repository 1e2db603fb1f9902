//! `bugle search`.

use crate::support::sandbox::Sandbox;

#[test]
fn an_argument_with_spaces_is_searched_as_a_phrase() {
    let sandbox = Sandbox::new();
    for text in ["the lighthouse is dark", "it is dark at the lighthouse"] {
        sandbox.run(&["say", text, "--as", "lead"]).ok();
    }
    let phrase = sandbox.run(&["search", "lighthouse is dark"]).ok().out;
    assert_eq!(phrase.matches("dark").count(), 1, "{phrase}");
    let words = sandbox
        .run(&["search", "lighthouse", "is", "dark", "--json"])
        .ok();
    assert_eq!(words.json()["data"]["found"].as_array().unwrap().len(), 2);
    let long = "w".repeat(60_000);
    sandbox.run(&["search", &long, "%", "'"]).ok();
    sandbox.run(&["search", "?!"]).fails(2, "the query has no words");
}
