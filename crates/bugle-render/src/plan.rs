//! Plans as canonical Markdown, and notes on how a plan was read.
//!
//! The canonical form contains the plan's model and no prose. Parsing it gives the same plan.

use bugle_core::plan::{
    Dependency, FenceReading, FileAction, FileChange, Group, LineRange, Node, NoteKind, Plan, PlanNote,
    PlanStep, PlanTask, StatusMark,
};

/// A plan in canonical Markdown. Headings keep their levels, because nesting depends on them.
pub fn markdown(plan: &Plan) -> String {
    let mut parts = Vec::new();
    parts.extend(plan.title.as_ref().map(|title| format!("# {title}")));
    if !plan.preamble.skills.is_empty() {
        parts.push(format!("> **Skills:** {}", skill_names(&plan.preamble.skills)));
    }
    let facts = [
        ("Goal", &plan.preamble.goal),
        ("Architecture", &plan.preamble.architecture),
        ("Tech Stack", &plan.preamble.tech_stack),
    ];
    for (name, fact) in facts {
        parts.extend(fact.as_ref().map(|fact| format!("**{name}:** {fact}")));
    }
    let constraints: Vec<String> = plan
        .constraints
        .iter()
        .flat_map(|section| &section.items)
        .map(|item| format!("- {}", escaped(item)))
        .collect();
    if !constraints.is_empty() {
        parts.push("## Global Constraints".to_owned());
        parts.push(constraints.join("\n"));
    }
    let mut open: Vec<Open> = Vec::new();
    for node in plan.nodes() {
        let level = level(plan, node);
        parts.extend(separation(plan, node, level, &mut open));
        match node {
            Node::Group(index) => parts.extend(plan.groups.get(index).map(group)),
            Node::Task(index) => parts.extend(plan.tasks.get(index).map(task)),
        }
        open.push(Open {
            node,
            level,
            restarts_numbers: false,
        });
    }
    let mut text = parts.join("\n\n");
    text.push('\n');
    text
}

/// Skill names in a form that the parser recognises. A name without a plugin needs the word `skill`.
fn skill_names(skills: &[String]) -> String {
    let named = skills.iter().map(|skill| {
        if skill.contains(':') {
            skill.clone()
        } else {
            format!("the `{skill}` skill")
        }
    });
    named.collect::<Vec<_>>().join(", ")
}

fn level(plan: &Plan, node: Node) -> u8 {
    let level = match node {
        Node::Group(index) => plan.groups.get(index).map(|group| group.level),
        Node::Task(index) => plan.tasks.get(index).map(|task| task.level),
    };
    level.unwrap_or(2)
}

/// An open node, its heading level, and whether its tasks are numbered from 1.
struct Open {
    node: Node,
    level: u8,
    restarts_numbers: bool,
}

/// A heading that closes all open nodes except the ancestors of `node`; `None` if no other node is open.
fn separation(plan: &Plan, node: Node, level: u8, open: &mut Vec<Open>) -> Option<String> {
    let mut ancestors = Vec::new();
    let mut above = plan.parent(node);
    while let Some(ancestor) = above {
        ancestors.push(ancestor);
        above = plan.parent(ancestor);
    }
    end_naturally(plan, node, level, open);
    let (own, foreign): (Vec<Open>, Vec<Open>) =
        open.drain(..).partition(|entry| ancestors.contains(&entry.node));
    *open = own;
    let highest = foreign.iter().map(|entry| entry.level).min()?;
    // A plain heading of this level would also close an enclosing group. A section about the whole plan closes only
    // tasks.
    if open.iter().any(|entry| entry.level >= highest) {
        Some(format!("{} Self-Review", hashes(level)))
    } else if highest == 1 {
        // A level-1 heading with text would become the plan's title.
        Some(hashes(highest))
    } else {
        Some(format!("{} Tasks", hashes(highest)))
    }
}

/// Removes the open nodes that the node's own heading closes.
fn end_naturally(plan: &Plan, node: Node, level: u8, open: &mut Vec<Open>) {
    while let Some(top) = open.last_mut() {
        let ends = match (node, top.node) {
            (Node::Group(_), _) => top.level >= level,
            (Node::Task(_), Node::Group(_)) => top.level > level,
            (Node::Task(_), Node::Task(_)) if top.level >= level => true,
            (Node::Task(inner), Node::Task(outer)) => {
                let numbers = plan.tasks.get(inner).zip(plan.tasks.get(outer));
                numbers.is_some_and(|(inner, outer)| {
                    let inside = inner.number.is_inside(&outer.number, top.restarts_numbers);
                    top.restarts_numbers |= inside && !inner.number.is_part_of(&outer.number);
                    !inside
                })
            }
        };
        if !ends {
            break;
        }
        open.pop();
    }
}

