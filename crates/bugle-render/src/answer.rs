//! Any answer in the format that `--format` selects.

use crate::Format;
use crate::template::fenced;
use crate::xml::Element;

/// The text of an answer: unchanged, in one XML element, or in one Markdown code block.
pub fn answer(kind: &str, text: String, format: Format) -> String {
    match format {
        Format::Text => text,
        Format::Xml => {
            let element = Element::new("answer").attribute("kind", kind);
            format!("{}\n", element.text(text.trim_end()).render())
        }
        Format::Markdown => format!("{}\n", fenced("text", text.trim_end())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_is_one_well_formed_element_with_the_text() {
        let xml = answer("runs", "r-1 <step> & more\nr-2\n".to_owned(), Format::Xml);
        let document = roxmltree::Document::parse(&xml).unwrap();
        assert_eq!(document.root_element().attribute("kind"), Some("runs"));
        assert_eq!(
            document.root_element().text().unwrap().trim(),
            "r-1 <step> & more\nr-2"
        );
    }

    #[test]
    fn text_cannot_close_the_markdown_block_around_it() {
        let text = answer("skill", "a\n```\nb\n".to_owned(), Format::Markdown);
        assert_eq!(text, "````text\na\n```\nb\n````\n");
    }
}
