//! Tests of the engine: what is accepted, and what is refused and why.

mod asks;
mod checks;
mod done;
mod evidence;
mod gates;
mod history;
mod loops;
mod params;
mod results;
mod reviews;
mod routes;
mod samples;
mod status;
mod stored;
mod tasks;
mod upgrades;
