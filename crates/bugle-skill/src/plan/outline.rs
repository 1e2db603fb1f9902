//! The tree of a plan: which headings are groups and tasks, how they nest, and where each text starts and ends.
//!
//! The rules: a task ends at the next task and at any heading of its own or a higher level. A deeper task is inside
//! the previous task if its number is a part of that task's number (`3b` of `3`). A section about the whole plan is
//! not part of any task.

use std::collections::BTreeSet;

use bugle_core::plan::{GroupKind, NoteKind, PlanNote};

use super::forms::with_other_forms;
use super::groups::{plain_groups, without_empty_groups};
use super::heading::{Heading, Numbered, Section, announced, heading_text};
use super::lines::{Kind, Line};
use super::text::has_words;
use super::tree::{Branch, Head, note};

/// The title of the plan, and all headings with their meanings.
pub(super) fn heads(lines: &[Line<'_>], kinds: &[Kind]) -> (Option<String>, Vec<Head>) {
    let headings = lines.iter().zip(kinds).enumerate();
    let mut heads: Vec<Head> = headings
        .filter_map(|(line, (text, kind))| {
            let Kind::Heading(level) = *kind else {
                return None;
            };
            let text = heading_text(text.text);
            let announced = announced(&text);
            Some(Head {
                line,
                level,
                text,
                announced,
            })
        })
        .collect();
    // The title of the plan is never a group.
    let title = title(&mut heads);
    let title = title.map(|head| {
        head.announced = Heading::Section(Section::Frame);
        (head.line, head.text.clone())
    });
    let title_line = title.as_ref().map(|(line, _)| *line);
    let heads = with_other_forms(lines, kinds, heads, title_line);
    (title.map(|(_, text)| text), heads)
}

/// The first top-level heading before the first task.
fn title(heads: &mut [Head]) -> Option<&mut Head> {
    let is_task = |head: &Head| matches!(head.announced, Heading::Task(_));
    let mut before = heads.iter_mut().take_while(|head| !is_task(head));
    before.find(|head| head.level == 1 && has_words(&head.text) && !head.announced.begins_tasks())
}

/// Groups and tasks in file order.
pub(super) fn branches(heads: &[Head], line_count: usize, notes: &mut Vec<PlanNote>) -> Vec<Branch> {
    let mut ignored = Vec::new();
    let first = Builder::new(heads, &BTreeSet::new(), &mut ignored).build(line_count);
    let groups = plain_groups(heads, &first.enclosing, notes);
    let built = Builder::new(heads, &groups, notes).build(line_count);
    without_empty_groups(built.branches, heads, notes)
}

/// An open heading at a point in the file.
#[derive(Debug, Clone, Copy)]
struct Open {
    level: u8,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// A task, and whether numbers restart inside it.
    Task { branch: usize, restarts_numbers: bool },
    /// A group, and whether it already contains tasks at its own level.
    Group { branch: usize, beside: bool },
    /// A heading that is neither a task nor a group, by its index among the headings.
    Plain(usize),
}

struct Built {
    branches: Vec<Branch>,
    /// The plain headings with tasks directly below them.
    enclosing: BTreeSet<usize>,
}

struct Builder<'a> {
    heads: &'a [Head],
    plain_groups: &'a BTreeSet<usize>,
    notes: &'a mut Vec<PlanNote>,
    /// The numbers of all tasks with a complete heading.
    numbers: BTreeSet<String>,
    open: Vec<Open>,
    /// The branch that the text belongs to.
    owner: Option<usize>,
    built: Built,
}

impl<'a> Builder<'a> {
    fn new(heads: &'a [Head], plain_groups: &'a BTreeSet<usize>, notes: &'a mut Vec<PlanNote>) -> Self {
        let tasks = heads.iter().filter_map(|head| match &head.announced {
            Heading::Task(task) => Some(task.number.key()),
            _ => None,
        });
        Self {
            heads,
            plain_groups,
            notes,
            numbers: tasks.collect(),
            open: Vec::new(),
            owner: None,
            built: Built {
                branches: Vec::new(),
                enclosing: BTreeSet::new(),
            },
        }
    }

