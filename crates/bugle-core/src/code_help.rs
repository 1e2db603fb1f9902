//! Help texts for stable refusal codes.

/// A stable code and its explanation. The troubleshooting page is generated from these entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeHelp {
    /// The code.
    pub code: &'static str,
    /// An explanation of the code, in one sentence.
    pub explanation: &'static str,
    /// The fix, in one sentence.
    pub remedy: &'static str,
}

/// The result cannot be read.
pub const RESULT_UNREADABLE: CodeHelp = CodeHelp {
    code: "result-unreadable",
    explanation: "The result is not valid JSON, or the file with the result cannot be read.",
    remedy: "Write the result as JSON in UTF-8, and run the same command again.",
};
/// Tasks would wait for each other.
pub const CYCLE: CodeHelp = CodeHelp {
    code: "circle",
    explanation: "The dependencies would form a cycle, so none of the tasks could start.",
    remedy: "Remove one of the listed dependencies.",
};
/// A plan's file has no tasks.
pub const NO_TASKS: CodeHelp = CodeHelp {
    code: "no-tasks",
    explanation: "The plan's file contains no tasks.",
    remedy: "Write each task as a heading such as `### Task 1: Title`, or as a list item such as `- [ ] **Task 1:** \
             Title`.",
};
/// A plan's file lacks active tasks.
pub const ACTIVE_VANISH: CodeHelp = CodeHelp {
    code: "active-vanish",
    explanation: "The plan's file no longer contains tasks that are in progress.",
    remedy: "Import the current version of the file, or remove the tasks with `--drop-active`.",
};
/// A plan's file may have been renamed.
pub const PERHAPS_RENAMED: CodeHelp = CodeHelp {
    code: "perhaps-renamed",
    explanation: "A plan with the same title exists, but its file is missing.",
    remedy: "Import the file with `--was PLAN` if it is the same plan, or with `--new` if it is a different plan.",
};
/// A plan's file was imported as another plan.
pub const IMPORTED_TWICE: CodeHelp = CodeHelp {
    code: "imported-twice",
    explanation: "`--was` names one plan, but the file was already imported as another plan.",
    remedy: "Check the progress of the file's existing plan. If you do not need this plan, remove its root task.",
};
/// All codes of refused imports.
pub const IMPORT_CODES: [CodeHelp; 5] = [NO_TASKS, ACTIVE_VANISH, PERHAPS_RENAMED, IMPORTED_TWICE, CYCLE];

/// Implements `code` and `CODES` for a refusal type from one table, so that every refusal has help.
macro_rules! refusal_codes {
    ($type:ident; $($refusal:pat, $code:literal, $explanation:literal, $remedy:literal;)*) => {
        impl $type {
            /// All codes of this type, with their help. A refusal for missing permission uses the code of its
            /// [`MissingAuthority`](crate::rights::MissingAuthority) instead.
            pub const CODES: &'static [$crate::code_help::CodeHelp] = &[
                $($crate::code_help::CodeHelp {
                    code: $code,
                    explanation: $explanation,
                    remedy: $remedy,
                },)*
            ];

            /// The stable code.
            pub fn code(&self) -> &'static str {
                match self {
                    $($refusal => $code,)*
                    Self::NotAllowed(_, missing) => missing.code(),
                }
            }
        }
    };
}

pub(crate) use refusal_codes;
