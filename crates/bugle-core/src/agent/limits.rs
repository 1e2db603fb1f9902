//! Agent budgets: wake-ups, started agents, tokens and money. The caller does the counting; this module only compares.

use crate::count::counted;
use std::fmt;

/// An expense to check against the budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Expense {
    /// A turn by an existing agent.
    Turn,
    /// A new agent.
    Agent,
}

impl Expense {
    /// The budgets to check. A turn does not count against the number of agents.
    pub fn caps(self) -> [Cap; 3] {
        match self {
            Self::Turn => [Cap::Wakeups, Cap::Tokens, Cap::Cost],
            Self::Agent => [Cap::Agents, Cap::Tokens, Cap::Cost],
        }
    }
}

/// A budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cap {
    /// Agent wake-ups.
    Wakeups,
    /// Started agents.
    Agents,
    /// Tokens, if the client reports them.
    Tokens,
    /// Cost in millionths of a dollar, if the client reports it.
    Cost,
}

enum_text!(Cap {
    Wakeups = "wakeups",
    Agents = "agents",
    Tokens = "tokens",
    Cost = "cost",
});

/// The amounts spent so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Agent wake-ups.
    pub wakeups: u64,
    /// Started agents.
    pub agents: u64,
    /// Tokens.
    pub tokens: u64,
    /// Millionths of a dollar.
    pub cost: u64,
}

impl Spent {
    /// The amount spent so far from one budget.
    pub fn of(&self, cap: Cap) -> u64 {
        match cap {
            Cap::Wakeups => self.wakeups,
            Cap::Agents => self.agents,
            Cap::Tokens => self.tokens,
            Cap::Cost => self.cost,
        }
    }
}

/// Limits per budget. A budget without a limit is unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    caps: [Option<u64>; 4],
}

/// An exhausted budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// The budget.
    pub cap: Cap,
    /// The budget's limit.
    pub limit: u64,
    /// The amount spent.
    pub spent: u64,
}

/// The error for a string that is not a valid limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a valid limit: use a whole number, or for `cost` an amount in dollars such as 2.50")]
pub struct BadLimit(pub String);

impl Limits {
    /// Sets one limit.
    #[must_use]
    pub fn with(mut self, cap: Cap, limit: u64) -> Self {
        self.caps[cap as usize] = Some(limit);
        self
    }

    /// The budget's limit, if set.
    pub fn of(&self, cap: Cap) -> Option<u64> {
        self.caps[cap as usize]
    }

    /// For each budget, the stricter of the two limits.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        let mut caps = self.caps;
        for (own, other) in caps.iter_mut().zip(other.caps) {
            *own = match (*own, other) {
                (Some(own), Some(other)) => Some(own.min(other)),
                (own, other) => own.or(other),
            };
        }
        Self { caps }
    }

    /// Parses one limit from a file, and sets it.
    pub fn with_written(self, cap: Cap, text: &str) -> Result<Self, BadLimit> {
        let bad = || BadLimit(text.to_owned());
        let limit = match cap {
            Cap::Cost => millionths(text).ok_or_else(bad)?,
            _ => text.parse().map_err(|_| bad())?,
        };
        Ok(self.with(cap, limit))
    }

    /// The first budget that the expense would exceed.
    pub fn reached(&self, spent: &Spent, expense: Expense) -> Option<Reached> {
        expense.caps().into_iter().find_map(|cap| {
            let limit = self.of(cap)?;
            let spent = spent.of(cap);
            (spent >= limit).then_some(Reached { cap, limit, spent })
        })
    }
}

/// Parses dollars into millionths, without floating-point rounding.
fn millionths(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > 6 {
        return None;
    }
    let fraction: u64 = format!("{fraction:0<6}").parse().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000_000)?
        .checked_add(fraction)
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cap, limit, spent } = self;
        match cap {
            Cap::Wakeups => write!(f, "{spent} of {}", counted(*limit, "wake-up")),
            Cap::Agents => write!(f, "{spent} of {}", counted(*limit, "agent")),
            Cap::Tokens => write!(f, "{spent} of {}", counted(*limit, "token")),
            Cap::Cost => write!(f, "{} of {} dollars", dollars(*spent), dollars(*limit)),
        }
    }
}

fn dollars(millionths: u64) -> String {
    format!(
        "{}.{:02}",
        millionths / 1_000_000,
        millionths % 1_000_000 / 10_000
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_limit_is_parsed_exactly() {
        let limits = Limits::default();
        let cost = |text: &str| {
            limits
                .with_written(Cap::Cost, text)
                .map(|limits| limits.of(Cap::Cost))
        };
        assert_eq!(cost("2.50"), Ok(Some(2_500_000)));
        assert_eq!(cost("0"), Ok(Some(0)));
        for bad in [
            "",
            "-1",
            "1e3",
            "2.",
            ".5",
            "1.0000001",
            "lots",
            "99999999999999999999",
        ] {
            assert!(cost(bad).is_err(), "{bad}");
        }
        for bad in ["", "-1", "2.5", "many"] {
            assert!(limits.with_written(Cap::Wakeups, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_exhausted_budget_prints_its_numbers() {
        let limits = Limits::default().with(Cap::Wakeups, 3).with(Cap::Cost, 2_500_000);
        let spent = |wakeups, cost| Spent {
            wakeups,
            cost,
            ..Spent::default()
        };
        assert_eq!(limits.reached(&spent(2, 0), Expense::Turn), None);
        assert_eq!(limits.reached(&spent(3, 0), Expense::Agent), None);
        let reached = |spent: Spent| {
            limits
                .reached(&spent, Expense::Turn)
                .map(|reached| reached.to_string())
        };
        assert_eq!(reached(spent(3, 0)).as_deref(), Some("3 of 3 wake-ups"));
        assert_eq!(
            reached(spent(0, 2_600_000)).as_deref(),
            Some("2.60 of 2.50 dollars")
        );
    }

    #[test]
    fn the_stricter_limit_wins_in_either_order() {
        let one = Limits::default().with(Cap::Wakeups, 1).with(Cap::Agents, 9);
        let other = Limits::default()
            .with(Cap::Wakeups, 9)
            .with(Cap::Agents, 1)
            .with(Cap::Tokens, 9);
        for both in [one.stricter(other), other.stricter(one)] {
            let limits = Cap::ALL.map(|cap| both.of(cap));
            assert_eq!(limits, [Some(1), Some(1), Some(9), None]);
        }
    }

    proptest! {
        #[test]
        fn a_limit_is_reached_exactly_when_nothing_is_left(limit in 0_u64..50, spent in 0_u64..50) {
            let all = Spent { wakeups: spent, agents: spent, tokens: spent, cost: spent };
            for expense in [Expense::Turn, Expense::Agent] {
                for cap in Cap::ALL {
                    let reached = Limits::default().with(cap, limit).reached(&all, expense);
                    prop_assert_eq!(reached.is_some(), spent >= limit && expense.caps().contains(&cap));
                }
                prop_assert_eq!(Limits::default().reached(&all, expense), None);
            }
        }
    }
}
