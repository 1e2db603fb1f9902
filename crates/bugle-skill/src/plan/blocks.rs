//! The labelled blocks of a task: `**Files:**` and the list below it, `**Interfaces:**`, `**Steps:**` and so on.

use bugle_core::plan::FileAction;

use super::heading::heading_text;
use super::lines::{Kind, Line};
use super::step_words::step_words;
use super::text::{checkbox, indent, list_item, squeeze};

/// The meaning of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Label {
    /// Files, with the kind of change if the label names one.
    Files(FileAction),
    Interfaces,
    Consumes,
    Produces,
    Steps,
    /// Dependencies: always a list of tasks.
    DependsOn,
    /// Requirements: a list of tasks if the text names any.
    Requires,
    /// Tasks that run in parallel.
    Parallel,
    Goal,
    Architecture,
    TechStack,
    Constraints,
    /// Acceptance criteria; checkboxes below this label are not steps.
    Criteria,
    /// Any other label.
    Other,
}

/// A label with the text after and below it.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub label: Label,
    /// The label's 0-based line.
    pub line: usize,
    /// The text after the label, and the other lines of the same paragraph.
    pub rest: String,
    pub items: Vec<Item>,
    /// Whether a code block directly follows the label.
    pub code_first: bool,
}

/// A list item of a block, on one line.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// The item's 0-based line.
    pub line: usize,
    pub indent: usize,
    pub text: String,
}

