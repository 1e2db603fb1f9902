//! A JSON value that keeps the order of its members. The value is rendered in the style of the surrounding document.

/// A value to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Json {
    Text(String),
    Number(u32),
    True,
    Array(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Array(texts.into_iter().map(Self::text).collect())
    }

    /// A member of an object.
    pub(crate) fn member(&self, wanted: &str) -> Option<&Json> {
        match self {
            Self::Object(members) => members
                .iter()
                .find(|(key, _)| *key == wanted)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// Renders the value in a layout.
    pub(crate) fn render(&self, layout: &Layout<'_>) -> String {
        let list = |open: char, close: char, items: Vec<String>| match layout {
            _ if items.is_empty() => format!("{open}{close}"),
            Layout::Line => format!("{open}{}{close}", items.join(", ")),
            Layout::Lines { end, indent, unit } => {
                let between = format!(",{end}{indent}{unit}");
                format!(
                    "{open}{end}{indent}{unit}{}{end}{indent}{close}",
                    items.join(&between)
                )
            }
        };
        let deeper = layout.deeper();
        match self {
            Self::Text(text) => quoted(text),
            Self::Number(number) => number.to_string(),
            Self::True => "true".to_owned(),
            // Lists of words are short: one line is easier to read.
            Self::Array(items) if items.iter().all(|item| matches!(item, Self::Text(_))) => {
                let items: Vec<String> = items.iter().map(|item| item.render(&Layout::Line)).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Array(items) => {
                let items = items.iter().map(|item| item.render(&deeper.as_layout()));
                list('[', ']', items.collect())
            }
            Self::Object(members) => {
                let members = members
                    .iter()
                    .map(|(key, value)| format!("{}: {}", quoted(key), value.render(&deeper.as_layout())));
                list('{', '}', members.collect())
            }
        }
    }
}

/// Quotes text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    // Serialising cannot fail: every string has a JSON form.
    serde_json::to_string(text).unwrap_or_default()
}

/// How a value is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout<'a> {
    /// On one line.
    Line,
    /// On separate lines.
    Lines {
        end: &'a str,
        /// The indentation of the line on which the value begins.
        indent: &'a str,
        /// The indentation per level.
        unit: &'a str,
    },
}

/// The layout one level deeper. It owns its indentation string.
enum Deeper<'a> {
    Line,
    Lines {
        end: &'a str,
        indent: String,
        unit: &'a str,
    },
}

impl<'a> Layout<'a> {
    fn deeper(&self) -> Deeper<'a> {
        match self {
            Self::Line => Deeper::Line,
            Self::Lines { end, indent, unit } => Deeper::Lines {
                end,
                indent: format!("{indent}{unit}"),
                unit,
            },
        }
    }
}

impl Deeper<'_> {
    fn as_layout(&self) -> Layout<'_> {
        match self {
            Self::Line => Layout::Line,
            Self::Lines { end, indent, unit } => Layout::Lines { end, indent, unit },
        }
    }
}
