//! Engine tests: which commands are accepted, and why others are refused.

mod also_found;
mod asks;
mod checks;
mod done;
mod evidence;
mod gates;
mod history;
mod loops;
mod merges;
mod params;
mod results;
mod reviews;
mod routes;
mod samples;
mod status;
mod stored;
mod tasks;
mod upgrades;
