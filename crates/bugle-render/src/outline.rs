//! What a value must look like, as an outline of JSON: the form in which an agent will write it.

use bugle_core::shape::{Presence, Shape};

/// The outline of a shape: JSON with words in place of values, and remarks behind `//`.
pub fn outline(shape: &Shape) -> String {
    let mut text = String::new();
    write(shape, 0, &mut text);
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
                let optional = (field.presence == Presence::Optional).then_some("may be left out");
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
        Shape::Array { items, length } => {
            out.push('[');
            write(items, depth, out);
            match (length.min, length.max) {
                (None, None) => out.push_str(", ...]"),
                _ => out.push_str(&format!(", ... {}]", length.counted("item"))),
            }
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
