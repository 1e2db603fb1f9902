//! The binary operators and their precedence.

use super::syntax::{Arithmetic, Comparison, Connective, Node, NodeKind};
use super::token::TokenKind;

/// A binary operator.
#[derive(Debug, Clone, Copy)]
pub(super) enum Infix {
    Logic(Connective),
    Compare(Comparison),
    In,
    Arithmetic(Arithmetic),
}

impl Infix {
    pub(super) fn of(token: &TokenKind) -> Option<Self> {
        match token {
            TokenKind::Word(word) if word == "in" => Some(Self::In),
            TokenKind::Symbol(symbol) => {
                let text = symbol.as_str();
                Connective::from_word(text)
                    .map(Self::Logic)
                    .or_else(|| Comparison::from_word(text).map(Self::Compare))
                    .or_else(|| Arithmetic::from_word(text).map(Self::Arithmetic))
            }
            _ => None,
        }
    }

    /// The precedence. All operators are left-associative.
    pub(super) fn power(self) -> u8 {
        match self {
            Self::Logic(Connective::Or) => 1,
            Self::Logic(Connective::And) => 2,
            Self::Compare(_) | Self::In => 3,
            Self::Arithmetic(Arithmetic::Add | Arithmetic::Subtract) => 4,
            Self::Arithmetic(_) => 5,
        }
    }

    pub(super) fn join(self, left: Node, right: Node) -> NodeKind {
        match self {
            Self::Logic(connective) => NodeKind::Logic(connective, flat(connective, left, right)),
            Self::Compare(comparison) => NodeKind::Compare(comparison, Box::new(left), Box::new(right)),
            Self::In => NodeKind::In(Box::new(left), Box::new(right)),
            Self::Arithmetic(arithmetic) => NodeKind::Arithmetic(arithmetic, Box::new(left), Box::new(right)),
        }
    }
}

/// The operands of a chain as one list: `(a && b) && c` equals `a && b && c`.
fn flat(connective: Connective, left: Node, right: Node) -> Vec<Node> {
    match left.kind {
        NodeKind::Logic(same, mut operands) if same == connective => {
            operands.push(right);
            operands
        }
        _ => vec![left, right],
    }
}
