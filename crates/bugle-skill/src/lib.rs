//! Parses `SKILL.md`, `workflow.yaml`, roles, conventions and plans, and reports every mistake with its line and
//! column.
//!
//! The input is `&str`; nothing here opens a file.

mod convention;
mod convert;
mod manifest;
mod markdown;
mod plan;
mod raw;
mod raw_types;
mod raw_variants;
mod role;
mod scalar;
mod schema;
mod sections;
mod selection_rules;
mod settings;
mod source;
mod transitions;
mod types;
mod yaml;

pub use convention::{Convention, convention_body, parse_convention, section, section_titles};
pub use convert::parse_workflow;
pub use manifest::{SkillFile, parse_skill_file, skill_body};
pub use plan::{parse_plan, plan_section};
pub use role::parse_role;
pub use schema::workflow_schema;
pub use sections::parse_sections;
pub use selection_rules::{SelectionRuleProblem, parse_selection_rules};
pub use settings::{Settings, SettingsOwner, SupervisorStart, parse_settings};
pub use source::{SourceMap, Span};

/// Maximum size of a text file in a skill, in bytes. A larger file is a mistake.
pub const MAX_FILE_BYTES: usize = 1024 * 1024;
