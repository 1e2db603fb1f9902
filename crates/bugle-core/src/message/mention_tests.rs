//! Tests of mentions.

use proptest::prelude::*;

use super::*;

fn found(text: &str) -> Vec<String> {
    mentions(text).iter().map(ToString::to_string).collect()
}

#[test]
fn mentions_are_found() {
    for (text, expected) in [
        ("@backend the spec is ready", "@backend"),
        ("Ask @backend.", "@backend"),
        ("@backend: look, @Frontend!", "@backend @frontend"),
        (
            "(@backend), \"@frontend\"; **@docs** _@qa_ [@ops](x)",
            "@backend @frontend @docs @qa @ops",
        ),
        ("@feature/login:impl-1.", "@feature/login:impl-1"),
        ("@Shop:Feature/Login:Impl-1...", "@Shop:Feature/Login:impl-1"),
        ("@release/1.2:impl_2's turn", "@release/1.2:impl_2"),
        ("@all, and @human?", "@all @human"),
        ("@ALL @Human", "@all @human"),
        ("@backend @BACKEND @backend", "@backend"),
        ("first @b, then @a, then @b", "@b @a"),
        ("@refactor-9c4f-", "@refactor-9c4f"),
        ("请@backend看", "@backend"),
        ("@größe/x:impl-1。", "@größe/x:impl-1"),
        ("one\r\n@backend\r\n", "@backend"),
        (
            "@550e8400-e29b-41d4-a716-446655440000",
            "@550e8400-e29b-41d4-a716-446655440000",
        ),
        // Ambiguous without the list of agents, which only delivery has.
        ("@dataclass", "@dataclass"),
        (
            "@backend public API is ready\n@docs\nplease write it down",
            "@backend @docs",
        ),
    ] {
        assert_eq!(found(text).join(" "), expected, "{text:?}");
    }
}

#[test]
fn text_that_only_looks_like_a_mention_is_not_one() {
    for text in [
        "bob@example.com",
        "bob.@example.com b_@example c-@d 7@x",
        "@types/node and @scope/pkg: both, @scope/pkg@1.2.3",
        "@app.route(\"/\") @pytest.fixture @cache(1)",
        "@dataclass\nclass A: pass",
        "Look at this:\n    @staticmethod\n    def f(): pass\n@Override\npublic void g() {}",
        "`@backend` and ``@front`end``",
        "```python\n@dataclass\nclass A: pass\n```",
        "    ~~~\n@backend\n~~~",
        "https://example.org/@backend",
        "@backend@example.org",
        "\\@backend",
        "@ @. @: @- @5 @12:30 @@backend",
        "@größe",
        "@a:b:c:d @:b @a::b",
        "@main:all @main:human",
        "@click=\"go\" x=@y",
        "curl -d @data.json",
    ] {
        assert_eq!(found(text).join(" "), "", "{text:?}");
    }
}

#[test]
fn only_an_unqualified_name_may_be_code() {
    assert!(CODE_WORDS.is_sorted());
    for (text, expected) in [
        ("@Override", true),
        ("@media", true),
        ("@backend", false),
        ("@main:test", false),
        ("@all", false),
    ] {
        let found = mentions(text);
        assert_eq!(found[0].may_be_code(), expected, "{text}");
    }
}

#[test]
fn an_email_address_and_a_package_are_not_mentions() {
    let text = "@feature/login:impl-1. Write to bob@example.com about @types/node.";
    assert_eq!(found(text), ["@feature/login:impl-1"]);
}

#[test]
fn omitted_parts_come_from_the_sender() {
    let home = Home::new("shop", Some("main"));
    for (text, address) in [
        ("backend", "shop:main:backend"),
        ("Feature/x:Backend", "shop:Feature/x:backend"),
        ("Other:dev:backend", "Other:dev:backend"),
        ("human", "shop:-:human"),
    ] {
        let meant = Mention::parse(text).unwrap().resolve(&home).unwrap();
        assert_eq!(meant, Addressee::One(address.parse().unwrap()));
    }
    assert_eq!(Mention::All.resolve(&home).unwrap(), Addressee::All);
}

/// Messages with punctuation, names, code and other scripts.
fn chatter() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("@".to_owned()),
        Just("`".to_owned()),
        Just("```".to_owned()),
        Just("~~~".to_owned()),
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        "[ .:/_>-]",
        "[a-zA-Z0-9]{1,4}",
        "[äß请İ🎺]",
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn every_mention_is_unique_and_resolves(text in chatter()) {
        let home = Home::new("shop", None);
        let found = mentions(&text);
        let written = text.to_ascii_lowercase();
        for mention in &found {
            prop_assert!(written.contains(&mention.to_string().to_ascii_lowercase()), "{mention}");
            prop_assert!(mention.resolve(&home).is_ok(), "{mention}");
            let again = Mention::parse(mention.to_string().trim_start_matches('@'));
            prop_assert_eq!(again.as_ref(), Ok(mention));
        }
        let once: HashSet<&Mention> = found.iter().collect();
        prop_assert_eq!(once.len(), found.len());
    }

    #[test]
    fn nothing_in_a_fence_is_a_mention(text in "[^`]*") {
        prop_assert_eq!(mentions(&format!("````\n{text}\n````")), []);
    }

    #[test]
    fn a_name_surrounded_by_spaces_is_always_found(before in "[a-z ,.]{0,9}", name in "[a-z][a-z0-9]{0,9}") {
        prop_assume!(name != "all" && name != "human");
        let mention = Mention::Agent { project: None, branch: None, name: name.clone() };
        prop_assert_eq!(mentions(&format!("{before} @{name} is a mention")), [mention]);
    }
}
