//! Plans: Markdown files with numbered tasks, in the many forms that people and agents write.
//!
//! Parsing never fails: any text gives a plan. Notes with line numbers explain how ambiguous text was read, and list
//! the text that could not be read. Parsing takes linear time: [`lines`] and [`fences`] separate text from code,
//! [`heading`] and [`outline`] find the tree, and the rest reads the content of each task.

mod blocks;
mod content;
mod dependencies;
mod fences;
mod files;
mod forms;
mod groups;
mod heading;
mod interfaces;
mod lines;
mod mark;
mod near_misses;
mod numbering;
mod outline;
mod preamble;
mod references;
mod step_words;
mod steps;
mod tasks;
mod text;
mod tree;
mod turns;

use bugle_core::plan::{Node, NoteKind, Plan, PlanNote};

use tasks::File;

/// Parses a plan.
pub fn parse_plan(source: &str) -> Plan {
    let mut notes = Vec::new();
    let lines = lines::lines(source);
    let kinds = fences::choose(&lines, &mut notes).kinds;
    let (title, heads) = outline::heads(&lines, &kinds);
    let branches = outline::branches(&heads, lines.len(), &mut notes);
    numbering::check(&branches, &mut notes);
    near_misses::check(&lines, &kinds, &branches, &mut notes);
    near_misses::steps_outside(&lines, &kinds, &branches, &mut notes);

    let first_branch = branches.first().map_or(lines.len(), |branch| branch.first);
    let owned: Vec<(usize, usize)> = branches.iter().map(|branch| (branch.first, branch.end)).collect();
    let mut plan = Plan {
        title: title.or_else(|| preamble::underlined_title(&lines, &kinds, first_branch)),
        preamble: preamble::preamble(&lines, &kinds, &heads, first_branch),
        constraints: preamble::constraints(&lines, &kinds, &heads, &owned, first_branch),
        ..Plan::default()
    };
    let file = File {
        lines: &lines,
        kinds: &kinds,
    };
    file.read_branches(&branches, &mut plan, &mut notes);
    if plan.tasks.is_empty() {
        notes.push(PlanNote {
            line: 1,
            kind: NoteKind::NoTasks,
        });
    }
    notes.sort_by_key(|note| note.line);
    plan.notes = notes;
    plan
}

/// The text of a group or task, exactly as in the plan's file.
pub fn plan_section<'a>(source: &'a str, plan: &Plan, node: Node) -> Option<&'a str> {
    source.get(plan.extent(node)?.range.clone())
}
