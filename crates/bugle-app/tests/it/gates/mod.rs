//! Gates: reviews, verdicts and decisions.

mod limit;
mod review_loop;
mod verdict;
