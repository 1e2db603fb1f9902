//! Reviews that count, and the decisions that follow from them.

mod accept;
mod limit;
mod other_tools;
mod review_loop;
mod self_reviews;
mod verdict;
