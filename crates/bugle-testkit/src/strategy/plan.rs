//! The plan of a random workflow. It consists of nested blocks, so that every workflow is valid and shrinks well.

use bugle_core::role::AgentRole;
use bugle_core::shape::{Presence, Shape};
use bugle_core::tool::ToolPolicy;
use bugle_core::workflow::{AtLimit, Evidence};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::MAX_STEPS;
use super::shape::{presence, sound_shape, words};

/// A whole workflow.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) params: Vec<ParamPlan>,
    pub(super) body: Block,
}

/// A param.
#[derive(Debug, Clone)]
pub(super) struct ParamPlan {
    pub(super) shape: Shape,
    pub(super) given: Given,
}

/// Whether a param is required.
#[derive(Debug, Clone, Copy)]
pub(super) enum Given {
    Always,
    ByDefault,
    Perhaps,
}

/// A part of a workflow with one entry and one exit.
#[derive(Debug, Clone)]
pub(super) enum Block {
    /// One step.
    Step(StepPlan),
    /// Blocks in sequence.
    Sequence(Vec<Block>),
    /// Two branches that join, or a single branch with a bypass.
    Branch {
        at: StepPlan,
        when: GuardPlan,
        main: Box<Block>,
        other: Option<Box<Block>>,
        by_default: bool,
    },
    /// A body and a last step that leads back to the start of the body, or to itself if there is no body.
    Loop {
        body: Option<Box<Block>>,
        last: StepPlan,
        until: GuardPlan,
        limit: u32,
        at_limit: AtLimit,
    },
    /// Work, and a review that sends the work back.
    Gate {
        work: Box<Block>,
        review: StepPlan,
        limit: u32,
    },
}

impl Block {
    /// The number of steps.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Step(_) => 1,
            Self::Sequence(blocks) => blocks.iter().map(Self::len).sum(),
            Self::Branch { main, other, .. } => {
                1 + main.len() + other.as_ref().map_or(0, |other| other.len())
            }
            Self::Loop { body, .. } => 1 + body.as_ref().map_or(0, |body| body.len()),
            Self::Gate { work, .. } => 1 + work.len(),
        }
    }
}

/// A step. Parts that are invalid at its position are dropped.
#[derive(Debug, Clone)]
pub(super) struct StepPlan {
    /// The choices of the step's question, if it asks one.
    pub(super) ask: Option<Vec<String>>,
    /// The fields of the step's result.
    pub(super) fields: Vec<(Shape, Presence)>,
    /// A later step to go to on failure.
    pub(super) on_error: Option<Index>,
    /// A later step to skip to.
    pub(super) jump: Option<(GuardPlan, Index)>,
    /// Whether a single transition is written as `default`.
    pub(super) by_default: bool,
    /// The parts that do not affect the graph.
    pub(super) trimmings: Trimmings,
}

/// Parts of a step that do not affect the graph.
#[derive(Debug, Clone)]
pub(super) struct Trimmings {
    pub(super) role: AgentRole,
    pub(super) phase: Option<&'static str>,
    pub(super) tools: ToolPolicy,
    pub(super) expect: Vec<Evidence>,
    pub(super) dispatched: bool,
}

/// A guard: one or two clauses.
#[derive(Debug, Clone)]
pub(super) struct GuardPlan {
    pub(super) first: Clause,
    /// A second clause, and whether both must be true.
    pub(super) second: Option<(bool, Clause)>,
}

/// One condition on one value.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    pub(super) value: Index,
    pub(super) condition: Index,
    pub(super) negated: bool,
}

pub(super) fn plan() -> impl Strategy<Value = Plan> {
    let body = vec(block(), 1..=4).prop_map(Block::Sequence);
    let body = body.prop_filter("at most MAX_STEPS steps", |body| body.len() <= MAX_STEPS);
    (vec(param(), 0..=3), body).prop_map(|(params, body)| Plan { params, body })
}

fn param() -> impl Strategy<Value = ParamPlan> {
    let given = select(&[Given::Always, Given::ByDefault, Given::Perhaps][..]);
    (sound_shape(), given).prop_map(|(shape, given)| ParamPlan { shape, given })
}

fn block() -> impl Strategy<Value = Block> {
    let leaf = step().prop_map(Block::Step);
    leaf.prop_recursive(3, 8, 3, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        prop_oneof![
            2 => vec(inner, 1..=3).prop_map(Block::Sequence),
            3 => (step(), guard(), boxed.clone(), option::of(boxed.clone()), any::<bool>()).prop_map(
                |(at, when, main, other, by_default)| Block::Branch { at, when, main, other, by_default }
            ),
            3 => (option::of(boxed.clone()), step(), guard(), 2..=3_u32, at_limit()).prop_map(
                |(body, last, until, limit, at_limit)| Block::Loop { body, last, until, limit, at_limit }
            ),
            1 => (boxed, step(), 1..=3_u32).prop_map(
                |(work, review, limit)| Block::Gate { work, review, limit }
            ),
        ]
    })
}

fn at_limit() -> impl Strategy<Value = AtLimit> {
    select(&[AtLimit::Ok, AtLimit::Fail][..])
}

fn guard() -> impl Strategy<Value = GuardPlan> {
    let second = option::weighted(0.3, (any::<bool>(), clause()));
    (clause(), second).prop_map(|(first, second)| GuardPlan { first, second })
}

fn clause() -> impl Strategy<Value = Clause> {
    (any::<Index>(), any::<Index>(), any::<bool>()).prop_map(|(value, condition, negated)| Clause {
        value,
        condition,
        negated,
    })
}

fn step() -> impl Strategy<Value = StepPlan> {
    let choices = prop_oneof![Just(Vec::new()), (2..=4_usize).prop_map(words)];
    (
        option::weighted(0.15, choices),
        vec((sound_shape(), presence()), 0..=2),
        option::weighted(0.2, any::<Index>()),
        option::weighted(0.15, (guard(), any::<Index>())),
        prop::bool::weighted(0.1),
        trimmings(),
    )
        .prop_map(|(ask, fields, on_error, jump, by_default, trimmings)| StepPlan {
            ask,
            fields,
            on_error,
            jump,
            by_default,
            trimmings,
        })
}

fn trimmings() -> impl Strategy<Value = Trimmings> {
    let tools = |list: &[&str]| list.iter().map(|tool| (*tool).to_owned()).collect::<Vec<_>>();
    let policies = vec![
        ToolPolicy::Unrestricted,
        ToolPolicy::Deny(tools(&["Edit", "Write"])),
        ToolPolicy::Allow(tools(&["Read", "mcp__files__list"])),
    ];
    let evidence = vec![
        Evidence::Artifact {
            pattern: "docs/plans/*.md".to_owned(),
            existing: false,
        },
        Evidence::Command {
            line: "make check".to_owned(),
            timeout_seconds: 300,
        },
    ];
    (
        select(AgentRole::ALL.to_vec()),
        option::of(select(&["search", "judgement"][..])),
        select(policies),
        vec(select(evidence), 0..=1),
        prop::bool::weighted(0.1),
    )
        .prop_map(|(role, phase, tools, expect, dispatched)| Trimmings {
            role,
            phase,
            tools,
            expect,
            dispatched,
        })
}
