//! Workflows that do not parse: broken YAML, unknown keys, values of the wrong type, unknown words.

use bugle_core::validate::Rule;

use crate::support::{case, params, step_with, workflows};

#[test]
fn keys() {
    let cases = [
        case(
            "a misspelt key of a step",
            step_with("titel: Ask again"),
            &[Rule::UnknownKey],
        ),
        case(
            "an unknown key unlike any other",
            step_with("frequency: daily"),
            &[Rule::UnknownKey],
        ),
        case(
            "a misspelt key at the top",
            "version: 1\nstep:\n  ask: {}\n",
            &[Rule::UnknownKey],
        ),
        case(
            "a misspelt key in flow style",
            step_with("loop: { until: 'true', limits: 3 }"),
            &[Rule::UnknownKey],
        ),
        case(
            "a key of a type",
            params("mode: { type: string, maximum: 3 }"),
            &[Rule::UnknownKey],
        ),
        case(
            "a duplicate step",
            "version: 1\nsteps:\n  ask: { title: A, do: B, next: end }\n  ask: { title: C, do: D, next: end }\n",
            &[Rule::DuplicateKey],
        ),
        case(
            "a duplicate key in a step",
            step_with("title: Ask again"),
            &[Rule::DuplicateKey],
        ),
        case(
            "a duplicate outcome",
            step_with("next: { ok: end, ok: end }"),
            &[Rule::DuplicateKey],
        ),
        case(
            "a title is missing",
            "version: 1\nsteps:\n  ask:\n    do: Ask the user.\n    next: end\n",
            &[Rule::BadYaml],
        ),
        case(
            "the text is missing",
            "version: 1\nsteps:\n  ask:\n    title: Ask\n    next: end\n",
            &[Rule::BadYaml],
        ),
        case(
            "the version is missing",
            "steps:\n  ask: { title: Ask, do: Ask., next: end }\n",
            &[Rule::BadYaml],
        ),
        case(
            "a future version",
            "version: 2\nsteps:\n  ask: { title: Ask, do: Ask., next: end }\n",
            &[Rule::UnknownVersion],
        ),
    ];
    insta::assert_snapshot!(workflows(&cases));
}

#[test]
fn values_of_the_wrong_kind() {
    let cases = [
        case(
            "a version that is a word",
            "version: one\nsteps: {}\n",
            &[Rule::BadYaml],
        ),
        case(
            "a version that is a fraction",
            "version: 1.5\nsteps: {}\n",
            &[Rule::BadYaml],
        ),
        case(
            "steps as a list",
            "version: 1\nsteps:\n  - title: Ask\n",
            &[Rule::BadYaml],
        ),
        case(
            "a step that is a word",
            "version: 1\nsteps:\n  ask: later\n",
            &[Rule::BadYaml],
        ),
        case("an empty step", "version: 1\nsteps:\n  ask:\n", &[Rule::BadYaml]),
        case(
            "a list where a title belongs",
            "version: 1\nsteps:\n  ask:\n    title: [Ask]\n    do: Ask.\n    next: end\n",
            &[Rule::BadYaml],
        ),
        case(
            "a template without quotes",
            "version: 1\nsteps:\n  ask:\n    title: Ask\n    do: {{ params.question }}\n    next: end\n",
            &[Rule::BadYaml],
        ),
        case(
            "an empty text",
            "version: 1\nsteps:\n  ask:\n    title: Ask\n    do:\n    next: end\n",
            &[Rule::BadYaml],
        ),
        case(
            "a tab before a key",
            "version: 1\nsteps:\n  ask:\n    title: Ask\n\tnext: end\n",
            &[Rule::BadYaml],
        ),
        case(
            "a role that does not exist",
            step_with("dispatch: { role: reviewer }"),
            &[Rule::UnknownRole],
        ),
        case(
            "a map where text belongs",
            "version: 1\nsteps:\n  ask:\n    title: Ask\n    do: { file: prompts/ask.md }\n    next: end\n",
            &[Rule::BadYaml],
        ),
        case(
            "a word where a list belongs",
            step_with("forbid: Guessing"),
            &[Rule::BadYaml],
        ),
        case(
            "a list where the next step belongs",
            step_with("next: [end]"),
            &[Rule::BadYaml],
        ),
        case(
            "a word where a boolean belongs",
            params("mode: { type: string, required: maybe }"),
            &[Rule::BadYaml],
        ),
        case("a file that is a list", "- version: 1\n", &[Rule::BadYaml]),
        case("a file that is a word", "workflow\n", &[Rule::BadYaml]),
        case("an empty file", "", &[Rule::BadYaml]),
        case("a file with only comments", "# later\n", &[Rule::BadYaml]),
    ];
    insta::assert_snapshot!(workflows(&cases));
}

#[test]
fn yaml_syntax_errors() {
    let cases = [
        case(
            "a key with too little indentation",
            "version: 1\nsteps:\n  ask:\n    title: Ask\n   do: Ask.\n    next: end\n",
            &[Rule::BadYaml],
        ),
        case(
            "a key with too much indentation",
            "version: 1\nsteps:\n  ask:\n    title: Ask\n      do: Ask.\n    next: end\n",
            &[Rule::BadYaml],
        ),
        case(
            "a tab for indentation",
            "version: 1\nsteps:\n\task:\n\t\ttitle: Ask\n",
            &[Rule::BadYaml],
        ),
        case(
            "a quote that is never closed",
            step_with("phase: \"first"),
            &[Rule::BadYaml],
        ),
        case(
            "a bracket that is never closed",
            step_with("resources: [a.md, b.md"),
            &[Rule::BadYaml],
        ),
        case(
            "an unquoted colon",
            step_with("phase: first: second"),
            &[Rule::BadYaml],
        ),
        case(
            "an expression that YAML reads as a tag",
            step_with("route:\n  - { when: !done, outcome: skip }"),
            &[Rule::BadYaml],
        ),
        case(
            "two documents in one file",
            "version: 1\nsteps:\n  ask: { title: Ask, do: Ask., next: end }\n---\nversion: 1\n",
            &[Rule::BadYaml],
        ),
    ];
    insta::assert_snapshot!(workflows(&cases));
}

#[test]
fn unknown_words() {
    let cases = [
        case(
            "a misspelt role",
            step_with("role: developper"),
            &[Rule::UnknownRole],
        ),
        case(
            "an unknown role unlike any other",
            step_with("role: ceo"),
            &[Rule::UnknownRole],
        ),
        case(
            "a misspelt outcome of a route",
            step_with("route:\n  - { when: 'true', outcome: skp }\nnext: { ok: end, skip: end }"),
            &[Rule::UnknownKey],
        ),
        case(
            "an unknown outcome",
            step_with("next: { ok: end, postponed: end }"),
            &[Rule::UnknownKey],
        ),
        case("a misspelt type", params("mode: strng"), &[Rule::BadYaml]),
        case(
            "an unknown type unlike any other",
            params("mode: { type: uuid }"),
            &[Rule::BadYaml],
        ),
        case(
            "an unknown value of `at_limit`",
            step_with("loop: { until: 'true', limit: 3, at_limit: stop }"),
            &[Rule::BadYaml],
        ),
    ];
    insta::assert_snapshot!(workflows(&cases));
}
