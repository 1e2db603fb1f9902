//! `bugle top` in a real terminal, while other processes use the same store.

use bugle_testkit::terminal::Terminal;

use crate::support::sandbox::Sandbox;
use crate::support::workflows::ASKING;

fn top(sandbox: &Sandbox, arguments: &[&str], size: (u16, u16)) -> Terminal {
    let words: Vec<&str> = ["top"].iter().chain(arguments).copied().collect();
    Terminal::start(&sandbox.bugle(&words), size)
}

fn with_agents() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    for name in ["impl", "reviewer"] {
        sandbox.run(&["agent", "register", name]).ok();
    }
    sandbox
}

/// Quitting restores the terminal: the screen, the cursor, the mouse and the keys.
#[track_caller]
fn assert_restored(terminal: &Terminal) {
    let screen = terminal.screen();
    assert!(!screen.alternate_screen());
    assert!(!screen.hide_cursor());
    assert!(!screen.bracketed_paste());
    assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    assert_eq!(terminal.text().trim(), "", "nothing is left on the screen");
}

#[test]
fn messages_appear_and_typed_text_is_sent() {
    let sandbox = with_agents();
    let mut terminal = top(&sandbox, &[], (80, 24));
    terminal.wait_for("No activity yet.");
    assert!(terminal.screen().alternate_screen());
    sandbox
        .run(&["say", "@reviewer the spec is ready", "--as", "impl"])
        .ok();
    terminal.wait_for("impl: @reviewer the spec is ready");
    terminal.wait_for("- reviewer     1");
    terminal.send("i/not special: @impl well done\r");
    terminal.wait_for("human: /not special: @impl well done");
    let channel = sandbox.run(&["channel"]).ok().out;
    assert!(channel.contains("/not special: @impl well done"), "{channel}");
    let inbox = sandbox.run(&["inbox", "--for", "impl"]).ok().out;
    assert!(inbox.contains("/not special"), "{inbox}");
    terminal.send("\u{1b}");
    assert_eq!(terminal.end().code(), Some(0));
    assert_restored(&terminal);
}

#[test]
fn a_question_is_shown_on_top_and_answered() {
    let sandbox = with_agents();
    let mut terminal = top(&sandbox, &[], (80, 24));
    terminal.wait_for("Nothing needs you.");
    sandbox
        .run(&["ask", "@human may I drop the table?", "--as", "impl"])
        .ok();
    terminal.wait_for("impl asks: @human may I drop the table?");
    terminal.wait_for("? impl");
    terminal.send("n");
    terminal.wait_for("answer impl>");
    terminal.send("\rno, never\r");
    terminal.wait_for("human answers impl: no, never");
    terminal.wait_for("Nothing needs you.");
    let agents = sandbox.run(&["agents"]).ok().out;
    assert!(!agents.contains("blocked"), "{agents}");
}

#[test]
fn a_key_cycles_through_questions_without_answering() {
    let sandbox = with_agents();
    let long = "@human may I drop the table that nobody has read since March, or move it to the archive?";
    sandbox
        .run(&["ask", "@human one day or two?", "--as", "reviewer"])
        .ok();
    sandbox.run(&["ask", long, "--as", "impl"]).ok();
    let mut terminal = top(&sandbox, &[], (40, 10));
    terminal.wait_for("1 of 2 (n)");
    terminal.send("n");
    terminal.wait_for("answer reviewer>");
    terminal.send("n");
    terminal.wait_for("answer impl>");
    terminal.wait_until("the whole question", |screen| {
        let read = screen.contents().split_whitespace().collect::<Vec<_>>().join(" ");
        read.contains(long)
    });
    terminal.send("n\rtwo days\r");
    terminal.wait_for("human answers reviewer: two days");
    terminal.send("n");
    terminal.wait_for("answer impl>");
    terminal.send("\u{1b}");
    terminal.wait_until("no answer", |screen| !screen.contents().contains("answer impl>"));
    terminal.send("q");
    assert_eq!(terminal.end().code(), Some(0));
    let said = sandbox.run(&["messages"]).ok().out;
    assert!(!said.contains("ntwo"), "{said}");
}

