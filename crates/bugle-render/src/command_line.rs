//! Command lines with values filled in, each value quoted as one shell word.

use bugle_core::workflow::command_line::{Fragment, parts, quoted};
use minijinja::value::{Value, ValueKind};

use crate::template::{Engine, TemplateError, as_text};

impl Engine {
    /// Fills in a command line. Every value is quoted, so that it becomes one shell word or part of one.
    pub fn command(&self, line: &str, context: &serde_json::Value) -> Result<String, TemplateError> {
        fill(line, |expression| self.word(expression, context))
    }

    /// A command line to show before all values are known. A missing value appears as its name: `<result.file>`.
    pub fn command_preview(&self, line: &str, context: &serde_json::Value) -> String {
        let word = |expression: &str| {
            Ok(match self.word(expression, context) {
                Ok(value) => value,
                Err(_) => Word::Unknown(format!("<{expression}>")),
            })
        };
        fill(line, word).unwrap_or_else(|_: TemplateError| line.to_owned())
    }

    fn word(&self, expression: &str, context: &serde_json::Value) -> Result<Word, TemplateError> {
        let value = self.evaluate(expression, context)?;
        let error = |message: String, undefined| TemplateError {
            message,
            line: None,
            undefined,
        };
        match value.kind() {
            ValueKind::Undefined | ValueKind::None => {
                Err(error(format!("`{expression}` has no value"), true))
            }
            ValueKind::String | ValueKind::Number | ValueKind::Bool => known(&value).ok_or_else(|| {
                error(
                    format!("the value `{expression}` contains a NUL character"),
                    false,
                )
            }),
            _ => Err(error(
                format!(
                    "the value `{expression}` is a list or an object, which cannot be passed as a single shell argument"
                ),
                false,
            )),
        }
    }
}

fn known(value: &Value) -> Option<Word> {
    let text = as_text(value);
    (!text.contains('\0')).then_some(Word::Known(text))
}

/// The replacement for a value.
enum Word {
    /// The value.
    Known(String),
    /// The name of a value that is not known yet.
    Unknown(String),
}

fn fill(line: &str, word: impl Fn(&str) -> Result<Word, TemplateError>) -> Result<String, TemplateError> {
    let parts = parts(line).map_err(|_| TemplateError {
        message: "`{{` is not closed".to_owned(),
        line: None,
        undefined: false,
    })?;
    let mut filled = String::with_capacity(line.len());
    for part in parts {
        match part {
            Fragment::Text(text) => filled.push_str(text),
            Fragment::Value {
                expression,
                start,
                end,
            } => {
                let before = line[..start].chars().next_back().is_none_or(char::is_whitespace);
                let after = line[end..].chars().next().is_none_or(char::is_whitespace);
                match word(expression)? {
                    Word::Known(value) => filled.push_str(&quoted(&value, before && after)),
                    Word::Unknown(name) => filled.push_str(&name),
                }
            }
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn values_become_shell_words() {
        let context =
            json!({ "params": { "version": "1.2", "odd": "a'b c", "n": 3, "yes": true }, "list": ["a"] });
        let command = |line: &str| Engine::default().command(line, &context);
        assert_eq!(
            command("git rev-parse v{{ params.version }}").unwrap(),
            "git rev-parse v'1.2'"
        );
        assert_eq!(
            command("echo {{ params.version }} {{ params.odd }} {{ params.n }} {{ params.yes }}").unwrap(),
            r"echo 1.2 'a'\''b c' 3 true"
        );
        assert_eq!(command("echo {% ${#x} {#").unwrap(), "echo {% ${#x} {#");
        assert_eq!(
            command("inspect -f {{ '{{.Name}}' }}").unwrap(),
            "inspect -f '{{.Name}}'"
        );
        assert_eq!(command("ls {{ list | join(' ') }}").unwrap(), "ls a");
        for line in [
            "ls {{ list }}",
            "ls {{ params.gone }}",
            "ls {{ params }}",
            "ls {{ x",
        ] {
            assert!(command(line).is_err(), "{line}");
        }
    }

    #[test]
    fn an_unknown_value_is_shown_by_its_name() {
        let preview = Engine::default().command_preview(
            "git tag v{{ params.version }} {{ result.file }}",
            &json!({ "params": { "version": "1.2" } }),
        );
        assert_eq!(preview, "git tag v'1.2' <result.file>");
    }

    #[cfg(unix)]
    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn the_shell_reads_every_value_as_one_word(value in "(\\PC|[\n\t'\"`$\\\\;&|<>(){}*?~#! -]){0,20}") {
            let context = json!({ "x": value });
            let line = "printf '%s|' {{ x }} a{{ x }}b \"$(printf '%s.' {{ x }})\"";
            prop_assert_eq!(bugle_core::workflow::command_line::flaws(line), []);
            let command = Engine::default().command(line, &context).unwrap();
            let output = std::process::Command::new("sh").arg("-c").arg(&command).output().unwrap();
            prop_assert_eq!(
                String::from_utf8_lossy(&output.stdout).into_owned(),
                format!("{value}|a{value}b|{value}.|"),
                "{}", command
            );
        }
    }
}
