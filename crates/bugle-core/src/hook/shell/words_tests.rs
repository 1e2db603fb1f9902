//! Tests of the shell parser.

use proptest::prelude::*;

use super::*;

fn simple_commands(text: &str) -> Vec<Simple> {
    let known = Known {
        outside: &|_| None,
        inside: &BTreeMap::new(),
    };
    parse(text, known).commands
}

proptest! {
    #[test]
    fn any_string_parses(text in "([ -~\\n]|é|\\x00){0,80}") {
        simple_commands(&text);
    }

    #[test]
    fn any_string_of_operators_parses(text in "[$(){}\\[\\]<>|&;`'\"\\\\~=*a \\n#-]{0,60}") {
        simple_commands(&text);
    }

    #[test]
    fn quoted_words_are_unchanged(words in proptest::collection::vec("[ -~]{1,12}", 1..5)) {
        let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
        let simple = simple_commands(&format!("x {}", quoted.join(" ")));
        prop_assert_eq!(simple.len(), 1);
        let read: Vec<&str> = simple[0].words.iter().skip(1).map(|word| word.text.as_str()).collect();
        prop_assert_eq!(read, words.iter().map(String::as_str).collect::<Vec<_>>());
        prop_assert!(simple[0].words.iter().all(|word| word.is_certain));
    }
}

#[test]
fn deeply_nested_parentheses_are_bounded() {
    for open in ["$(", "`", "<(", "((", "$((", "${", "[[", "{", "$'", "<<a "] {
        simple_commands(&open.repeat(5_000));
    }
}

#[test]
fn here_documents_belong_to_their_command() {
    let simple = simple_commands("cat <<A | sh <<'B'\none\nA\ntwo $(x)\nB\necho");
    assert_eq!(simple[0].input, Input::Text("one\n".to_owned()));
    assert_eq!(simple[1].input, Input::Text("two $(x)\n".to_owned()));
    assert_eq!(simple.len(), 3);
}
