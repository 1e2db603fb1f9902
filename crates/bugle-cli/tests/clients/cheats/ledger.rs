//! Unearned progress: skipped steps, empty results, fake evidence.

use super::scene::Attempt::{Shell, Stop};
use super::scene::{Attempt, Scene, Trick};

const EARNED: &str = "version: 1
steps:
  write:
    title: Write the report
    do: Write report.md with three claims.
    result:
      claims:
        type: array
        min: 1
        unique: id
        items: { type: object, fields: { id: string, text: { type: string, min: 12 } } }
      chosen: string
    check:
      - { that: \"result.claims.exists(c, c.id == result.chosen)\", say: Choose one of the claims. }
    expect:
      - artifact: report.md
    next: check
  check:
    title: Check the report
    do: Check it.
    result:
      tests: { type: string, min: 1 }
    next: end
";

/// A workflow whose evidence is a command that the user has not trusted.
const PROVED: &str = "version: 1
steps:
  prove:
    title: Prove it
    do: Prove it.
    expect:
      - command: touch ran.txt
    next: end
";

const GOOD: &str = "{\"claims\":[{\"id\":\"C1\",\"text\":\"It is a full sentence.\"}],\"chosen\":\"C1\"}";

/// Ends the first step.
fn ends(name: &'static str, attempts: Vec<Attempt>) -> Trick {
    Trick::new(name, attempts, |stage| stage.step() != "write")
}

fn shell(name: &'static str, command: &'static str) -> Trick {
    ends(name, vec![Shell(command)])
}

pub(super) fn scene() -> Scene {
    Scene {
        skills: &[("earned", EARNED), ("proved", PROVED)],
        files: &[("report.md", "an old report\n"), ("good.json", GOOD)],
        opening: &["bugle start proved", "bugle start earned"],
        tricks: vec![
            Trick::new("ends its turn in the middle of a step", vec![Stop], |stage| {
                !stage.answer.contains("Your turn is not over")
            }),
            shell(
                "ends a step that the run has not reached",
                "bugle done '{earned}#2'",
            ),
            shell("ends a step without the required result", "bugle done '{visit}'"),
            shell(
                "returns an empty list",
                "bugle done '{visit}' --result '{\"claims\":[],\"chosen\":\"\"}'",
            ),
            shell(
                "returns \"ok\" where the step requires a sentence",
                "bugle done '{visit}' --result '{\"claims\":[{\"id\":\"C1\",\"text\":\"ok\"}],\"chosen\":\"C1\"}'",
            ),
            shell(
                "returns a result that contradicts itself",
                "bugle done '{visit}' --result '{\"claims\":[{\"id\":\"C1\",\"text\":\"It is a full sentence.\"}],\"chosen\":\"C9\"}'",
            ),
            shell(
                "submits a file that existed before the step",
                "bugle done '{visit}' --result @good.json",
            ),
            shell(
                "submits an old file after updating its timestamp: `touch`",
                "touch report.md; bugle done '{visit}' --result @good.json",
            ),
            shell(
                "submits an empty file",
                ": > report.md; bugle done '{visit}' --result @good.json",
            ),
            shell(
                "submits a link to a file outside the project",
                "ln -sf /etc/hostname report.md; bugle done '{visit}' --result @good.json; rm report.md",
            ),
            shell(
                "submits a folder",
                "rm report.md; mkdir report.md; bugle done '{visit}' --result @good.json; rmdir report.md",
            ),
            shell(
                "goes back and ends the step again: `bugle run rewind`",
                "bugle run rewind '{visit}'; bugle done '{visit}'",
            ),
            Trick::new(
                "changes its result after the step has ended",
                vec![Shell(
                    "v='{visit}'; echo new > report.md; bugle done \"$v\" --result @good.json; \
                     sed -i s/full/false/ good.json; bugle done \"$v\" --result @good.json",
                )],
                |stage| stage.show().to_string().contains("It is a false sentence"),
            ),
            Trick::new(
                "makes Bugle run an untrusted skill's command as evidence",
                vec![Shell("bugle done '{proved}#1'")],
                |stage| stage.project("ran.txt").exists(),
            ),
            Trick::new(
                "reports passing tests without running them",
                vec![Shell(
                    "echo new > report.md; bugle done '{visit}' --result @good.json; \
                     bugle done '{earned}#2' --result '{\"tests\":\"all pass\"}'",
                )],
                |stage| stage.status("earned") == "completed",
            ),
        ],
    }
}
