//! For any input, every element parses and contains the input.

use std::borrow::Cow;
use std::cell::RefCell;

use proptest::prelude::*;
use roxmltree::{Document, Node};

use super::dispatch::{
    OrchestratorAction, ParallelAgent, ParallelDispatch, SubagentDispatch, orchestrator_action,
    orchestrator_constraint, parallel_dispatch, subagent_dispatch,
};
use super::element::Element;
use super::escape::replace_forbidden;
use super::gate::{GateStatus, gate_result};
use super::guidance::{Resource, forbidden, resource};
use super::review::{ReviewMode, StateBanner, qr_banner, state_banner};
use super::step::{
    NextCommand, StepHeader, StepOutput, current_action, format_mandate, invoke_after, step_header,
    step_output, task,
};
use bugle_core::interface::Interface;

/// Text full of sequences that break XML writers.
pub(super) fn untidy_text() -> impl Strategy<Value = String> {
    const TROUBLE: [&str; 24] = [
        "]]>",
        "]]",
        ">",
        "<",
        "&",
        "&amp;",
        "&#0;",
        "<!--",
        "-->",
        "<![CDATA[",
        "<?xml?>",
        "</current_action>",
        "\"",
        "'",
        "\r\n",
        "\r",
        "\n",
        "\t",
        "\u{202E}",
        "\u{200F}",
        "🎺",
        "\u{D7FF}\u{E000}",
        "\u{FFFE}\u{FFFF}",
        "\u{2028}\u{85}",
    ];
    let fragment = prop_oneof![
        3 => prop::sample::select(TROUBLE.as_slice()).prop_map(str::to_owned),
        2 => any::<char>().prop_map(String::from),
        1 => (0u8..=0x7F).prop_map(|byte| char::from(byte).to_string()),
        1 => "[ a-z]{0,8}",
    ];
    prop::collection::vec(fragment, 0..8).prop_map(|fragments| fragments.concat())
}

/// An element's text, without the newlines that the writer adds around it.
pub(super) fn inner_text<'a>(node: Node<'a, '_>) -> &'a str {
    let text = node.text().unwrap_or_default();
    text.strip_prefix('\n')
        .and_then(|text| text.strip_suffix('\n'))
        .unwrap_or(text)
}

/// Hands out words and records which were used, and where.
struct Words<'a> {
    all: &'a [String],
    used: RefCell<Vec<(&'a str, Place)>>,
}

#[derive(Clone, Copy)]
enum Place {
    /// The word is the whole value of an attribute or text.
    Alone,
    /// The word is a list item; its later lines are indented.
    InList,
}

impl<'a> Words<'a> {
    fn new(all: &'a [String]) -> Self {
        Self {
            all,
            used: RefCell::new(Vec::new()),
        }
    }

    fn next(&self) -> &'a str {
        self.take(Place::Alone)
    }

    fn for_line(&self) -> &'a str {
        self.take(Place::InList)
    }

    fn take(&self, place: Place) -> &'a str {
        let mut used = self.used.borrow_mut();
        let word = self.all[used.len() % self.all.len()].as_str();
        used.push((word, place));
        word
    }
}

type Example = for<'a> fn(&Words<'a>) -> Vec<Element>;

fn header<'a>(words: &Words<'a>) -> StepHeader<'a> {
    StepHeader {
        skill: words.next(),
        run: "r-7f3a",
        visit: words.next().into(),
        step: words.next(),
        phase: None,
        title: words.next(),
    }
}

fn branch(words: &Words<'_>) -> NextCommand {
    NextCommand::Branch {
        if_pass: words.next().to_owned(),
        if_fail: words.next().to_owned(),
    }
}

fn dispatch(words: &Words<'_>) -> Element {
    subagent_dispatch(&SubagentDispatch {
        role: words.next(),
        model: Some(words.next()),
        start_command: words.next(),
    })
}

