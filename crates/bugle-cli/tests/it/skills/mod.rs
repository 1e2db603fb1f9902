//! Skills and roles.

mod authoring;
mod branch_tools;
mod broken_skill;
mod builtin_skills;
mod catalogue;
mod checked_work;
mod invalid_files;
mod invalid_text;
mod links;
mod lookup;
mod roles;
