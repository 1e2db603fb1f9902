//! The faults that can be inserted into a valid workflow: at least one for each rule that can be broken on its own.

mod contents;
mod dispatches;
mod graph;

use bugle_core::validate::Rule;

use super::site::{Fault, Site};

/// Rules that may also break when a transition is removed, because later steps become unreachable.
const CUT_OFF: &[Rule] = &[
    // A cycle may lose a limit that it shared with another cycle.
    Rule::UnboundedCycle,
    Rule::UnreachableStep,
    Rule::EndUnreachable,
    Rule::ResultUnavailable,
    Rule::GateNeverReturns,
];

/// Rules that may also break with a duplicate id: nothing leads to the second step, and the steps' results may differ.
const AMBIGUOUS: &[Rule] = &[
    Rule::UnreachableStep,
    Rule::GateNeverReturns,
    Rule::IllTypedExpression,
];

pub(super) const FAULTS: &[Fault] = &[
    fault(Rule::UnknownTarget, CUT_OFF, graph::unknown_target),
    fault(Rule::DuplicateStep, AMBIGUOUS, graph::duplicate_step),
    fault(Rule::UnreachableStep, &[], graph::unreachable_step),
    // A step without a path to the end is always in an endless cycle.
    fault(
        Rule::EndUnreachable,
        &[Rule::UnboundedCycle],
        graph::end_unreachable,
    ),
    fault(Rule::NoWayOut, CUT_OFF, graph::no_way_out),
    fault(Rule::UnmappedOutcome, &[], graph::unmapped_outcome),
    fault(Rule::DeadOutcome, &[], graph::dead_outcome),
    fault(Rule::UnboundedCycle, &[], graph::unbounded_cycle),
    fault(Rule::BadLimit, &[], graph::bad_limit),
    fault(Rule::GateNeverReturns, &[], graph::gate_never_returns),
    fault(Rule::ConflictingParts, &[], contents::conflicting_parts),
    fault(Rule::IllTypedParam, &[], contents::ill_typed_param),
    fault(Rule::IllTypedResult, &[], contents::ill_typed_result),
    fault(Rule::IllTypedExpression, &[], contents::ill_typed_expression),
    fault(Rule::UndeclaredParam, &[], contents::undeclared_param),
    fault(Rule::ResultUnavailable, &[], contents::result_unavailable),
    fault(Rule::MissingPrompt, &[], contents::missing_prompt),
    fault(Rule::MissingResource, &[], contents::missing_resource),
    fault(Rule::MissingConvention, &[], contents::missing_convention),
    fault(Rule::UnknownTool, &[], contents::unknown_tool),
    fault(Rule::BadEvidence, &[], contents::bad_evidence),
    fault(Rule::StepCountInText, &[], contents::step_count_in_text),
    fault(Rule::DispatchMissing, &[], dispatches::dispatch_missing),
    fault(Rule::DispatchMisfit, &[], dispatches::dispatch_misfit),
    fault(Rule::DispatchRecursion, &[], dispatches::dispatch_recursion),
    fault(Rule::DispatchTooDeep, &[], dispatches::dispatch_too_deep),
    fault(
        Rule::ReviewWithoutFindings,
        &[],
        dispatches::review_without_findings,
    ),
    fault(Rule::EntryMissing, &[], graph::entry_missing),
];

const fn fault(rule: Rule, along: &'static [Rule], commit: fn(&mut Site)) -> Fault {
    Fault { rule, along, commit }
}
