//! Installs entries in random settings files: they can be removed again, and nothing else changes.

use bugle_client::Client;
use bugle_client::setup::{Block, BlockKind, CodexConfig, Content, Part, Presence, Settings, undo};
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

/// White space and comments between two tokens.
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

/// One or more items between brackets, perhaps with a trailing comma.
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

/// Hooks of other programs, for the same events as Bugle's.
fn groups() -> BoxedStrategy<String> {
    let handler = prop_oneof![
        Just(r#"{"type": "command", "command": "/usr/bin/other hook Stop --client claude"}"#.to_owned()),
        Just(r#"{"command": "bugle", "args": ["task", "list"], "type": "command"}"#.to_owned()),
        value(),
    ];
    let handlers = member(names(&["hooks"]), list('[', ']', handler.boxed()));
    list('[', ']', prop_oneof![list('{', '}', handlers), leaf()].boxed())
}

/// A settings file, perhaps with the objects that Bugle's entries go into. Objects and lists on the path to an entry
/// are not empty, because an uninstall cannot know whether Bugle wrote an empty object or list.
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

/// Whether entries can be installed. That requires an object or a list at every level above an entry.
fn is_plain(text: &str, client: Client) -> bool {
    settings(client, PROGRAM).install(text).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn installed_entries_can_be_removed(text in document(), client in proptest::sample::select(&CLIENTS)) {
        prop_assume!(is_plain(&text, client));
        let own = settings(client, PROGRAM);
        prop_assert!(own.inspect(&text).unwrap().iter().all(|entry| entry.presence == Presence::Missing));
        let edited = own.install(&text).unwrap();
        // Nothing was removed.
        prop_assert!(edited.splices().iter().all(|splice| splice.removed.is_empty()));
        prop_assert!(own.inspect(edited.text()).unwrap().iter().all(|entry| entry.presence == Presence::Present));
        prop_assert_eq!(undo(edited.text(), edited.splices()).unwrap(), text.clone());
        prop_assert!(own.install(edited.text()).unwrap().splices().is_empty());
        let back = own.uninstall(edited.text()).unwrap();
        prop_assert_eq!(back.text(), &text);
        prop_assert!(own.uninstall(&text).unwrap().splices().is_empty());
    }

    #[test]
    fn the_path_of_a_moved_program_is_updated_in_place(
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
    fn any_text_is_edited_or_rejected(text in "(?s)[\\[\\]{}:, \"/*\\\\a1\n]{0,40}") {
        for client in CLIENTS {
            let own = settings(client, PROGRAM);
            if let Ok(edited) = own.install(&text) {
                prop_assert_eq!(undo(edited.text(), edited.splices()).unwrap(), text.clone());
            }
            let _ = own.uninstall(&text);
        }
    }

    #[test]
    fn an_installed_block_or_table_can_be_removed(
        lines in vec("[a-z #=\"]{0,12}", 0..5),
        windows in any::<bool>(),
        last in any::<bool>(),
    ) {
        let end = if windows { "\r\n" } else { "\n" };
        let mut text = lines.join(end);
        if last {
            text.push_str(end);
        }
        let block = Content::Block(Block { kind: BlockKind::Instructions, text: "Say hello.\n".to_owned() });
        let config = Content::Config(CodexConfig { program: PROGRAM.to_owned(), writable: vec!["/u/.bugle".to_owned()] });
        for content in [block, config] {
            let Ok(edited) = content.install(&text) else { continue };
            prop_assert_eq!(undo(edited.text(), edited.splices()).unwrap(), text.clone());
            prop_assert!(content.install(edited.text()).unwrap().splices().is_empty());
            let back = content.uninstall(edited.text()).unwrap();
            // Installing adds a missing newline at the end of the file. Only `undo` can revert that.
            let more = back.text().strip_prefix(text.as_str());
            prop_assert!(more.is_some_and(|more| ["", "\n", "\r\n"].contains(&more)));
        }
    }
}
