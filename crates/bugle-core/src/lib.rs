//! Bugle's rules: the definition and validation of workflows, and the transitions of a run.
//!
//! Values in, values out: nothing here reads a file, a clock, the environment or random bytes. The only text meant for
//! people explains refusals and rule violations.
//!
//! A workflow can be built in code or written in YAML; the rules are the same:
//!
//! ```
//! use bugle_core::expression::Expression;
//! use bugle_core::name::SkillName;
//! use bugle_core::outcome::Outcome;
//! use bugle_core::path::SkillPath;
//! use bugle_core::shape::Shape;
//! use bugle_core::validate::{Package, Rule, validate};
//! use bugle_core::workflow::{Registry, StepDef, WorkflowDef};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let confidence = Shape::Enum(vec!["low".to_owned(), "high".to_owned()]);
//! let investigate = StepDef::new("investigate", "Investigate", "Look for evidence.")?
//!     .returning("confidence", confidence)?
//!     .repeated(Expression::parse("result.confidence == 'high'")?, 5)
//!     .with_transition(Outcome::Iterate, "investigate")?
//!     .with_transition(Outcome::Ok, "report")?;
//! let report = StepDef::new("report", "Report", "Report the findings.")?;
//!
//! let file = SkillPath::new("workflow.yaml")?;
//! let check = |steps: Vec<StepDef>| validate(&file, WorkflowDef::new(steps), &Package::default(), &());
//! let valid = check(vec![investigate.clone(), report]).workflow.ok_or("the workflow is invalid")?;
//! let mut registry = Registry::default();
//! registry.register(SkillName::new("searching")?, valid)?;
//!
//! // If a target step is missing, there is no workflow, and a rule says why.
//! let broken = check(vec![investigate]);
//! assert!(broken.workflow.is_none());
//! assert_eq!(broken.problems[0].rule, Rule::UnknownTarget);
//! # Ok(())
//! # }
//! ```

#[macro_use]
mod enum_text;

pub mod agent;
pub mod code_help;
pub mod count;
pub mod did_you_mean;
pub mod digest;
pub mod doctor;
pub mod engine;
pub mod expression;
pub mod fence;
pub mod hook;
pub mod id;
pub mod interface;
mod length;
mod lis;
pub mod message;
pub mod name;
pub mod outcome;
pub mod ownership;
pub mod path;
pub mod pattern;
pub mod plan;
pub mod project;
pub mod remote;
pub mod reply;
pub mod review;
pub mod rights;
pub mod role;
pub mod search;
pub mod shape;
pub mod skill_selection;
pub mod task;
pub mod team;
pub mod tool;
pub mod validate;
pub mod wake;
pub mod workflow;
