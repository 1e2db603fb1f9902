//! The writer: a tree of elements, and the only place that produces markup.
//!
//! Layout never changes text. Text without line breaks is written between its tags. Longer text is written on its own
//! lines, with exactly one newline added before and after it. Elements around such text are flush left, because
//! indentation would become part of the text; everything else is indented by two spaces per level.

use std::fmt;

use super::escape;

const INDENT: &str = "  ";

/// One XML element: a name, attributes in insertion order, content.
///
/// Element and attribute names are literals in this crate and are not escaped. [`escape`] makes every value safe when
/// the element is rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    content: Vec<Content>,
}

/// The content of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text that is not escaped yet.
    Text(String),
    /// An element, laid out with its parent.
    Element(Element),
    /// An element that is already rendered; it is copied unchanged.
    Rendered(Rendered),
}

/// The rendered text of an element. Only an [`Element`] can produce it, so it is embedded without further escaping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered(String);

impl Element {
    /// An element without attributes or content.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            attributes: Vec::new(),
            content: Vec::new(),
        }
    }

    /// An element that contains text.
    pub fn with_text(name: &'static str, text: impl Into<String>) -> Self {
        Self::new(name).text(text)
    }

    /// The element's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Sets an attribute. An existing attribute keeps its position and gets the new value: XML allows each name once.
    #[must_use]
    pub fn attribute(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        let value = value.to_string();
        match self.attributes.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.attributes.push((name, value)),
        }
        self
    }

    /// Sets an attribute if `value` is `Some`.
    #[must_use]
    pub fn optional_attribute(self, name: &'static str, value: Option<impl fmt::Display>) -> Self {
        match value {
            Some(value) => self.attribute(name, value),
            None => self,
        }
    }

    /// Adds text. Empty text adds nothing; text after other text begins on a new line.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        match self.content.last_mut() {
            _ if text.is_empty() => {}
            Some(Content::Text(before)) => {
                before.push('\n');
                before.push_str(&text);
            }
            _ => self.content.push(Content::Text(text)),
        }
        self
    }

    /// Adds text or an element.
    #[must_use]
    pub fn child(mut self, child: impl Into<Content>) -> Self {
        match child.into() {
            Content::Text(text) => self.text(text),
            child => {
                self.content.push(child);
                self
            }
        }
    }

    /// Adds text and elements in order.
    #[must_use]
    pub fn children<Item: Into<Content>>(self, children: impl IntoIterator<Item = Item>) -> Self {
        children.into_iter().fold(self, Self::child)
    }

    /// The element as text, without a trailing newline.
    pub fn render(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out
    }

    fn write(&self, out: &mut String, depth: usize) {
        out.push('<');
        out.push_str(self.name);
        for (name, value) in &self.attributes {
            out.push(' ');
            out.push_str(name);
            out.push_str("=\"");
            out.push_str(&escape::attribute(value));
            out.push('"');
        }
        match self.content.as_slice() {
            [] => {
                out.push_str("/>");
                return;
            }
            [Content::Text(text)] => {
                out.push('>');
                out.push_str(&if text.contains('\n') {
                    escape::text(&format!("\n{text}\n")).into_owned()
                } else {
                    escape::text(text).into_owned()
                });
            }
            children => {
                out.push('>');
                let inner = if self.is_flush() { depth } else { depth + 1 };
                for child in children {
                    child.write(out, inner);
                }
                new_line(out, depth);
            }
        }
        out.push_str("</");
        out.push_str(self.name);
        out.push('>');
    }

    /// Whether any content must not be indented. In that case no ancestor is indented either, so a flush element is
    /// always at depth 0.
    fn is_flush(&self) -> bool {
        let alone = self.content.len() == 1;
        self.content.iter().any(|child| match child {
            Content::Text(text) => !alone || text.contains('\n'),
            Content::Element(element) => element.is_flush(),
            Content::Rendered(Rendered(text)) => text.contains('\n'),
        })
    }
}

impl Content {
    fn write(&self, out: &mut String, depth: usize) {
        match self {
            Self::Text(text) => {
                out.push('\n');
                out.push_str(&escape::text(text));
            }
            Self::Element(element) => {
                new_line(out, depth);
                element.write(out, depth);
            }
            Self::Rendered(Rendered(text)) => {
                new_line(out, depth);
                out.push_str(text);
            }
        }
    }
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth {
        out.push_str(INDENT);
    }
}

impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.render())
    }
}

