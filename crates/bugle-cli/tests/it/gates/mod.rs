//! Gates: reviews, verdicts and decisions.

mod accept;
mod limit;
mod other_tools;
mod review_loop;
mod self_reviews;
mod verdict;