fn hashes(level: u8) -> String {
    "#".repeat(usize::from(level))
}

fn heading(level: u8, mark: Option<&StatusMark>, words: &str, title: &str) -> String {
    let mark = mark.map(|mark| format!("{} ", mark.written)).unwrap_or_default();
    let separator = if title.is_empty() || words.is_empty() {
        ""
    } else {
        ": "
    };
    format!("{} {mark}{words}{separator}{title}", hashes(level))
}

fn group(group: &Group) -> String {
    let number = group
        .number
        .as_ref()
        .map(|number| format!("{} {number}", group.kind.word()));
    let heading = heading(
        group.level,
        group.mark.as_ref(),
        &number.unwrap_or_default(),
        &group.title,
    );
    with_dependencies(heading, &group.dependencies)
}

fn with_dependencies(mut text: String, dependencies: &[Dependency]) -> String {
    if !dependencies.is_empty() {
        let names: Vec<&str> = dependencies
            .iter()
            .map(|dependency| dependency.written.as_str())
            .collect();
        text.push_str(&format!("\n\n**Depends on:** {}", names.join(", ")));
    }
    text
}

fn task(task: &PlanTask) -> String {
    let number = format!("Task {}", task.number);
    let mut text = heading(task.level, task.mark.as_ref(), &number, &task.title);
    if task.title.is_empty() {
        text.push(':');
    }
    text = with_dependencies(text, &task.dependencies);
    if !task.files.is_empty() {
        text.push_str("\n\n**Files:**");
        text.extend(task.files.iter().map(|change| format!("\n- {}", file(change))));
    }
    let interfaces = &task.interfaces;
    if !interfaces.consumes.is_empty() || !interfaces.produces.is_empty() {
        text.push_str("\n\n**Interfaces:**");
        text.extend(
            interfaces
                .consumes
                .iter()
                .map(|entry| format!("\n- Consumes: {entry}")),
        );
        text.extend(
            interfaces
                .produces
                .iter()
                .map(|entry| format!("\n- Produces: {entry}")),
        );
    }
    if !task.steps.is_empty() {
        text.push_str("\n\n**Steps:**");
        text.extend(task.steps.iter().map(|found| format!("\n\n{}", step(found))));
    }
    text
}

/// A file and the change to it: ``Modify: `src/lib.rs:12-34` — the parser``.
pub fn file(change: &FileChange) -> String {
    let word = match &change.action {
        FileAction::Create => "Create: ",
        FileAction::Modify => "Modify: ",
        FileAction::Test => "Test: ",
        FileAction::Delete => "Delete: ",
        FileAction::Rename { .. } => "Rename: ",
        FileAction::Read => "Read: ",
        FileAction::Unstated => "",
    };
    let lines: Vec<String> = change.lines.iter().copied().map(line_range).collect();
    let lines = if lines.is_empty() {
        String::new()
    } else {
        format!(":{}", lines.join(","))
    };
    let mut text = format!("{word}`{}{lines}`", change.path);
    if let FileAction::Rename { to: Some(to) } = &change.action {
        text.push_str(&format!(" → `{to}`"));
    }
    if !change.remark.is_empty() {
        text.push_str(&format!(" — {}", change.remark));
    }
    text
}

fn line_range(range: LineRange) -> String {
    if range.first == range.last {
        range.first.to_string()
    } else {
        format!("{}-{}", range.first, range.last)
    }
}

fn step(step: &PlanStep) -> String {
    let words = match &step.number {
        Some(number) => format!("**Step {number}:** {}", step.title),
        None => escaped(&step.title),
    };
    match (step.checked, &step.number) {
        (Some(true), _) => format!("- [x] {words}"),
        (Some(false), _) => format!("- [ ] {words}"),
        (None, Some(_)) => words,
        (None, None) => format!("- {words}"),
    }
}

/// The text of a list item, escaped if it would start with markup.
fn escaped(text: &str) -> String {
    let signs = ['\\', '#', '>', '[', '-', '+', '~'];
    let words = ["```", "<!--"];
    let is_markup = text.starts_with(signs) || words.iter().any(|word| text.starts_with(word));
    if is_markup {
        format!("\\{text}")
    } else {
        text.to_owned()
    }
}

/// A note as one sentence, with its line number.
pub fn note(note: &PlanNote) -> String {
    format!("line {}: {}", note.line, sentence(&note.kind))
}