#[test]
fn messages_to_a_person_stay_on_top_until_read() {
    let sandbox = with_agents();
    for text in ["@human the port is 7717", "@human and it is open"] {
        sandbox.run(&["say", text, "--as", "impl"]).ok();
    }
    let mut terminal = top(&sandbox, &[], (100, 24));
    terminal.wait_for("unread message from impl: (and 1 more) @human the port is 7717");
    terminal.send("n");
    terminal.wait_for("bugle inbox");
    sandbox
        .run(&["messages", "--for", "human", "--unread", "--take"])
        .ok();
    terminal.wait_for("Nothing needs you.");
}

#[test]
fn the_stream_shows_run_events() {
    let sandbox = with_agents();
    let mut terminal = top(&sandbox, &[], (100, 24));
    terminal.wait_for("No activity yet.");
    let step = sandbox.start(&["decision-critic", "decision=Move it"]);
    terminal.wait_for("started decision-critic");
    terminal.wait_for("visit 1 entered extract");
    sandbox.run(&["pause", &step.run]).ok();
    terminal.wait_for("paused");
}

#[test]
fn a_paused_run_is_shown_with_the_command_that_resumes_it() {
    let sandbox = with_agents();
    let run = sandbox.start(&["decision-critic", "decision=Move it"]).run;
    sandbox.run(&["pause", &run]).ok();
    let mut terminal = top(&sandbox, &[], (100, 24));
    terminal.wait_for(&format!("run {run} of decision-critic is paused at extract"));
    terminal.send("n");
    terminal.wait_for(&format!("bugle run resume {run}"));
    sandbox.run(&["resume", &run]).ok();
    terminal.wait_for("Nothing needs you.");
}

#[test]
fn a_run_that_waits_for_a_person_is_answered() {
    let sandbox = with_agents();
    sandbox.skill("asking", ASKING);
    let mut terminal = top(&sandbox, &[], (100, 24));
    terminal.wait_for("Nothing needs you.");
    let run = sandbox.start(&["asking"]).run;
    terminal.wait_for(&format!("run {run} of asking asks: Which way?"));
    terminal.send("n\r");
    terminal.wait_for(&format!("answer {run}>"));
    terminal.send("it's right\r");
    terminal.wait_for("asks: Why \"it's right\"?");
    sandbox.run(&["cancel", &run]).ok();
    terminal.wait_for("Nothing needs you.");
}

#[test]
fn a_person_can_post_in_every_channel() {
    let sandbox = with_agents();
    let elsewhere = sandbox.elsewhere();
    sandbox.run_in(&elsewhere, &["agent", "register", "docs"]).ok();
    let before = sandbox.tool(&sandbox.project(), "git", &["branch", "--show-current"]);
    let before = before.out.trim();
    sandbox.tool(
        &sandbox.project(),
        "git",
        &["checkout", "--quiet", "-b", "feature"],
    );
    sandbox.run(&["agent", "register", "tester"]).ok();
    let mut terminal = top(&sandbox, &[], (80, 24));
    // The checked-out branch comes first, then the other branch, then the other project.
    terminal.wait_for("> project:feature");
    terminal.send("j");
    terminal.wait_until("another channel", |screen| {
        !screen.contents().contains("> project:feature")
    });
    terminal.send("i@impl come here\r");
    terminal.wait_for("human: @impl come here");
    let inbox = |whose: &str| sandbox.run(&["inbox", "--for", whose]).ok().out;
    assert!(inbox(&format!("{before}:impl")).contains("@impl come here"));
    assert!(
        !inbox("impl").contains("@impl come here"),
        "no agent here has that name"
    );
    terminal.send("\tj");
    terminal.wait_for("> elsewhere:-");
    terminal.send("i@docs hello\r");
    terminal.wait_for("human: @docs hello");
    let inbox = sandbox.run_in(&elsewhere, &["inbox", "--for", "docs"]).ok().out;
    assert!(inbox.contains("@docs hello"), "{inbox}");
    terminal.send("@nobody there?\r");
    terminal.wait_for("Unknown agents: nobody.");
    terminal.send("@a:b:c hm\r");
    terminal.wait_for("there is no project `a`; nothing was posted");
    terminal.wait_for("elsewhere:-> @a:b:c hm");
}

