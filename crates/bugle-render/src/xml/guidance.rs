//! Material and limits that any step may carry.

use super::element::Element;

/// A document that a step needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource<'a> {
    /// What it is called, usually its file name.
    pub name: &'a str,
    /// The document itself.
    pub content: &'a str,
}

/// What to do for one possible result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutingCase<'a> {
    /// The result, as the agent will see it.
    pub result: &'a str,
    /// What follows from it.
    pub action: &'a str,
}

/// `<forbidden>`: what this step excludes, one line each.
///
/// The list stays short and concrete; what is named here is what agents have been
/// seen to do.
pub fn forbidden<Action: AsRef<str>>(actions: &[Action]) -> Element {
    let items: Vec<String> = actions
        .iter()
        .map(|action| format!("- {}", action.as_ref().replace('\n', "\n  ")))
        .collect();
    Element::with_text("forbidden", items.join("\n"))
}

/// `<routing>`: what follows from each possible result.
///
/// All cases stand side by side before the result is known. An agent that works
/// out the consequence afterwards tends to choose the one that ends the work.
pub fn routing(cases: &[RoutingCase<'_>]) -> Element {
    Element::new("routing").children(
        cases
            .iter()
            .map(|case| Element::with_text("case", case.action).attribute("result", case.result)),
    )
}

/// `<resource>`: a document in full.
///
/// Material given in place is used; material that has to be fetched is often
/// recalled from memory instead, and wrongly.
pub fn resource(resource: &Resource<'_>) -> Element {
    Element::with_text("resource", resource.content).attribute("name", resource.name)
}

/// `<incorrect_behavior>`: a mistake, and what comes of it.
///
/// One wrong example beside the right instruction marks the border more sharply
/// than a second right one (contrastive prompting, Chia et al. 2023). The
/// consequence is part of it: a rule without a reason is weighed against convenience.
pub fn incorrect_behavior(example: &str, consequence: &str) -> Element {
    Element::new("incorrect_behavior")
        .child(Element::with_text("example", example))
        .child(Element::with_text("consequence", consequence))
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
    fn routing_shows_every_case() {
        let cases = [
            RoutingCase {
                result: "satisfied",
                action: "bugle done 'r-7f3a#4' --outcome skip",
            },
            RoutingCase {
                result: "not satisfied",
                action: "bugle done 'r-7f3a#4' --outcome ok",
            },
        ];
        insta::assert_snapshot!(routing(&cases).render());
    }

    #[test]
    fn resource_is_verbatim() {
        let document = Resource {
            name: "plan-format.md",
            content: "# Plan\n\n> One sentence.\n\n    if a < b && c {\n    }\n",
        };
        insta::assert_snapshot!(resource(&document).render());
    }

    #[test]
    fn incorrect_behavior_names_the_consequence() {
        let element = incorrect_behavior(
            "The reviewer reports a missing test, and the orchestrator writes it.",
            "The test is never reviewed, and the verdict no longer holds for the work.",
        );
        insta::assert_snapshot!(element.render());
    }
}
