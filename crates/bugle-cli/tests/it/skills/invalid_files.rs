//! Skill files that are broken, too large, or outside the skill's folder.

use std::fs;
use std::path::Path;

use super::broken_skill::{GOOD, good, many, prompt, refused, refused_in, workflow};
use crate::support::sandbox::answer;

#[test]
fn files_of_ten_megabytes_are_refused() {
    let ten_megabytes = format!("{GOOD}# {}\n", many("x", 10_000_000));
    refused("unreadable-file", workflow(ten_megabytes));
    refused("unreadable-file", prompt(many("word ", 2_000_000)));
    refused("unreadable-file", |folder| {
        fs::write(folder.join("SKILL.md"), many("-", 10_000_000)).unwrap();
    });
}

#[test]
fn files_that_are_not_text_are_refused() {
    let message = refused("unreadable-file", prompt([0_u8, 159, 146, 150, 0]));
    assert!(message.contains("is not valid UTF-8"), "{message}");
    refused("unreadable-file", prompt(b"Gr\xfc\xdfe aus Latin-1"));
    refused("unreadable-file", workflow(b"version: 1 # \xff"));
    let wide: Vec<u8> = GOOD.encode_utf16().flat_map(u16::to_le_bytes).collect();
    refused("unreadable-file", workflow([vec![0xff, 0xfe], wide].concat()));
    refused("unreadable-file", |folder| {
        fs::write(folder.join("SKILL.md"), b"---\nname: broken\xff\n---\n").unwrap();
    });
}

#[test]
fn a_byte_order_mark_is_ignored() {
    let (sandbox, folder) = good();
    sandbox.write(&folder.join("workflow.yaml"), format!("\u{feff}{GOOD}"));
    sandbox.write(&folder.join("prompts/go.md"), "\u{feff}Go on.\r\nNow.\r\n");
    let step = sandbox.start(&["broken"]);
    assert!(step.action.starts_with("Go on."), "{:?}", step.action);
}

#[test]
fn links_out_of_the_folder_are_refused() {
    let outside = |folder: &Path| {
        let secret = folder.join("../../../../secret.md").clone();
        fs::write(&secret, "the secret").unwrap();
        secret.canonicalize().unwrap()
    };
    let message = refused("unsafe-path", |folder| {
        fs::remove_file(folder.join("prompts/go.md")).unwrap();
        std::os::unix::fs::symlink(outside(folder), folder.join("prompts/go.md")).unwrap();
    });
    assert!(message.contains("points outside the skill's folder"), "{message}");
    refused("unsafe-path", |folder| {
        let secret = outside(folder);
        fs::remove_dir_all(folder.join("prompts")).unwrap();
        std::os::unix::fs::symlink(secret.parent().unwrap(), folder.join("prompts")).unwrap();
    });
    refused("unsafe-path", |folder| {
        let secret = outside(folder);
        fs::remove_file(folder.join("workflow.yaml")).unwrap();
        std::os::unix::fs::symlink(secret, folder.join("workflow.yaml")).unwrap();
    });
    refused("unreadable-file", |folder| {
        std::os::unix::fs::symlink("go.md", folder.join("prompts/loop.md")).unwrap();
        fs::remove_file(folder.join("prompts/go.md")).unwrap();
        std::os::unix::fs::symlink("loop.md", folder.join("prompts/go.md")).unwrap();
    });
}

#[test]
fn a_link_within_the_folder_is_followed() {
    let (sandbox, folder) = good();
    fs::rename(folder.join("prompts/go.md"), folder.join("prompts/real.md")).unwrap();
    std::os::unix::fs::symlink("real.md", folder.join("prompts/go.md")).unwrap();
    assert_eq!(sandbox.start(&["broken"]).action, "Go on.");
}

#[test]
fn paths_out_of_the_folder_are_refused() {
    for path in [
        "../x.md",
        "prompts/../../x.md",
        "/etc/x.md",
        "./prompts/go.md",
        "prompts\\..\\x.md",
    ] {
        let message = refused(
            "unsafe-path",
            workflow(GOOD.replace("prompts/go.md", &format!("'{path}'"))),
        );
        assert!(
            message.contains("is not a path inside the skill's folder"),
            "{message}"
        );
    }
    for path in ["../x.md", "../../../etc/passwd"] {
        let resources = format!("next: end, resources: ['{path}']");
        refused("unsafe-path", workflow(GOOD.replace("next: end", &resources)));
    }
    refused(
        "bad-evidence",
        workflow(GOOD.replace("next: end", "next: end, expect: [{ artifact: ../x }]")),
    );
}

#[test]
fn things_that_are_not_files_are_refused() {
    refused("unreadable-file", |folder| {
        fs::remove_file(folder.join("workflow.yaml")).unwrap();
        fs::create_dir(folder.join("workflow.yaml")).unwrap();
    });
    refused("unreadable-file", |folder| {
        for number in 0..600 {
            fs::write(folder.join(format!("prompts/{number}.md")), "x").unwrap();
        }
    });
}

#[test]
fn a_pipe_instead_of_a_file_does_not_block() {
    let (sandbox, folder) = good();
    fs::remove_file(folder.join("prompts/go.md")).unwrap();
    sandbox.tool(&folder, "mkfifo", &["prompts/go.md"]);
    for words in [["skill", "check", "broken"].as_slice(), &["start", "broken"]] {
        let mut command = sandbox.command("timeout", &sandbox.project());
        answer(command.args(["--signal=KILL", "20", "bugle"]).args(words)).exits(3);
    }
    refused_in(&sandbox, "unreadable-file");
}
