//! Resources and limits that any step may have.

use super::element::Element;

/// A document that a step needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource<'a> {
    /// The document's name, usually a file name.
    pub name: &'a str,
    /// The document's text.
    pub content: &'a str,
}

/// `<forbidden>`: the actions that this step forbids, one line each.
pub fn forbidden<Action: AsRef<str>>(actions: &[Action]) -> Element {
    let items: Vec<String> = actions
        .iter()
        .map(|action| format!("- {}", action.as_ref().replace('\n', "\n  ")))
        .collect();
    Element::with_text("forbidden", items.join("\n"))
}

/// `<resource>`: a document in full.
///
/// Agents use the text in front of them. An agent that must fetch a document often quotes it from memory instead, and
/// gets it wrong.
pub fn resource(resource: &Resource<'_>) -> Element {
    Element::with_text("resource", resource.content).attribute("name", resource.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forbidden_lists_each_action() {
        let actions = [
            "Editing files outside crates/bugle-core",
            "Changing a test so that it passes",
        ];
        insta::assert_snapshot!(forbidden(&actions).render());
    }

    #[test]
    fn resource_is_verbatim() {
        let document = Resource {
            name: "plan-format.md",
            content: "# Plan\n\n> One sentence.\n\n    if a < b && c {\n    }\n",
        };
        insta::assert_snapshot!(resource(&document).render());
    }
}
