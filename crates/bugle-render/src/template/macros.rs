//! Template macros: common parts of a prompt as Markdown, with arguments from the skill's author. Every argument is put
//! on one line, so that an untrusted value cannot add lines.

use minijinja::value::{Kwargs, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind};

use super::filters::{as_text, one_line};

/// The names of all macros.
pub(super) const MACROS: [&str; 8] = [
    "checklist",
    "expected_output",
    "factored_verification",
    "forbidden",
    "incorrect",
    "open_questions",
    "questions",
    "routing",
];

pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.add_function("checklist", checklist);
    environment.add_function("expected_output", expected_output);
    environment.add_function("factored_verification", factored_verification);
    environment.add_function("forbidden", forbidden);
    environment.add_function("incorrect", incorrect);
    environment.add_function("open_questions", open_questions);
    environment.add_function("questions", questions);
    environment.add_function("routing", routing);
}

/// A checklist, one box per check. A check is a string, or an object with `element`, `criterion` and `if_missing`. A
/// fixed list makes reviews converge: the second pass checks the same things as the first.
fn checklist(checks: &Value) -> Result<Value, Error> {
    let mut lines = Vec::new();
    for check in checks.try_iter()? {
        if check.kind() == ValueKind::Map {
            let field = |name: &str| line(&check.get_attr(name)?);
            lines.push(format!("- [ ] {}: {}", field("element")?, field("criterion")?));
            let if_missing = check.get_attr("if_missing")?;
            if !if_missing.is_undefined() {
                lines.push(format!("  If not, report: {}", line(&if_missing)?));
            }
        } else {
            lines.push(format!("- [ ] {}", line(&check)?));
        }
    }
    Ok(markdown(&lines))
}

/// The result to return if the reviewer finds nothing, and if it finds something. The empty report comes first: a
/// reviewer that sees only the form of a finding tends to produce one.
#[expect(
    clippy::needless_pass_by_value,
    reason = "minijinja passes keyword arguments by value"
)]
fn expected_output(if_pass: &Value, options: Kwargs) -> Result<Value, Error> {
    let mut lines = vec![format!("- If you find nothing: {}", line(if_pass)?)];
    if let Some(when_issues) = options.get::<Option<Value>>("when_issues")? {
        lines.push(format!("- If you find something: {}", line(&when_issues)?));
    }
    if let Some(categories) = options.get::<Option<Value>>("categories")? {
        let categories: Vec<String> = texts(&categories)?
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        lines.push(format!("- Categories: {}", categories.join(", ")));
    }
    options.assert_all_used()?;
    Ok(markdown(&lines))
}

/// How to check work without repeating its author's claims: factored Chain-of-Verification (Dhuliawala et al. 2023),
/// which answers each question without seeing the draft.
fn factored_verification() -> Value {
    Value::from_safe_string(
        "1. From the brief alone, write down what the work must contain.\n\
         2. Open the work. Answer the questions one at a time, from the work alone: not from the author's description or \
         your earlier answers.\n\
         3. Only then compare the answers with what you expected and with what the author claims. Each difference is a \
         finding."
            .to_owned(),
    )
}

/// The actions that the step forbids, one per line.
fn forbidden(actions: &Value) -> Result<Value, Error> {
    let mut lines = vec!["Not allowed:".to_owned(), String::new()];
    lines.extend(texts(actions)?.iter().map(|action| format!("- {action}")));
    Ok(markdown(&lines))
}

/// A mistake and its consequence. One wrong example marks the boundary more sharply than a second right one
/// (contrastive prompting, Chia et al. 2023), and agents ignore an inconvenient rule if they don't see its reason.
fn incorrect(example: &Value, consequence: &Value) -> Result<Value, Error> {
    Ok(markdown(&[
        format!("- Wrong: {}", line(example)?),
        format!("- Consequence: {}", line(consequence)?),
    ]))
}

/// The advice to ask open questions, with an example of each kind. A yes-or-no question invites a yes, even a wrong
/// one.
#[expect(
    clippy::needless_pass_by_value,
    reason = "minijinja passes keyword arguments by value"
)]
fn open_questions(options: Kwargs) -> Result<Value, Error> {
    let example = |name: &str, default: &str| -> Result<String, Error> {
        match options.get::<Option<Value>>(name)? {
            Some(own) => line(&own),
            None => Ok(default.to_owned()),
        }
    };
    let closed = example("closed", "Is the timeout handled?")?;
    let open = example("open", "Which callers handle the timeout, and how?")?;
    options.assert_all_used()?;
    Ok(markdown(&[
        "Ask what, where, which or how, so that the answer is something you can point at: a file and line, a value, the \
         output of a command."
            .to_owned(),
        String::new(),
        format!("- Bad: \"{closed}\" (a yes is enough)"),
        format!("- Good: \"{open}\" (you must look)"),
    ]))
}

