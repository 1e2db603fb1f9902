//! Skills: a list, one skill in detail, and the results of checks and tests.

use crate::words::Word;

shapes! {
    SkillList {
        skills: Vec<SkillEntry>,
    }
    SkillEntry {
        name: String,
        description: String,
        source: String,
        path: Option<String>,
        has_workflow: bool,
        trusted: bool,
        shadows: Vec<String>,
        problem: Option<String>,
    }
    SkillDetail {
        entry: SkillEntry,
        hash: String,
        license: Option<String>,
        params: Vec<ParamView>,
        steps: Vec<StepSummary>,
        body: String,
        command: Option<String>,
    }
    ParamView {
        name: String,
        expected: String,
        required: bool,
        default: Option<String>,
        help: Option<String>,
    }
    StepSummary {
        id: String,
        title: String,
        phase: Option<String>,
        ways: Vec<WayView>,
        asks_user: bool,
        checks: Vec<StepCheck>,
    }
    StepCheck {
        say: String,
        that: String,
    }
    WayView {
        outcome: Word,
        to: String,
    }
    CheckReport {
        skills: Vec<CheckedSkill>,
        errors: usize,
        warnings: usize,
    }
    CheckedSkill {
        name: String,
        path: Option<String>,
        problems: Vec<ProblemView>,
        #[serde(skip_serializing_if = "Option::is_none")]
        trust: Option<String>,
    }
    ProblemView {
        code: String,
        severity: Word,
        message: String,
        fix: String,
        file: String,
        line: Option<usize>,
        column: Option<usize>,
        span: Option<(usize, usize)>,
    }
    TestReports {
        tests: Vec<TestReport>,
    }
    TestReport {
        name: String,
        situations: usize,
        endings: usize,
        cut: bool,
        taken: Vec<String>,
        missed: Vec<String>,
        longest: usize,
        failures: Vec<String>,
    }
    TrustList {
        trusted: Vec<TrustEntry>,
    }
    TrustEntry {
        skill: String,
        pin: String,
        by: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        person: Option<String>,
        at: i64,
        is_automatic: bool,
        is_current: bool,
    }
    ConventionList {
        conventions: Vec<ConventionEntry>,
    }
    ConventionEntry {
        name: String,
        description: String,
        source: String,
        roles: Vec<String>,
        sections: Vec<String>,
    }
    ConventionDetail {
        name: String,
        source: String,
        text: String,
    }
}
