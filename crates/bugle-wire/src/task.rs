//! Tasks: a tree, one task in detail, and the result of a command.

use crate::run::TimelineEntry;
use crate::words::Word;

shapes! {
    TaskView {
        id: String,
        number: Option<String>,
        title: String,
        label: String,
        state: Word,
        ready_to_close: bool,
        reason: Option<String>,
        agent: Option<String>,
        skill: Option<String>,
        run: Option<String>,
        retries: u32,
        children: u32,
        open_children: u32,
        waits_for: Vec<String>,
        comes_after: Vec<String>,
        removed: bool,
    }
    TaskName {
        id: String,
        label: String,
    }
    TaskTree {
        tasks: Vec<TaskLine>,
        more: bool,
        position: Option<TaskPosition>,
    }
    TaskLine {
        depth: u32,
        current: bool,
        #[serde(flatten)]
        task: TaskView,
    }
    TaskPosition {
        task: TaskView,
        above: Vec<TaskName>,
        sentence: String,
        skill: SkillChoiceView,
        plan: Option<PlanName>,
        commands: Vec<CommandView>,
        notices: Vec<String>,
    }
    NextView {
        position: Option<TaskPosition>,
        message: String,
    }
    CommandView {
        does: String,
        command: String,
    }
    SkillChoiceView {
        task: TaskName,
        skill: Option<String>,
        because: String,
        reason: Word,
        reminders: Vec<ReminderView>,
        pinned: Option<PinView>,
        installed: Option<String>,
        notices: Vec<String>,
        sections: Vec<SectionView>,
        history: Vec<PinView>,
    }
    ReminderView {
        line: String,
        skill: String,
    }
    PinView {
        skill: String,
        hash: String,
        version: Option<String>,
        source: Option<String>,
    }
    SectionView {
        title: String,
        score: u32,
        needed: bool,
        characters: usize,
        digest_characters: usize,
    }
    TaskDetail {
        task: TaskView,
        above: Vec<TaskName>,
        sentence: String,
        skill: SkillChoiceView,
        waits_for: Vec<TaskName>,
        comes_after: Vec<TaskName>,
        needed_by: Vec<TaskName>,
        notes: Vec<NoteView>,
        earlier_notes: usize,
        runs: Vec<TaskRun>,
        inside: Vec<TaskLine>,
        plan: Option<PlanName>,
        text: Option<PlanText>,
        constraints: Vec<String>,
        history: Vec<TimelineEntry>,
        commands: Vec<CommandView>,
        notices: Vec<String>,
    }
    TaskRun {
        run: String,
        skill: String,
        status: Word,
    }
    NoteView {
        at: i64,
        by: String,
        text: String,
    }
    TasksChanged {
        message: String,
        tasks: Vec<TaskView>,
        also: Vec<String>,
        next: Option<TaskPosition>,
    }
    ReadyList {
        tasks: Vec<TaskView>,
        more: bool,
        elsewhere: bool,
    }
    PlanName {
        id: String,
        file: String,
        title: String,
    }
    PlanText {
        file: String,
        line: usize,
        text: String,
    }
}
