//! Plans whose tasks are not `Task` headings: `- [ ] **Task 1.1:** ...`, `## 1. Set up`, `1. **Set up**`.
//!
//! Used only if a plan has no `### Task 3: ...` headings. Only the first form that occurs in the plan counts, so a
//! numbered list in an ordinary plan stays a list.

use bugle_core::plan::{GroupKind, StatusMark, TaskNumber};

use super::heading::{Heading, Numbered, Section, announced, is_frame};
use super::lines::{Kind, Line};
use super::mark::leading_mark;
use super::text::{checkbox, clean_title, has_words, indent, list_item, number, separator};
use super::tree::Head;

/// The deepest heading level.
const MAX_DEPTH: u8 = 6;

/// The headings of a file. If no heading is a task, adds the tasks in other forms: numbered headings or list items.
pub(super) fn with_other_forms(
    lines: &[Line<'_>],
    kinds: &[Kind],
    heads: Vec<Head>,
    title_line: Option<usize>,
) -> Vec<Head> {
    let has_task = |head: &Head| matches!(head.announced, Heading::Task(_) | Heading::BareTask(_));
    if heads.iter().any(has_task) {
        return heads;
    }
    let listed = in_lists(lines, kinds, &heads, worded);
    if !listed.is_empty() {
        return merged(heads, listed);
    }
    let numbered = numbered_headings(&heads, title_line);
    if numbered.iter().any(Option::is_some) {
        let tasks = heads.into_iter().zip(numbered);
        return tasks
            .map(|(head, task)| match task {
                Some(announced) => Head { announced, ..head },
                None => head,
            })
            .collect();
    }
    let listed = in_lists(lines, kinds, &heads, bold_title);
    // One bold item is a remark; several are a list of tasks.
    if listed.len() > 1 {
        merged(heads, listed)
    } else {
        heads
    }
}

fn merged(heads: Vec<Head>, listed: Vec<Head>) -> Vec<Head> {
    let mut all = heads;
    all.extend(listed);
    all.sort_by_key(|head| head.line);
    all
}

/// The tasks of one form, and the checkboxes in between that end a task. Skips list items below a constraints heading.
fn in_lists(
    lines: &[Line<'_>],
    kinds: &[Kind],
    heads: &[Head],
    form: fn(&str) -> Option<Numbered>,
) -> Vec<Head> {
    let lists_constraints = |line: usize| {
        let head = heads.iter().find(|head| head.line == line);
        head.is_some_and(|head| head.announced == Heading::Section(Section::Constraints))
    };
    let mut above = 1;
    let mut constraints = false;
    let mut found = Vec::new();
    // The indentation of the last task, if it has a checkbox.
    let mut boxed_task = None;
    for (line, text) in lines.iter().enumerate() {
        match kinds[line] {
            Kind::Heading(level) => {
                above = level;
                constraints = lists_constraints(line);
                boxed_task = None;
            }
            Kind::Text if !constraints => {
                let body = text.text.trim();
                let has_box = list_item(body).is_some_and(|(_, content)| checkbox(content).is_some());
                let indented = indent(text.text);
                let announced = match form(body) {
                    Some(task) => {
                        boxed_task = has_box.then_some(indented);
                        Heading::Task(task)
                    }
                    // A checkbox at the same level as a task with a checkbox is not part of that task.
                    None if has_box && boxed_task == Some(indented) => Heading::Plain,
                    None => continue,
                };
                // One level below the preceding heading; deeper if the task is indented.
                let deeper = u8::try_from(indented / 2).unwrap_or(MAX_DEPTH);
                found.push(Head {
                    line,
                    level: above.saturating_add(1).saturating_add(deeper).min(MAX_DEPTH),
                    text: clean_title(body),
                    announced,
                });
            }
            _ => {}
        }
    }
    found
}

/// `- [ ] **Task 1.1:** Title`, `- **Task 1:** Title`, `**Task 1: Title**`, `- [ ] T001 [P] Title`.
fn worded(body: &str) -> Option<Numbered> {
    let item = list_item(body);
    let bold = body.starts_with("**") && body.ends_with("**") && body.matches("**").count() == 2;
    let text = match item {
        Some((_, content)) if checkbox(content).is_some() || content.starts_with("**") => content,
        None if bold => body,
        _ => return None,
    };
    if let Heading::Task(task) = announced(text) {
        return has_words(&task.title).then_some(task);
    }
    // Ids such as T001 replace the word `Task`, but only in a list of checkboxes.
    let (mark, rest) = boxed(text)?;
    let (id, rest) = number(rest.trim_start_matches(['*', ' ']))?;
    let is_id = id.as_str().starts_with('T') && rest.starts_with([' ', ':', '*']);
    let title = clean_title(rest.trim_start_matches([':', ' ', '*', '-', '.']));
    (is_id && has_words(&title)).then_some(Numbered {
        number: id,
        title,
        mark,
    })
}

/// The text after a checkbox, and the checkbox's mark.
fn boxed(text: &str) -> Option<(Option<StatusMark>, &str)> {
    let (_, rest) = checkbox(text)?;
    Some((leading_mark(text).map(|(mark, _)| mark), rest))
}

/// `1. **Title**`, `2) **Title:** text`; not in a nested list.
fn bold_title(body: &str) -> Option<Numbered> {
    let (marker, content) = list_item(body)?;
    let digits = marker.trim_end_matches(['.', ')']);
    if !digits.starts_with(|sign: char| sign.is_ascii_digit()) {
        return None;
    }
    let (mark, content) = boxed(content).unwrap_or((None, content));
    let (title, _) = content.strip_prefix("**")?.split_once("**")?;
    let title = clean_title(title.trim_end_matches([':', '.', ' ']));
    has_words(&title).then(|| Numbered {
        number: TaskNumber::new(digits),
        title,
        mark,
    })
}

/// The numbered headings as tasks; `None` for any other heading. Only headings of the highest level and their parts
/// count. A heading with parts is a group. A numbered section about the plan, such as `1. Overview`, is not a task.
fn numbered_headings(heads: &[Head], title_line: Option<usize>) -> Vec<Option<Heading>> {
    let candidates: Vec<Option<Numbered>> = heads
        .iter()
        .map(|head| match head.announced {
            Heading::Plain | Heading::Section(_) if title_line != Some(head.line) => numbered(&head.text),
            _ => None,
        })
        .collect();
    let level = |(head, task): (&Head, &Option<Numbered>)| task.is_some().then_some(head.level);
    let Some(top) = heads.iter().zip(&candidates).filter_map(level).min() else {
        return vec![None; heads.len()];
    };
    let mut found: Vec<Option<Heading>> = vec![None; heads.len()];
    let mut outer: Option<(usize, TaskNumber)> = None;
    for (index, task) in candidates.into_iter().enumerate() {
        let Some(task) = task else {
            if heads[index].level <= top {
                outer = None;
            }
            continue;
        };
        let is_part = outer
            .as_ref()
            .is_some_and(|(_, outer)| task.number.is_part_of(outer));
        if heads[index].level == top {
            outer = Some((index, task.number.clone()));
        } else if !is_part {
            continue;
        } else if let Some((at, _)) = &outer
            && let Some(Heading::Task(group)) = found[*at].clone()
        {
            found[*at] = Some(Heading::Group(GroupKind::Heading, group));
        }
        found[index] = Some(Heading::Task(task));
    }
    found
}

/// `1. Set up`, `1.1 Set up`, `2) Set up`, `3: Set up`, `[x] 4. Set up`.
fn numbered(text: &str) -> Option<Numbered> {
    let (mark, rest) = match leading_mark(text) {
        Some((mark, rest)) => (Some(mark), rest.trim_start()),
        None => (None, text),
    };
    let (number, rest) = number(rest.trim_start_matches(['*', '#']))?;
    if !number.as_str().starts_with(|sign: char| sign.is_ascii_digit()) {
        return None;
    }
    let dotted = number.as_str().contains('.');
    let title = separator(rest)
        .or_else(|| rest.strip_prefix(')'))
        .or_else(|| rest.strip_prefix(' ').filter(|_| dotted))?;
    let title = clean_title(title);
    (has_words(&title) && !is_frame(&title)).then_some(Numbered { number, title, mark })
}
