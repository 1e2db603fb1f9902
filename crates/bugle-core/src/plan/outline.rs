//! An index of a plan, so that lookups need not parse the plan: the location of each task's text, its interfaces, and
//! the constraints for all tasks.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Node, Plan};

/// The number of buckets for a plan's groups and tasks.
const BUCKETS: u64 = 64;

/// A plan without its text, which stays in the source. Groups and tasks are stored in buckets: most lookups need a
/// single task, so they read one bucket instead of the whole plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanOutline {
    /// The plan's goal.
    pub goal: Option<String>,
    /// The constraints for all tasks, one line each.
    pub constraints: Vec<String>,
    /// The byte offset of the first group or task.
    pub head: usize,
    /// Groups and tasks as lines of JSON, by bucket number. Empty buckets are omitted.
    #[serde(skip)]
    buckets: BTreeMap<u8, String>,
}

/// A group or task in an outline. Number and title are the first fields because lookups compare the start of the line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineNode {
    number: String,
    title: String,
    /// The hash of the node's text; set only if another node has the same number and title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    /// The line of the node's heading, from 1.
    pub line: usize,
    /// The node's byte range in the source.
    pub range: Range<usize>,
    /// The node's inputs from other tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consumes: Vec<String>,
    /// The node's outputs for other tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub produces: Vec<String>,
    /// The files that the node names, without duplicates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

impl PlanOutline {
    /// Builds the outline of a plan. Calls `hash` only for nodes that share their number and title.
    pub fn of(plan: &Plan, source_length: usize, hash: impl Fn(&str) -> String) -> Self {
        let mut nodes: Vec<OutlineNode> = Vec::new();
        let order = plan.nodes();
        for node in &order {
            nodes.extend(outlined(plan, *node));
        }
        // Only tasks are distinguished by their text. Among equal groups, lookups find the first group.
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

    /// The bucket for a node with this number and title.
    pub fn bucket_of(number: &str, title: &str) -> u8 {
        // Bucket numbers are stored, so this hash must never change between versions or machines.
        let bytes = number.bytes().chain([0]).chain(title.bytes());
        let sum = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        u8::try_from((sum >> 32) % BUCKETS).unwrap_or_default()
    }

    /// The buckets, to store beside the outline.
    pub fn buckets(&self) -> impl Iterator<Item = (u8, &str)> {
        self.buckets
            .iter()
            .map(|(bucket, lines)| (*bucket, lines.as_str()))
    }

    /// Adds a stored bucket.
    pub fn restore_bucket(&mut self, bucket: u8, lines: String) {
        self.buckets.insert(bucket, lines);
    }

    /// Finds the group or task with this number and title. If several match, the text's hash decides.
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

/// A node as one line of JSON.
fn line_of(node: &OutlineNode) -> Option<String> {
    serde_json::to_string(node).ok().map(|line| format!("{line}\n"))
}

/// The start of the line for a node with this number and title.
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
