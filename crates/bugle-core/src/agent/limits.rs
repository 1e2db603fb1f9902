//! Budgets of agents: wake-ups, started agents, tokens, money. Nothing is counted here; the caller passes what the
//! records show.

use std::fmt;

/// What is about to be spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Expense {
    /// A turn of an agent that there is.
    Turn,
    /// One more agent.
    Agent,
}

impl Expense {
    /// What has to have room for it. How many agents there are does not matter to one of them.
    pub fn caps(self) -> [Cap; 3] {
        match self {
            Self::Turn => [Cap::Wakeups, Cap::Tokens, Cap::Cost],
            Self::Agent => [Cap::Agents, Cap::Tokens, Cap::Cost],
        }
    }
}

/// Something that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cap {
    /// How often an agent was woken.
    Wakeups,
    /// How many agents were started.
    Agents,
    /// Tokens of a model, where the client says how many.
    Tokens,
    /// Money, in millionths of a dollar, where the client says how much.
    Cost,
}

enum_text!(Cap {
    Wakeups = "wakeups",
    Agents = "agents",
    Tokens = "tokens",
    Cost = "cost",
});

/// What was spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// How often an agent was woken.
    pub wakeups: u64,
    /// How many agents were started.
    pub agents: u64,
    /// Tokens.
    pub tokens: u64,
    /// Millionths of a dollar.
    pub cost: u64,
}

impl Spent {
    /// How much of one thing was spent.
    pub fn of(&self, cap: Cap) -> u64 {
        match cap {
            Cap::Wakeups => self.wakeups,
            Cap::Agents => self.agents,
            Cap::Tokens => self.tokens,
            Cap::Cost => self.cost,
        }
    }
}

/// What may be spent; what is not set has no bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    caps: [Option<u64>; 4],
}

/// A limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// Of what.
    pub cap: Cap,
    /// How much may be spent.
    pub limit: u64,
    /// How much was.
    pub spent: u64,
}

/// Why something is no limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no limit: a whole number from 0 on, and for cost a number of dollars such as 2.50")]
pub struct BadLimit(pub String);

impl Limits {
    /// The same with one limit set.
    #[must_use]
    pub fn with(mut self, cap: Cap, limit: u64) -> Self {
        self.caps[cap as usize] = Some(limit);
        self
    }

    /// The limit of one thing, if it has one.
    pub fn of(&self, cap: Cap) -> Option<u64> {
        self.caps[cap as usize]
    }

    /// The stricter of these limits and those of `other`, one by one.
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

    /// The same with one limit set as it is written in a file.
    pub fn with_written(self, cap: Cap, text: &str) -> Result<Self, BadLimit> {
        let bad = || BadLimit(text.to_owned());
        let limit = match cap {
            Cap::Cost => millionths(text).ok_or_else(bad)?,
            _ => text.parse().map_err(|_| bad())?,
        };
        Ok(self.with(cap, limit))
    }

    /// The first limit that leaves no room for something: so much may be spent, and then it stops.
    pub fn reached(&self, spent: &Spent, expense: Expense) -> Option<Reached> {
        expense.caps().into_iter().find_map(|cap| {
            let limit = self.of(cap)?;
            let spent = spent.of(cap);
            (spent >= limit).then_some(Reached { cap, limit, spent })
        })
    }
}

/// Dollars as they are written, in millionths: no fraction of a binary number comes between.
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
            Cap::Wakeups => write!(f, "{spent} wake-ups of {limit} that may be given"),
            Cap::Agents => write!(f, "{spent} agents of {limit} that may be started"),
            Cap::Tokens => write!(f, "{spent} tokens of {limit} that may be used"),
            Cap::Cost => write!(
                f,
                "{} dollars of {} that may be spent",
                dollars(*spent),
                dollars(*limit)
            ),
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
    fn what_is_written_is_what_holds() {
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
    fn a_limit_that_is_reached_says_so_in_words() {
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
        assert_eq!(
            reached(spent(3, 0)).as_deref(),
            Some("3 wake-ups of 3 that may be given")
        );
        assert_eq!(
            reached(spent(0, 2_600_000)).as_deref(),
            Some("2.60 dollars of 2.50 that may be spent")
        );
    }

    #[test]
    fn the_stricter_limit_holds_whichever_file_sets_it() {
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
