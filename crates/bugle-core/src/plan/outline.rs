//! An index of a plan, so that a lookup does not parse the plan again: the location of each task's text, its
//! interfaces, and the constraints for all tasks.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Node, Plan};

/// The number of buckets for the groups and tasks of a plan.
const BUCKETS: u64 = 64;

/// A plan without its text, which stays in the source. Its groups and tasks are stored in separate buckets, because
/// most lookups need one task of a thousand, and therefore one bucket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanOutline {
    /// The plan's goal.
    pub goal: Option<String>,
    /// The constraints for all tasks, one line each.
    pub constraints: Vec<String>,
    /// The offset of its first group or task.
    pub head: usize,
    /// Its groups and tasks, one line of JSON each, by bucket number. Empty buckets are omitted.
    #[serde(skip)]
    buckets: BTreeMap<u8, String>,
}

/// A group or task in an outline. Number and title come first, because lookups compare the start of its line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineNode {
    number: String,
    title: String,
    /// The hash of its text; only if another one has the same number and title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    /// The line of its heading, from 1.
    pub line: usize,
    /// Its bytes in the source.
    pub range: Range<usize>,
    /// What it consumes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consumes: Vec<String>,
    /// What it produces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub produces: Vec<String>,
    /// The files that it names, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

impl PlanOutline {
    /// The outline of a plan. `hash` is called only for nodes that cannot be distinguished otherwise.
    pub fn of(plan: &Plan, source_length: usize, hash: impl Fn(&str) -> String) -> Self {
        let mut nodes: Vec<OutlineNode> = Vec::new();
        let order = plan.nodes();
        for node in &order {
            nodes.extend(outlined(plan, *node));
        }
        // A group's text does not identify it; the first one is used.
        let mut seen = BTreeMap::new();
        for (index, outlined) in nodes.iter().enumerate() {
            let name = (outlined.number.clone(), outlined.title.clone());
            seen.entry(name).or_insert_with(Vec::new).push(index);
        }
        for index in seen.into_values().filter(|same| same.len() > 1).flatten() {
            if let Some(Node::Task(task)) = order.get(index) {
                nodes[index].content_hash = plan.tasks.get(*task).map(|task| hash(&task.content));
            }
        }
        Self {
            goal: plan.preamble.goal.clone(),
            constraints: plan
                .constraints
                .iter()
                .flat_map(|section| section.items.clone())
                .collect(),
            head: nodes.first().map_or(source_length, |first| first.range.start),
            buckets: in_drawers(&nodes),
        }
    }

    /// The bucket of the node with this number and title, if it exists.
    pub fn bucket_of(number: &str, title: &str) -> u8 {
        // Bucket numbers are stored, so the sum must be the same in every version and on every machine.
        let bytes = number.bytes().chain([0]).chain(title.bytes());
        let sum = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        u8::try_from((sum >> 32) % BUCKETS).unwrap_or_default()
    }

    /// The buckets, to be stored beside the outline.
    pub fn buckets(&self) -> impl Iterator<Item = (u8, &str)> {
        self.buckets
            .iter()
            .map(|(bucket, lines)| (*bucket, lines.as_str()))
    }

    /// Restores a stored bucket.
    pub fn restore_bucket(&mut self, bucket: u8, lines: String) {
        self.buckets.insert(bucket, lines);
    }

    /// The group or task with this number and title. If there are several, the text decides.
    pub fn find(&self, number: &str, title: &str, content_hash: &str) -> Option<OutlineNode> {
        let begins = beginning(number, title)?;
        let mut called: Vec<OutlineNode> = self
            .buckets
            .get(&Self::bucket_of(number, title))?
            .lines()
            .filter(|line| line.starts_with(&begins))
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        let same_text =
            |node: &OutlineNode| node.content_hash.as_ref().is_none_or(|hash| hash == content_hash);
        let at = called.iter().position(same_text).unwrap_or_default();
        (at < called.len()).then(|| called.swap_remove(at))
    }
}

fn in_drawers(nodes: &[OutlineNode]) -> BTreeMap<u8, String> {
    let mut buckets: BTreeMap<u8, String> = BTreeMap::new();
    for node in nodes {
        if let Some(line) = line_of(node) {
            let bucket = PlanOutline::bucket_of(&node.number, &node.title);
            buckets.entry(bucket).or_default().push_str(&line);
        }
    }
    buckets
}

/// A line of JSON, which contains no line breaks.
fn line_of(node: &OutlineNode) -> Option<String> {
    serde_json::to_string(node).ok().map(|line| format!("{line}\n"))
}

/// The start of the line of a node with this number and title.
fn beginning(number: &str, title: &str) -> Option<String> {
    let number = serde_json::to_string(number).ok()?;
    let title = serde_json::to_string(title).ok()?;
    Some(format!("{{\"number\":{number},\"title\":{title},"))
}

fn outlined(plan: &Plan, node: Node) -> Option<OutlineNode> {
    let extent = plan.extent(node)?;
    let (number, title, task) = match node {
        Node::Group(index) => {
            let group = plan.groups.get(index)?;
            (group.called(), &group.title, None)
        }
        Node::Task(index) => {
            let task = plan.tasks.get(index)?;
            (task.number.as_str().to_owned(), &task.title, Some(task))
        }
    };
    let interfaces = task.map(|task| &task.interfaces);
    let mut files: Vec<String> = Vec::new();
    for change in task.iter().flat_map(|task| &task.files) {
        if !files.contains(&change.path) {
            files.push(change.path.clone());
        }
    }
    Some(OutlineNode {
        number,
        title: title.clone(),
        content_hash: None,
        line: extent.line,
        range: extent.range.clone(),
        consumes: interfaces.map(|both| both.consumes.clone()).unwrap_or_default(),
        produces: interfaces.map(|both| both.produces.clone()).unwrap_or_default(),
        files,
    })
}
