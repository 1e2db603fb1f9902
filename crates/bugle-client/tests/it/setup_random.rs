//! Entries in any settings file: what is put in can be taken out again, and nothing else is touched.

use bugle_client::Client;
use bugle_client::setup::{Block, CodexConfig, Content, Part, Presence, Settings, undo};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

const PROGRAM: &str = "/opt/my tools/bugle";
const CLIENTS: [Client; 3] = [Client::Claude, Client::Codex, Client::Gemini];

fn settings(client: Client, program: &str) -> Settings {
    Settings {
        client,
        parts: &[Part::Hooks, Part::Server],
        program: program.to_owned(),
    }
}

/// What may stand between two signs.
fn between() -> BoxedStrategy<String> {
    prop_oneof![
        6 => Just(String::new()),
        4 => Just(" ".to_owned()),
        3 => Just("\n  ".to_owned()),
        2 => Just("\r\n\t".to_owned()),
        1 => Just(" // a { comment, \"\n".to_owned()),
        1 => Just("/* another, } */ ".to_owned()),
    ]
    .boxed()
}

fn leaf() -> BoxedStrategy<String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("-1.5e3".to_owned()),
        Just("true".to_owned()),
        Just(r#""a \"text\" // no comment, \\""#.to_owned()),
        Just(r#""日本 🎺 ü""#.to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned()),
    ]
    .boxed()
}

/// A list of items between brackets, at least one, perhaps with a comma behind the last.
fn list(open: char, close: char, items: BoxedStrategy<String>) -> BoxedStrategy<String> {
    (vec((between(), items, between()), 1..4), any::<bool>(), between())
        .prop_map(move |(items, comma, last)| {
            let items: Vec<String> = items
                .into_iter()
                .map(|(a, item, b)| format!("{a}{item}{b}"))
                .collect();
            let comma = if comma { "," } else { "" };
            format!("{open}{}{comma}{last}{close}", items.join(","))
        })
        .boxed()
}

fn member(key: BoxedStrategy<String>, value: BoxedStrategy<String>) -> BoxedStrategy<String> {
    (key, between(), between(), value)
        .prop_map(|(key, before, after, value)| format!("\"{key}\"{before}:{after}{value}"))
        .boxed()
}

fn names(names: &'static [&'static str]) -> BoxedStrategy<String> {
    proptest::sample::select(names).prop_map(str::to_owned).boxed()
}

fn value() -> BoxedStrategy<String> {
    leaf()
        .prop_recursive(3, 12, 3, |inner| {
            let members = member(names(&["a", "command", "hooks", "x y"]), inner.clone().boxed());
            prop_oneof![list('[', ']', inner.boxed()), list('{', '}', members)]
        })
        .boxed()
}