#[test]
fn a_resized_window_is_redrawn() {
    let sandbox = with_agents();
    sandbox.run(&["say", "hello there", "--as", "impl"]).ok();
    let mut terminal = top(&sandbox, &[], (80, 24));
    terminal.wait_for("impl: hello there");
    terminal.resize(40, 10);
    terminal.wait_until("one pane", |screen| !screen.contents().contains("hello"));
    terminal.wait_for("- reviewer");
    terminal.send("\t");
    terminal.wait_for("impl: hello there");
    terminal.resize(20, 5);
    terminal.wait_for("Too small");
    terminal.resize(120, 40);
    terminal.wait_for("impl: hello there");
    terminal.wait_for("- reviewer");
}

#[test]
fn the_terminal_is_restored_on_every_exit() {
    let sandbox = with_agents();
    for way in ["q", "\u{3}", "signal"] {
        let mut terminal = top(&sandbox, &["--mouse"], (80, 24));
        terminal.wait_for("Channels");
        let mouse = vt100::MouseProtocolMode::AnyMotion;
        assert_eq!(terminal.screen().mouse_protocol_mode(), mouse);
        if way == "signal" {
            terminal.terminate();
        } else {
            terminal.send(way);
        }
        assert_eq!(terminal.end().code(), Some(0), "{way:?}");
        assert_restored(&terminal);
    }
}

#[test]
fn hostile_text_does_nothing_to_the_terminal() {
    let sandbox = with_agents();
    let mut terminal = top(&sandbox, &[], (80, 24));
    terminal.wait_for("No activity");
    let hostile = "begin \u{1b}[?1049l\u{1b}]0;title\u{7}\u{9b}2J \u{202e}txt\u{2066} end";
    sandbox.run(&["say", hostile, "--as", "impl"]).ok();
    terminal.wait_for("end");
    assert!(terminal.screen().alternate_screen());
    assert!(
        terminal.text().contains("begin \u{241b}[?1049l"),
        "{}",
        terminal.text()
    );
    let written = String::from_utf8_lossy(&terminal.written);
    for harmful in ["\u{1b}[?1049l", "\u{1b}]0;", "\u{9b}", "\u{202e}", "\u{2066}"] {
        assert!(!written.contains(harmful), "{harmful:?}");
    }
}

#[test]
fn colours_follow_no_color_and_the_terminal() {
    let sandbox = with_agents();
    for (plain, coloured) in [("1", false), ("", true)] {
        let mut command = sandbox.bugle(&["top"]);
        command.env("NO_COLOR", plain);
        let mut terminal = Terminal::start(&command, (80, 24));
        terminal.wait_for("Channels");
        terminal.send("q");
        terminal.end();
        let written = String::from_utf8_lossy(&terminal.written);
        assert_eq!(written.contains("\u{1b}[38;5;"), coloured, "{written:?}");
    }
}

#[test]
fn a_store_that_disappears_is_reported_and_opened_again() {
    let sandbox = with_agents();
    let mut terminal = top(&sandbox, &[], (80, 24));
    terminal.wait_for("- reviewer");
    std::fs::remove_dir_all(sandbox.bugle_home()).unwrap();
    terminal.wait_for("Cannot refresh");
    assert!(terminal.text().contains("- reviewer"), "{}", terminal.text());
    sandbox.run(&["agent", "register", "docs"]).ok();
    terminal.wait_for("- docs");
    terminal.wait_for("Nothing needs you.");
    assert!(!terminal.text().contains("- reviewer"), "{}", terminal.text());
    terminal.send("q");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn without_a_terminal_top_names_the_alternatives() {
    let sandbox = with_agents();
    let answer = sandbox.run(&["top"]).fails(2, "bugle top needs a terminal");
    for instead in ["bugle agent list", "bugle message channel", "bugle ui"] {
        assert!(answer.err.contains(instead), "{}", answer.err);
    }
}
