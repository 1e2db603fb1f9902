//! A value's shape as a JSON outline, the form in which an agent writes the value.

use bugle_core::shape::{Presence, Shape, Unique};

/// The outline of a shape: JSON with types in place of values, and remarks after `//`.
pub fn outline(shape: &Shape) -> String {
    let mut text = String::new();
    write(shape, 0, &mut text);
    text
}

/// The outline of a shape, followed by the checks that the value must pass, one line each.
pub fn outline_with_checks<'a>(shape: &Shape, checks: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = outline(shape);
    for check in checks {
        let words: Vec<&str> = check.split_whitespace().collect();
        text.push_str(&format!("\n// {}", words.join(" ")));
    }
    text
}

fn write(shape: &Shape, depth: usize, out: &mut String) {
    match shape {
        Shape::Object(fields) => {
            out.push_str("{\n");
            for (index, field) in fields.iter().enumerate() {
                let comma = if index + 1 == fields.len() { "" } else { "," };
                indent(depth + 1, out);
                out.push_str(&format!("\"{}\": ", field.name));
                write(&field.shape, depth + 1, out);
                out.push_str(comma);
                let optional = (field.presence == Presence::Optional).then_some("optional");
                let remarks: Vec<&str> = optional.into_iter().chain(field.help.as_deref()).collect();
                if !remarks.is_empty() {
                    out.push_str(&format!(
                        " // {}",
                        remarks
                            .join(": ")
                            .split_whitespace()
                            .collect::<Vec<_>>()
                            .join(" ")
                    ));
                }
                out.push('\n');
            }
            indent(depth, out);
            out.push('}');
        }
        Shape::Array {
            items,
            length,
            unique,
        } => {
            out.push('[');
            write(items, depth, out);
            out.push_str(", ...");
            if (length.min, length.max) != (None, None) {
                out.push_str(&format!(" {}", length.describe("item")));
            }
            match unique {
                None => {}
                Some(Unique::Items) => out.push_str(", no duplicates"),
                Some(Unique::Field(name)) => out.push_str(&format!(", no duplicate `{name}`")),
            }
            out.push(']');
        }
        Shape::Enum(choices) => {
            let quoted: Vec<String> = choices
                .iter()
                .map(|choice| serde_json::Value::from(choice.as_str()).to_string())
                .collect();
            out.push_str(&quoted.join(" | "));
        }
        other => out.push_str(&other.to_string()),
    }
}

fn indent(depth: usize, out: &mut String) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}
