//! A gate's verdict. Bugle, not the agent, computes it from the findings.

use std::fmt;

use super::element::Element;

/// Whether the work passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateStatus {
    /// No finding blocks.
    Pass,
    /// A finding blocks.
    Fail,
}

impl fmt::Display for GateStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
        })
    }
}

/// `<gate_result>`: the verdict.
///
/// An agent that has to infer the verdict from the report argues with the verdict. So the verdict is an attribute, with
/// one sentence of text.
pub fn gate_result(status: GateStatus, message: &str) -> Element {
    Element::with_text("gate_result", message).attribute("status", status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gate_result_states_the_verdict() {
        let results = [
            gate_result(GateStatus::Pass, "Completeness: passed."),
            gate_result(GateStatus::Fail, "Completeness: 2 findings block."),
        ];
        insta::assert_snapshot!(results.map(|element| element.render()).join("\n"));
    }
}
