//! A plan as a readable outline, for golden files.

use std::fmt::Write as _;

use bugle_core::plan::{Dependency, Group, Node, Plan, PlanTask, StatusMark};

/// The parsed plan, with locations.
pub(crate) fn outline(source: &str, plan: &Plan) -> String {
    let mut text = contents(plan, Some(source));
    for note in &plan.notes {
        let sign = if note.kind.is_unread() { '!' } else { '?' };
        let _ = writeln!(text, "{sign} {}", bugle_render::plan::note(note));
    }
    text
}

/// The parsed plan, without locations.
pub(crate) fn contents(plan: &Plan, source: Option<&str>) -> String {
    let mut text = String::new();
    let mut fact = |name: &str, value: &Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(text, "{name}: {value}");
        }
    };
    fact("title", &plan.title);
    fact("goal", &plan.preamble.goal);
    fact("architecture", &plan.preamble.architecture);
    fact("tech stack", &plan.preamble.tech_stack);
    for skill in &plan.preamble.skills {
        let _ = writeln!(text, "skill: {skill}");
    }
    for item in plan.constraints.iter().flat_map(|section| &section.items) {
        let _ = writeln!(text, "constraint: {item}");
    }
    for node in plan.nodes() {
        let mut depth = 0;
        let mut above = plan.parent(node);
        while let Some(ancestor) = above {
            depth += 1;
            above = plan.parent(ancestor);
        }
        let mut lines = match node {
            Node::Group(index) => group(&plan.groups[index]),
            Node::Task(index) => task(&plan.tasks[index]),
        };
        if let (Some(source), Some(extent)) = (source, plan.extent(node)) {
            let section = bugle_skill::plan_section(source, plan, node).unwrap();
            let last = section.lines().last().unwrap_or_default();
            let count = section.lines().count();
            lines[0].push_str(&format!("  [line {}, {count} lines, ends `{last}`]", extent.line));
        }
        for line in lines {
            let _ = writeln!(text, "{}{line}", "    ".repeat(depth));
        }
    }
    text
}

fn mark(mark: Option<&StatusMark>) -> String {
    mark.map(|mark| format!("{} ({:?}) ", mark.written, mark.meaning))
        .unwrap_or_default()
}

fn group(group: &Group) -> Vec<String> {
    let number = group.number.as_ref().map(ToString::to_string).unwrap_or_default();
    let mut lines = vec![format!(
        "{}{:?} {number} | {}",
        mark(group.mark.as_ref()),
        group.kind,
        group.title
    )];
    lines.extend(group.dependencies.iter().map(dependency));
    lines
}

fn dependency(dependency: &Dependency) -> String {
    let unknown = if dependency.target.is_some() {
        ""
    } else {
        " (unknown)"
    };
    format!("  after {}{unknown}", dependency.written)
}

fn task(task: &PlanTask) -> Vec<String> {
    let mut lines = vec![format!(
        "{}Task {} | {}",
        mark(task.mark.as_ref()),
        task.number,
        task.title
    )];
    lines.extend(task.dependencies.iter().map(dependency));
    lines.extend(
        task.files
            .iter()
            .map(|change| format!("  file {}", bugle_render::plan::file(change))),
    );
    lines.extend(
        task.interfaces
            .consumes
            .iter()
            .map(|entry| format!("  < {entry}")),
    );
    lines.extend(
        task.interfaces
            .produces
            .iter()
            .map(|entry| format!("  > {entry}")),
    );
    for step in &task.steps {
        let number = step.number.as_ref().map_or("-", |number| number.as_str());
        let ticked = match step.checked {
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
            None => "",
        };
        lines.push(format!("  {number} {ticked}{}", step.title));
    }
    lines
}