/// A hook of another program, in the same events as Bugle's.
fn groups() -> BoxedStrategy<String> {
    let handler = prop_oneof![
        Just(r#"{"type": "command", "command": "/usr/bin/other hook Stop --client claude"}"#.to_owned()),
        Just(r#"{"command": "bugle", "args": ["task", "list"], "type": "command"}"#.to_owned()),
        value(),
    ];
    let handlers = member(names(&["hooks"]), list('[', ']', handler.boxed()));
    list('[', ']', prop_oneof![list('{', '}', handlers), leaf()].boxed())
}

/// A file of settings, perhaps with the objects in it that Bugle's entries go into. Objects and lists on the way to
/// them are not empty: of an empty one it cannot be told whose it was.
fn document() -> BoxedStrategy<String> {
    let hooks = member(
        names(&["hooks"]),
        list(
            '{',
            '}',
            member(names(&["SessionStart", "Stop", "BeforeTool", "Other"]), groups()),
        ),
    );
    let servers = member(
        names(&["mcpServers"]),
        list('{', '}', member(names(&["one", "two"]), value())),
    );
    let others = member(names(&["model", "permissions", "env"]), value());
    (
        between(),
        vec((between(), others, between()), 1..3),
        option::of(hooks),
        option::of(servers),
        any::<(bool, bool)>(),
        between(),
    )
        .prop_map(|(first, others, hooks, servers, (comma, mark), last)| {
            let mut items: Vec<String> = others
                .into_iter()
                .map(|(a, item, b)| format!("{a}{item}{b}"))
                .collect();
            items.extend(hooks);
            items.extend(servers);
            let comma = if comma { "," } else { "" };
            let mark = if mark { "\u{feff}" } else { "" };
            format!("{mark}{first}{{{}{comma}{last}}}{first}", items.join(","))
        })
        .boxed()
}

/// Whether every list and object on the way to an entry is a list or an object that holds something, once.
fn is_plain(text: &str, client: Client) -> bool {
    settings(client, PROGRAM).install(text).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_put_into_settings_can_be_taken_out(text in document(), client in proptest::sample::select(&CLIENTS)) {
        prop_assume!(is_plain(&text, client));
        let own = settings(client, PROGRAM);
        prop_assert!(own.inspect(&text).unwrap().iter().all(|entry| entry.presence == Presence::Missing));
        let edited = own.install(&text).unwrap();
        // Nothing that stood there is gone.
        prop_assert!(edited.splices().iter().all(|splice| splice.removed.is_empty()));
        prop_assert!(own.inspect(edited.text()).unwrap().iter().all(|entry| entry.presence == Presence::Present));
        prop_assert_eq!(undo(edited.text(), edited.splices()).unwrap(), text.clone());
        prop_assert!(own.install(edited.text()).unwrap().splices().is_empty());
        let back = own.uninstall(edited.text()).unwrap();
        prop_assert_eq!(back.text(), &text);
        prop_assert!(own.uninstall(&text).unwrap().splices().is_empty());
    }

    #[test]
    fn a_program_that_moved_is_brought_up_to_date_where_it_stands(
        text in document(),
        client in proptest::sample::select(&CLIENTS),
    ) {
        prop_assume!(is_plain(&text, client));
        let (old, new) = (settings(client, "/old/bugle"), settings(client, PROGRAM));
        let before = old.install(&text).unwrap();
        prop_assert!(new.inspect(before.text()).unwrap().iter().all(|entry| entry.presence == Presence::Outdated));
        let moved = new.install(before.text()).unwrap();
        let fresh = new.install(&text).unwrap();
        prop_assert_eq!(moved.text(), fresh.text());
    }

    #[test]
    fn any_text_is_edited_or_refused(text in "(?s)[\\[\\]{}:, \"/*\\\\a1\n]{0,40}") {
        for client in CLIENTS {
            let own = settings(client, PROGRAM);
            if let Ok(edited) = own.install(&text) {
                prop_assert_eq!(undo(edited.text(), edited.splices()).unwrap(), text.clone());
            }
            let _ = own.uninstall(&text);
        }
    }

    #[test]
    fn what_is_put_into_lines_can_be_taken_out(
        lines in vec("[a-z #=\"]{0,12}", 0..5),
        windows in any::<bool>(),
        last in any::<bool>(),
    ) {
        let end = if windows { "\r\n" } else { "\n" };
        let mut text = lines.join(end);
        if last {
            text.push_str(end);
        }
        let block = Content::Block(Block { text: "Say hello.\n".to_owned() });
        let config = Content::Config(CodexConfig { program: PROGRAM.to_owned() });
        for content in [block, config] {
            let Ok(edited) = content.install(&text) else { continue };
            prop_assert_eq!(undo(edited.text(), edited.splices()).unwrap(), text.clone());
            prop_assert!(content.install(edited.text()).unwrap().splices().is_empty());
            let back = content.uninstall(edited.text()).unwrap();
            // A last line without an end was given one; what is known of the edit gives even that back.
            let more = back.text().strip_prefix(text.as_str());
            prop_assert!(more.is_some_and(|more| ["", "\n", "\r\n"].contains(&more)));
        }
    }
}