/// The questions of one category, numbered so that a finding can name its question.
fn questions(category: &Value, questions: &Value) -> Result<Value, Error> {
    let mut lines = vec![format!("`{}`:", line(category)?), String::new()];
    let questions = texts(questions)?;
    lines.extend(
        (1..)
            .zip(&questions)
            .map(|(number, question): (u32, _)| format!("{number}. {question}")),
    );
    Ok(markdown(&lines))
}

/// Pairs of a possible result and its consequence. The agent sees all pairs before it has a result. Otherwise it would
/// tend to choose the consequence that ends the work.
fn routing(cases: &Value) -> Result<Value, Error> {
    let mut lines = Vec::new();
    for case in cases.try_iter()? {
        let [result, action] = <[String; 2]>::try_from(texts(&case)?).map_err(|_| {
            Error::new(
                ErrorKind::InvalidOperation,
                "routing takes a list of pairs: [[\"result\", \"what follows\"], ...]",
            )
        })?;
        lines.push(format!("- `{result}`: {action}"));
    }
    Ok(markdown(&lines))
}

fn markdown(lines: &[String]) -> Value {
    Value::from_safe_string(lines.join("\n"))
}

/// One string or several, as a list.
fn texts(value: &Value) -> Result<Vec<String>, Error> {
    if value.kind() == ValueKind::String {
        return Ok(vec![line(value)?]);
    }
    value.try_iter()?.map(|text| line(&text)).collect()
}

fn line(value: &Value) -> Result<String, Error> {
    if value.is_undefined() {
        return Err(Error::new(
            ErrorKind::UndefinedError,
            "a macro argument is missing",
        ));
    }
    Ok(one_line(&as_text(value)))
}

#[cfg(test)]
mod tests {
    use bugle_core::validate::Templates as _;
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::Engine;
    use super::*;

    /// One call to each macro, as docs/reference/skill-format.md shows it.
    const EXAMPLES: [&str; 8] = [
        r#"{{ checklist([{"element": "Milestones", "criterion": "each names its files", "if_missing": "must, structure"}, "The plan has a goal"]) }}"#,
        r#"{{ expected_output("`findings` is empty.", when_issues="one finding per problem, with its location.", categories=["missing-test", "false-statement"]) }}"#,
        "{{ factored_verification() }}",
        r#"{{ forbidden(["Editing files outside crates/bugle-core", "Changing a test so that it passes"]) }}"#,
        r#"{{ incorrect("The orchestrator writes the missing test itself.", "The test gets no review.") }}"#,
        r#"{{ open_questions(closed="Is the list sorted?", open="Where is the list sorted, and by what?") }}"#,
        r#"{{ questions("temporal", ["Which comments describe how the code used to be?", "Which names no longer exist?"]) }}"#,
        r#"{{ routing([["satisfied", "every criterion holds."], ["missing", "the code does not exist."]]) }}"#,
    ];

    #[test]
    fn macros_become_markdown() {
        let engine = Engine::default();
        let rendered = EXAMPLES.map(|source| engine.render(source, &json!({})).unwrap());
        insta::assert_snapshot!(rendered.join("\n\n---\n\n"));
    }

    #[test]
    fn the_validator_knows_every_macro() {
        let engine = Engine::default();
        for (name, source) in MACROS.into_iter().zip(EXAMPLES) {
            assert!(source.contains(&format!("{name}(")), "{name}");
            assert_eq!(engine.references(source).unwrap(), Vec::<String>::new(), "{name}");
        }
        let names = engine.references("{{ forbidden(params.actions) }}").unwrap();
        assert_eq!(names, ["params.actions"]);
        let unknown = engine.references("{{ frobnicate('x') }}").unwrap_err();
        assert_eq!(unknown.message, "there is no macro `frobnicate`");
    }

    #[test]
    fn an_invalid_call_is_an_error() {
        let engine = Engine::default();
        for source in [
            "{{ routing }}",
            "{{ routing(['satisfied']) }}",
            "{{ checklist([{'element': 'Milestones'}]) }}",
            "{{ expected_output('none', when_isues='typo') }}",
            "{{ forbidden() }}",
            "{{ incorrect('an example', params.missing) }}",
        ] {
            assert!(
                engine.render(source, &json!({ "params": {} })).is_err(),
                "{source}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_argument_adds_a_line(text in "(\\PC|[\n\r`>#\u{2028}\u{85}]){0,60}") {
            let context = json!({ "text": text });
            for (source, lines) in [
                ("{{ forbidden([text, text]) }}", 4),
                ("{{ questions(text, [text]) }}", 3),
                ("{{ incorrect(text, text) }}", 2),
                ("{{ routing([[text, text]]) }}", 1),
            ] {
                let rendered = Engine::default().render(source, &context).unwrap();
                prop_assert_eq!(rendered.split(['\n', '\r', '\u{2028}', '\u{85}']).count(), lines, "{:?}", rendered);
            }
        }
    }
}