    fn build(mut self, line_count: usize) -> Built {
        let heads = self.heads;
        for (index, head) in heads.iter().enumerate() {
            match &head.announced {
                Heading::Task(task) => self.task(head, task),
                Heading::BareTask(task) if self.numbers.insert(task.number.key()) => {
                    let number = task.number.clone();
                    self.notes.push(note(head, NoteKind::BareNumber { number }));
                    self.task(head, task);
                }
                Heading::Group(kind, group) => self.group(index, head, *kind, Some(group)),
                _ if self.plain_groups.contains(&index) => self.group(index, head, GroupKind::Heading, None),
                Heading::Step(_) => self.step(index, head),
                Heading::Section(Section::OfThePlan) => self.plan_section(index, head),
                Heading::TaskWithoutNumber => {
                    let heading = head.text.clone();
                    self.notes.push(note(head, NoteKind::NoNumber { heading }));
                    self.other(index, head);
                }
                Heading::BareTask(_) | Heading::TaskWithoutSeparator => {
                    let heading = head.text.clone();
                    self.notes.push(note(head, NoteKind::NoSeparator { heading }));
                    self.other(index, head);
                }
                Heading::SeveralTasks => {
                    let heading = head.text.clone();
                    self.notes.push(note(head, NoteKind::SeveralTasks { heading }));
                    self.other(index, head);
                }
                Heading::Section(_) | Heading::Plain => self.other(index, head),
            }
        }
        self.end_text(line_count);
        self.built
    }

    fn end_text(&mut self, line: usize) {
        if let Some(owner) = self.owner.take() {
            self.built.branches[owner].end = line;
        }
    }

    fn begin(
        &mut self,
        head: &Head,
        group: Option<GroupKind>,
        numbered: Option<&Numbered>,
        parent: Option<usize>,
    ) -> usize {
        self.end_text(head.line);
        let branch = self.built.branches.len();
        self.built.branches.push(Branch {
            group,
            number: numbered.map(|numbered| numbered.number.clone()),
            title: numbered.map_or_else(|| head.text.clone(), |numbered| numbered.title.clone()),
            mark: numbered.and_then(|numbered| numbered.mark.clone()),
            level: head.level,
            parent,
            first: head.line,
            end: head.line,
        });
        self.owner = Some(branch);
        branch
    }

    /// The innermost open task.
    fn open_task(&self) -> Option<Open> {
        let mut open = self.open.iter().rev();
        open.find(|open| matches!(open.what, What::Task { .. })).copied()
    }

    fn task(&mut self, head: &Head, task: &Numbered) {
        while self
            .open
            .last()
            .is_some_and(|open| self.ends_before(open, head.level))
        {
            self.open.pop();
        }
        if let (Some(open), None) = (self.open.last(), self.open_task())
            && let What::Plain(index) = open.what
        {
            self.built.enclosing.insert(index);
        }
        let parent = self.parent_of(head, task);
        let branch = self.begin(head, None, Some(task), parent);
        self.open.push(Open {
            level: head.level,
            what: What::Task {
                branch,
                restarts_numbers: false,
            },
        });
    }

    /// Whether an open heading ends before a task of this level. A task at a phase's own level is inside the phase; a
    /// task at a numbered heading's own level is its sibling.
    fn ends_before(&self, open: &Open, level: u8) -> bool {
        let is_phase = match open.what {
            What::Group { branch, .. } => {
                let group = &self.built.branches[branch];
                group.group != Some(GroupKind::Heading) || group.number.is_none()
            }
            What::Task { .. } | What::Plain(_) => false,
        };
        open.level > level || (open.level == level && !is_phase)
    }

