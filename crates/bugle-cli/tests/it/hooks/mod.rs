//! Client hooks.

mod background;
mod dialects;
mod faults;
mod messages;
mod other_clients;
mod several_runs;
mod status_line;
mod stop;
mod sub_agents;
mod todo_list;
mod tools;
mod wake;