fn sentence(kind: &NoteKind) -> String {
    match kind {
        NoteKind::NoTasks => {
            "the file has no tasks; a task is a heading such as `### Task 1: Add the parser`".to_owned()
        }
        NoteKind::Fences { reading, whole } => fences(*reading, *whole),
        NoteKind::UnclosedFence => "this code block is never closed".to_owned(),
        NoteKind::UnclosedComment => "this comment is never closed and was read as text".to_owned(),
        NoteKind::DuplicateNumber { number, first_line } => {
            format!("Task {number} also appears on line {first_line}; both tasks were read")
        }
        NoteKind::NumberGap { after, found } => {
            format!("Task {found} follows Task {after}; the numbers between them are missing")
        }
        NoteKind::NoSeparator { heading } => format!(
            "`{heading}` was not read as a task: put a colon, a dash or a full stop after the number"
        ),
        NoteKind::NoNumber { heading } => format!("`{heading}` was not read as a task: it has no number"),
        NoteKind::SeveralTasks { heading } => {
            format!("`{heading}` was not read as a task: a task heading begins with `Task` and one number")
        }
        NoteKind::BareNumber { number } => {
            format!("`Task {number}` was read as a task without a title, because no other task has this number")
        }
        NoteKind::NoTitle { number } => format!("Task {number} has no title"),
        NoteKind::NumberSpan { number } => format!("`Task {number}` was read as a single task, not as a range"),
        NoteKind::NotAHeading { text } => format!("`{text}` was not read as a task: it is not a heading"),
        NoteKind::GroupBesideTasks => {
            "the tasks from this line on were read as part of the group above, although all headings have the same level"
                .to_owned()
        }
        NoteKind::GroupWithoutTasks { heading } => format!("`{heading}` has no tasks and was ignored"),
        NoteKind::PlainHeading { heading, group: true } => {
            format!("`{heading}` was read as a group, because this heading and its siblings have tasks below them")
        }
        NoteKind::PlainHeading { heading, group: false } => {
            format!("`{heading}` was not read as a group, even though there are tasks below this heading")
        }
        NoteKind::PartBesideWhole { number, whole } => format!(
            "Task {number} was read as a sibling of Task {whole}, not as its subtask: their headings have the same level"
        ),
        NoteKind::DeeperTask { number, outer, inside } => {
            let place = if *inside { "a subtask of" } else { "a sibling of" };
            format!("Task {number} was read as {place} Task {outer}: the heading is deeper, but the number does not match")
        }
        NoteKind::StepBesideTask => {
            "this heading was read as a step of the task above, even though both headings have the same level".to_owned()
        }
        NoteKind::PlanSection { heading } => {
            format!("`{heading}` was read as a section of the plan, not of the task above")
        }
        NoteKind::TextAfterInnerTask { heading } => {
            format!("`{heading}` follows a nested task and was not read as part of any task")
        }
        NoteKind::BoxesNotSteps { count: 1 } => "this checkbox was not read as a step".to_owned(),
        NoteKind::BoxesNotSteps { count } => format!("{count} checkboxes from this line on were not read as steps"),
        NoteKind::StepsOutside { count: 1 } => "this step is outside every task and was ignored".to_owned(),
        NoteKind::StepsOutside { count } => {
            format!("{count} steps from this line on are outside every task and were ignored")
        }
        NoteKind::FileUnread { text } => format!("`{text}` does not name a file"),
        NoteKind::FilesInCode => "the list of files is in a code block, which was not read".to_owned(),
        NoteKind::InterfaceUnread { text } => format!("`{text}` begins with neither `Consumes:` nor `Produces:`"),
        NoteKind::DependencyUnread { text } => format!("`{text}` does not name a task"),
        NoteKind::DependencyUnknown { written } => format!("this task depends on {written}, which does not exist"),
        NoteKind::DependencyOnItself { written } => format!("{written} cannot depend on itself; the dependency was ignored"),
        NoteKind::DependencyInSentence { text } => {
            format!("`{text}` was not read as a dependency, because the sentence may be about another task")
        }
    }
}

fn fences(reading: FenceReading, whole: bool) -> String {
    let way = match reading {
        FenceReading::Paired => "each fence closes the previous fence",
        FenceReading::Nested => "a fence with a language opens a nested block",
        FenceReading::Toggled => "fences alternately open and close blocks",
        FenceReading::Resumed => "an unclosed block ends at the next task",
    };
    let reason = if whole {
        "which makes the task numbers consecutive"
    } else {
        "but no interpretation makes the task numbers consecutive"
    };
    format!("the code blocks are ambiguous; they were read so that {way}, {reason}")
}