    /// The parent of a task. Closes every open task that cannot contain this task, judging by their numbers.
    fn parent_of(&mut self, head: &Head, task: &Numbered) -> Option<usize> {
        for at in (0..self.open.len()).rev() {
            let (level, what) = (self.open[at].level, self.open[at].what);
            match what {
                What::Plain(_) => {}
                What::Group { branch, beside } => {
                    if level == head.level && !beside {
                        self.open[at].what = What::Group { branch, beside: true };
                        self.notes.push(note(head, NoteKind::GroupBesideTasks));
                    }
                    return Some(branch);
                }
                What::Task {
                    branch,
                    restarts_numbers,
                } => {
                    if self.is_inside(head, task, branch, restarts_numbers) {
                        let by_number = self.is_part_of(task, branch);
                        let restarts_numbers = restarts_numbers || !by_number;
                        self.open[at].what = What::Task {
                            branch,
                            restarts_numbers,
                        };
                        return Some(branch);
                    }
                    self.open.truncate(at);
                }
            }
        }
        None
    }

    fn is_part_of(&self, task: &Numbered, outer: usize) -> bool {
        let outer = self.built.branches[outer].number.as_ref();
        outer.is_some_and(|outer| task.number.is_part_of(outer))
    }

    /// Whether a deeper task is inside an open task. Adds a note if the number alone does not show this.
    fn is_inside(&mut self, head: &Head, task: &Numbered, outer: usize, restarts_numbers: bool) -> bool {
        let Some(number) = self.built.branches[outer].number.clone() else {
            return true;
        };
        let inside = task.number.is_inside(&number, restarts_numbers);
        if !task.number.is_part_of(&number) {
            let kind = NoteKind::DeeperTask {
                number: task.number.clone(),
                outer: number,
                inside,
            };
            self.notes.push(note(head, kind));
        }
        inside
    }

    fn group(&mut self, index: usize, head: &Head, kind: GroupKind, group: Option<&Numbered>) {
        // The phases of a task belong to that task.
        let mut outer = self.open.iter().filter(|open| open.level < head.level);
        if outer.any(|open| matches!(open.what, What::Task { .. })) {
            return self.other(index, head);
        }
        self.close(head.level);
        let parent = self.open.iter().rev().find_map(|open| match open.what {
            What::Group { branch, .. } => Some(branch),
            What::Task { .. } | What::Plain(_) => None,
        });
        let branch = self.begin(head, Some(kind), group, parent);
        self.open.push(Open {
            level: head.level,
            what: What::Group {
                branch,
                beside: false,
            },
        });
    }

    fn step(&mut self, index: usize, head: &Head) {
        let task = self.open_task().filter(|task| task.level == head.level);
        match (task, self.owner) {
            (
                Some(Open {
                    what: What::Task { branch, .. },
                    ..
                }),
                Some(owner),
            ) if branch == owner => {
                self.notes.push(note(head, NoteKind::StepBesideTask));
            }
            _ => self.other(index, head),
        }
    }

    fn plan_section(&mut self, index: usize, head: &Head) {
        let is_task = |open: &Open| matches!(open.what, What::Task { .. });
        if self
            .open
            .iter()
            .any(|open| is_task(open) && open.level < head.level)
        {
            let heading = head.text.clone();
            self.notes.push(note(head, NoteKind::PlanSection { heading }));
        }
        if let Some(outermost) = self.open.iter().position(is_task) {
            self.open.truncate(outermost);
        }
        self.end_text(head.line);
        self.close(head.level);
        self.open.push(Open {
            level: head.level,
            what: What::Plain(index),
        });
    }

    /// Handles a heading that is neither task nor group: the heading stays inside the open task or ends that task.
    fn other(&mut self, index: usize, head: &Head) {
        let inner = self.open_task().is_some_and(|task| task.level < head.level);
        if inner {
            return;
        }
        self.end_text(head.line);
        self.close(head.level);
        if self.open_task().is_some() {
            let heading = head.text.clone();
            self.notes
                .push(note(head, NoteKind::TextAfterInnerTask { heading }));
        }
        self.open.push(Open {
            level: head.level,
            what: What::Plain(index),
        });
    }

    fn close(&mut self, level: u8) {
        while self.open.last().is_some_and(|open| open.level >= level) {
            self.open.pop();
        }
    }
}