/// The labelled blocks in a range of lines.
pub(super) fn blocks(lines: &[Line<'_>], kinds: &[Kind], from: usize, to: usize) -> Vec<Block> {
    let mut collector = Collector {
        done: Vec::new(),
        open: None,
        after_blank: false,
    };
    for index in from..to {
        collector.take(index, lines[index].text, kinds[index]);
    }
    collector.close();
    collector.done
}

struct Collector {
    done: Vec<Block>,
    open: Option<Open>,
    after_blank: bool,
}

/// A block in progress.
struct Open {
    block: Block,
    column: usize,
    /// Whether the label is a list item. If so, items at the same level are not part of the block.
    listed: bool,
}

impl Collector {
    fn close(&mut self) {
        self.done.extend(self.open.take().map(|open| open.block));
    }

    fn begin(&mut self, label: Label, line: usize, rest: &str) -> &mut Open {
        self.close();
        self.after_blank = false;
        self.open.insert(Open {
            block: Block {
                label,
                line,
                rest: squeeze(rest),
                items: Vec::new(),
                code_first: false,
            },
            column: 0,
            listed: false,
        })
    }

    fn take(&mut self, index: usize, text: &str, kind: Kind) {
        match kind {
            Kind::Blank | Kind::Comment => self.after_blank = true,
            Kind::Heading(_) => {
                let name = heading_text(text).to_lowercase();
                self.begin(known(&name).unwrap_or(Label::Other), index, "");
            }
            Kind::Rule => self.close(),
            Kind::Fence | Kind::Code | Kind::Quote | Kind::Front => {
                self.after_blank = true;
                let stays = self.open.as_mut().is_some_and(|Open { block, .. }| {
                    block.code_first |= block.items.is_empty() && block.rest.is_empty();
                    block.spans_text()
                });
                if !stays {
                    self.close();
                }
            }
            Kind::Text => match list_item(text.trim()) {
                Some((_, content)) => self.item(index, indent(text), content),
                None => self.paragraph(index, indent(text), text.trim()),
            },
        }
    }

    fn item(&mut self, index: usize, column: usize, content: &str) {
        let after_blank = std::mem::take(&mut self.after_blank);
        let ends = |open: &Open| {
            (open.listed && column <= open.column) || open.block.ends_before(content, after_blank)
        };
        if self.open.as_ref().is_some_and(ends) {
            self.close();
        }
        let around = self.open.as_ref().map(|open| &open.block.label);
        if let Some((label, rest)) = label(content).filter(|(label, _)| label.counts_in(around)) {
            let open = self.begin(label, index, rest);
            open.column = column;
            open.listed = true;
        } else if let Some(open) = &mut self.open {
            open.block.items.push(Item {
                line: index,
                indent: column,
                text: squeeze(content),
            });
        }
    }

    fn paragraph(&mut self, index: usize, column: usize, body: &str) {
        if let Some((label, rest)) = label(body) {
            self.begin(label, index, rest).column = column;
            return;
        }
        let after_blank = std::mem::take(&mut self.after_blank);
        let Some(open) = &mut self.open else {
            return;
        };
        let (paragraph, below) = match open.block.items.last_mut() {
            None => (&mut open.block.rest, false),
            Some(last) => (&mut last.text, column > last.indent),
        };
        if !after_blank {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(&squeeze(body));
        } else if !below && !open.block.spans_text() {
            self.close();
        }
    }
}

impl Block {
    /// The lines where list entries start, such as files or steps.
    pub(super) fn entry_lines(&self) -> Vec<usize> {
        match self.label {
            Label::Other | Label::Criteria => Vec::new(),
            _ => std::iter::once(self.line)
                .chain(self.items.iter().map(|item| item.line))
                .collect(),
        }
    }

    /// Whether the block continues after text and code between its items.
    fn spans_text(&self) -> bool {
        matches!(self.label, Label::Steps | Label::Criteria | Label::Other)
    }

    /// Whether the block ends before this list item. Steps often directly follow another list. A list after a blank
    /// line does not belong to the sentence above the blank line.
    fn ends_before(&self, content: &str, after_blank: bool) -> bool {
        let fact = matches!(self.label, Label::Goal | Label::Architecture | Label::TechStack);
        if fact && after_blank && !self.rest.is_empty() {
            return true;
        }
        let Some((_, text)) = checkbox(content) else {
            return false;
        };
        let boxed = self
            .items
            .last()
            .is_some_and(|item| checkbox(&item.text).is_some());
        let worded = step_words(text).is_some();
        !self.spans_text() && (worded || (after_blank && !boxed && !self.items.is_empty()))
    }
}

impl Label {
    /// Whether this label, at the start of a list item below the label `around`, starts its own block. Usually it is
    /// part of the item. For example, `- **Create:** ...` is an entry, and every item among steps is a step.
    fn counts_in(&self, around: Option<&Self>) -> bool {
        match around {
            None => true,
            Some(Self::Steps) => false,
            Some(Self::Interfaces) if matches!(self, Self::Consumes | Self::Produces) => false,
            Some(_) => !matches!(
                self,
                Self::Other | Self::Goal | Self::Architecture | Self::TechStack
            ),
        }
    }
}

/// A label at the start of a string: `**Files:** rest`, `**Files**: rest`, `Files: rest`.
fn label(text: &str) -> Option<(Label, &str)> {
    if let Some((name, rest)) = bold_name(text) {
        let name = label_name(name);
        let label = known(&name).or_else(|| (!name.starts_with("step ")).then_some(Label::Other));
        return Some((label?, rest));
    }
    let (name, rest) = text.split_once([':', '：'])?;
    let label = known(&label_name(name))?;
    text.starts_with(char::is_uppercase).then_some((label, rest))
}

/// Whether a line states the goal, the architecture or the tech stack.
pub(super) fn is_fact(line: &str) -> bool {
    label(line)
        .is_some_and(|(label, _)| matches!(label, Label::Goal | Label::Architecture | Label::TechStack))
}

fn label_name(name: &str) -> String {
    name.trim()
        .trim_end_matches([':', '：', '.'])
        .trim()
        .to_lowercase()
}

/// `**Name:** rest`, `**Name**: rest`, `__Name:__ rest`; only with a colon or alone on its line.
fn bold_name(text: &str) -> Option<(&str, &str)> {
    const MAX_LENGTH: usize = 60;
    let mark = ["**", "__"].into_iter().find(|mark| text.starts_with(mark))?;
    let inner = &text[2..];
    let end = inner.find(mark)?;
    let (name, after) = (&inner[..end], &inner[end + 2..]);
    let colon = name.trim_end().ends_with([':', '：', '.']);
    let colon_after = after.trim_start().strip_prefix([':', '：']);
    let rest = match colon_after {
        Some(rest) if !colon => rest,
        _ if colon || after.trim().is_empty() => after,
        _ => return None,
    };
    (!name.trim().is_empty() && name.len() <= MAX_LENGTH).then_some((name, rest))
}

/// Known labels, in lower case.
fn known(name: &str) -> Option<Label> {
    let name = name.split('(').next().unwrap_or_default().trim();
    let label = match name {
        "file" | "files" | "files touched" | "files changed" | "files affected" | "affected files"
        | "files involved" => Label::Files(FileAction::Unstated),
        "files to create" | "new files" | "files created" | "create files" => {
            Label::Files(FileAction::Create)
        }
        "files to modify" | "files to change" | "files to edit" | "files to update" | "modified files"
        | "files modified" => Label::Files(FileAction::Modify),
        "files to delete" | "files to remove" | "deleted files" => Label::Files(FileAction::Delete),
        "test files" | "files to test" => Label::Files(FileAction::Test),
        "files to read" | "reference files" => Label::Files(FileAction::Read),
        "interfaces" | "interface" => Label::Interfaces,
        "consumes" => Label::Consumes,
        "produces" => Label::Produces,
        "steps" | "implementation steps" => Label::Steps,
        "depends on" | "depends" | "dependencies" | "dependency" | "blocked by" | "after" | "waits for" => {
            Label::DependsOn
        }
        "parallel"
        | "parallel with"
        | "in parallel with"
        | "runs in parallel with"
        | "can run in parallel"
        | "can run in parallel with"
        | "parallelizable"
        | "parallelisable"
        | "concurrent with" => Label::Parallel,
        "requires" | "prerequisites" | "prerequisite" => Label::Requires,
        "goal" => Label::Goal,
        "architecture" => Label::Architecture,
        "tech stack" | "technology" | "technology stack" => Label::TechStack,
        "global constraints" | "constraints" => Label::Constraints,
        "acceptance"
        | "acceptance criteria"
        | "success criteria"
        | "exit criteria"
        | "definition of done"
        | "done when"
        | "done criteria"
        | "out of scope" => Label::Criteria,
        _ => return None,
    };
    Some(label)
}