/// Every element, with generated words wherever it takes text.
const EXAMPLES: [Example; 15] = [
    |words| vec![step_header(&header(words))],
    |words| vec![current_action([words.next()])],
    |words| {
        invoke_after(&NextCommand::Flat(words.next().to_owned()))
            .into_iter()
            .collect()
    },
    |words| invoke_after(&branch(words)).into_iter().collect(),
    |_| vec![format_mandate(&NextCommand::None)],
    |words| vec![gate_result(GateStatus::Fail, words.next())],
    |words| {
        vec![step_output(&StepOutput {
            header: header(words),
            mandate: true,
            task: Some(task(words.next(), words.next(), words.next())),
            gate_result: Some(gate_result(GateStatus::Pass, words.next())),
            action: vec![words.next().into(), dispatch(words).into(), words.next().into()],
            blocks: vec![forbidden(&["Judging"])],
            next: branch(words),
        })]
    },
    |words| vec![dispatch(words)],
    |words| {
        let agents = [1, 2].map(|slot| ParallelAgent {
            slot,
            start_command: words.next(),
        });
        vec![parallel_dispatch(&ParallelDispatch {
            role: words.next(),
            model: Some(words.next()),
            agents: &agents,
        })]
    },
    |words| {
        vec![state_banner(&StateBanner {
            checkpoint: words.next(),
            iteration: 1,
            mode: ReviewMode::Rework,
            explanation: Some(words.next()),
        })]
    },
    |words| vec![qr_banner(words.next(), 1)],
    |words| vec![forbidden(&[words.for_line()])],
    |words| {
        vec![resource(&Resource {
            name: words.next(),
            content: words.next(),
        })]
    },
    |_| vec![orchestrator_constraint()],
    |words| {
        vec![orchestrator_action(&OrchestratorAction {
            verdict: words.next(),
            report: Some(words.next()),
            command: words.next(),
            interface: Interface::Shell,
        })]
    },
];

/// Every attribute value and text that a parser finds.
fn values_in(rendered: &str) -> Vec<String> {
    let document = Document::parse(rendered).unwrap_or_else(|error| panic!("{error}: {rendered}"));
    let mut values = Vec::new();
    for node in document.descendants().filter(Node::is_element) {
        values.extend(node.attributes().map(|attribute| attribute.value().to_owned()));
        values.push(inner_text(node).to_owned());
        values.extend(
            node.children()
                .filter_map(|child| child.text().map(str::to_owned)),
        );
    }
    values
}

proptest! {
    #[test]
    fn every_element_parses_and_holds_its_input(
        all in prop::collection::vec(untidy_text(), 1..12),
    ) {
        for example in EXAMPLES {
            let words = Words::new(&all);
            let elements = example(&words);
            let values: Vec<_> =
                elements.iter().flat_map(|element| values_in(&element.render())).collect();
            for (word, place) in words.used.into_inner() {
                let word = replace_forbidden(word);
                let among_elements = format!("\n{word}\n");
                let found = word.is_empty() || values.iter().any(|value| match place {
                    Place::Alone => *value == word || *value == among_elements,
                    Place::InList => value.contains(&word.replace('\n', "\n  ")),
                });
                prop_assert!(found, "{word:?} is not in {values:?}");
            }
        }
    }

    #[test]
    fn text_and_attributes_round_trip(value in untidy_text()) {
        let rendered = Element::new("a").attribute("b", &value).text(&value).render();
        let document = Document::parse(&rendered).unwrap();
        let expected = replace_forbidden(&value);
        prop_assert_eq!(inner_text(document.root_element()), &expected);
        prop_assert_eq!(document.root_element().attribute("b"), Some(&*expected));
    }

    #[test]
    fn any_text_round_trips_byte_for_byte_in_any_position(value in untidy_text(), other in untidy_text()) {
        let leaf = Element::with_text("leaf", &value);
        let rendered = Element::new("root").child(leaf).child(other.as_str()).child(Element::with_text("last", &value)).render();
        let document = Document::parse(&rendered).unwrap();
        let expected = replace_forbidden(&value);
        for name in ["leaf", "last"] {
            let node = document.descendants().find(|node| node.has_tag_name(name)).unwrap();
            prop_assert_eq!(inner_text(node).as_bytes(), expected.as_bytes());
        }
    }

    #[test]
    fn every_line_can_be_copied_as_printed(lines in prop::collection::vec("[ -~]{0,30}|(&&|<T>|</a>|&amp;|<!\\[CDATA\\[| ){1,4}", 1..6)) {
        let text = lines.join("\n");
        prop_assume!(!text.contains("]]>"));
        let rendered = Element::with_text("command", &text).render();
        prop_assert!(rendered.contains(&text), "{rendered}");
        if let [line] = lines.as_slice() {
            if !line.is_empty() && !line.contains(['&', '<']) {
                let expected = format!("<command>{line}</command>");
                prop_assert_eq!(&rendered, &expected);
            }
        } else {
            let printed: Vec<&str> = rendered.lines().collect();
            prop_assert!(lines.iter().all(|line| printed.contains(&line.as_str())), "{rendered}");
        }
    }

    #[test]
    fn rendering_twice_gives_the_same_bytes(all in prop::collection::vec(untidy_text(), 1..12)) {
        for example in EXAMPLES {
            let render = || -> Vec<_> {
                example(&Words::new(&all)).iter().map(Element::render).collect()
            };
            prop_assert_eq!(render(), render());
        }
    }

    #[test]
    fn replacing_is_idempotent(value in untidy_text()) {
        let once = replace_forbidden(&value).into_owned();
        prop_assert!(matches!(replace_forbidden(&once), Cow::Borrowed(_)));
    }
}