impl From<&Element> for Rendered {
    fn from(element: &Element) -> Self {
        Self(element.render())
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Element> for Content {
    fn from(element: Element) -> Self {
        Self::Element(element)
    }
}

impl From<Rendered> for Content {
    fn from(rendered: Rendered) -> Self {
        Self::Rendered(rendered)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use roxmltree::{Document, Node};

    use super::super::properties::{inner_text, untidy_text};
    use super::*;

    #[test]
    fn elements_are_indented_and_short_texts_stay_on_their_line() {
        let element = Element::new("outer")
            .attribute("first", 1)
            .optional_attribute("absent", None::<&str>)
            .optional_attribute("last", Some("two"))
            .child(Element::new("empty"))
            .child(Element::new("inner").child(Element::with_text("leaf", "a -> b")));
        insta::assert_snapshot!(element.render());
    }

    #[test]
    fn elements_around_a_long_text_are_flush_left() {
        let element = Element::new("outer")
            .child(Element::new("aside").child(Element::new("leaf")))
            .child(Element::with_text(
                "long",
                "first\n  second, indented by its author",
            ))
            .child(
                Element::new("mixed")
                    .text("before")
                    .child(Element::new("leaf"))
                    .text("after"),
            );
        insta::assert_snapshot!(element.render());
    }

    #[test]
    fn an_attribute_set_twice_keeps_its_position() {
        let element = Element::new("a")
            .attribute("x", 1)
            .attribute("y", 2)
            .attribute("x", 3);
        assert_eq!(element.to_string(), r#"<a x="3" y="2"/>"#);
    }

    #[test]
    fn adjacent_texts_become_lines_and_empty_text_adds_nothing() {
        assert_eq!(Element::new("a").text("").render(), "<a/>");
        let element = Element::new("a").children(["]]", "", ">"]);
        assert_eq!(element.render(), "<a>\n]]\n>\n</a>");
    }

    #[test]
    fn a_rendered_element_is_copied_unchanged() {
        let short = Element::with_text("b", "x & y");
        let long = Element::with_text("c", "one\ntwo");
        let both = Element::new("a").child(short.clone()).child(long.clone());
        let copied = Element::new("a")
            .child(Rendered::from(&short))
            .child(Rendered::from(&long));
        assert_eq!(copied.render(), both.render());
    }

    /// Compares the built element with the parsed one. Layout around elements is white space (`\n`, `\n  `, ...); text
    /// among elements has one newline on either side.
    fn assert_same(element: &Element, node: Node<'_, '_>) {
        assert_eq!(element.name, node.tag_name().name());
        let read: Vec<_> = node.attributes().map(|a| (a.name(), a.value())).collect();
        let built: Vec<_> = element
            .attributes
            .iter()
            .map(|(name, value)| (*name, escape::replace_forbidden(value)))
            .collect();
        assert!(
            read.iter()
                .copied()
                .eq(built.iter().map(|(name, value)| (*name, value.as_ref())))
        );
        if let [Content::Text(text)] = element.content.as_slice() {
            assert_eq!(inner_text(node), escape::replace_forbidden(text));
            return;
        }
        let mut read = node.children().filter(|child| {
            child.is_element()
                || child
                    .text()
                    .is_some_and(|t| !t.trim_matches([' ', '\n']).is_empty())
        });
        for child in &element.content {
            match child {
                Content::Text(text) if text.trim_matches([' ', '\n']).is_empty() => {}
                Content::Text(text) => {
                    let written = read.next().and_then(|node| node.text()).unwrap();
                    assert_eq!(written, format!("\n{}\n", escape::replace_forbidden(text)));
                }
                Content::Element(inner) => assert_same(inner, read.next().unwrap()),
                Content::Rendered(Rendered(text)) => {
                    let document = Document::parse(text).unwrap();
                    let copy = read.next().unwrap();
                    assert_eq!(document.root_element().tag_name(), copy.tag_name());
                }
            }
        }
        assert_eq!(read.count(), 0);
    }

    fn any_element() -> impl Strategy<Value = Element> {
        let leaf = (untidy_text(), untidy_text())
            .prop_map(|(value, text)| Element::new("leaf").attribute("value", value).text(text));
        leaf.prop_recursive(4, 24, 4, |inner| {
            let child = prop_oneof![
                inner.clone().prop_map(Content::from),
                inner.prop_map(|element| Content::from(Rendered::from(&element))),
                untidy_text().prop_map(Content::from),
            ];
            (untidy_text(), prop::collection::vec(child, 0..5)).prop_map(|(value, children)| {
                Element::new("branch")
                    .attribute("value", value)
                    .children(children)
            })
        })
    }

    proptest! {
        #[test]
        fn a_parser_reads_back_what_was_built(element in any_element()) {
            let rendered = element.render();
            let document = Document::parse(&rendered).unwrap();
            assert_same(&element, document.root_element());
        }
    }
}
