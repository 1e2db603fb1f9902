//! Tests for drawing pictures, without a terminal.

use std::fs;

use super::page::address;
use super::scene::Scene;
use super::svg::draw;

const HEADER: &str = "# title: A < B\n# columns: 30\n";

/// The picture of this terminal output.
fn picture(header: &str, output: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.sh");
    fs::write(&path, header).unwrap();
    draw(&Scene::read(&path).unwrap().record(output))
}

/// The text elements of a picture.
fn texts(svg: &str) -> Vec<&str> {
    let ends = svg.split("</text>").filter_map(|part| part.rsplit('>').next());
    ends.map(str::trim).filter(|text| !text.is_empty()).collect()
}

#[test]
fn text_is_escaped_and_keeps_its_columns() {
    let svg = picture(HEADER, "a <b> & c   d\r\n\r\n  e");
    assert_eq!(texts(&svg), ["a &lt;b&gt; &amp; c", "d", "e"]);
    assert!(svg.contains("<title id=\"title\">A &lt; B</title>"), "{svg}");
    assert!(
        svg.contains("x=\"16.8\""),
        "the third row starts in the third column: {svg}"
    );
}

#[test]
fn colours_are_classes_that_follow_the_theme() {
    let svg = picture(HEADER, "\u{1b}[1;31mno\u{1b}[0m yes \u{1b}[7mbar\u{1b}[0m");
    assert!(svg.contains("class=\"c1 b\""), "{svg}");
    assert!(svg.contains("<rect class=\"ink\""), "{svg}");
    assert!(svg.contains("prefers-color-scheme:dark"), "{svg}");
}

#[test]
fn ids_and_times_are_replaced_in_the_order_in_which_they_appear() {
    let one = picture(
        HEADER,
        "r-bqr7fg r-h5w2xn\r\n2025-01-02 03:04:05 17 ms\r\nr-bqr7fg#1",
    );
    let other = picture(
        HEADER,
        "r-8kxw4t r-m2zc9p\r\n2026-11-12 13:14:15 9 ms\r\nr-8kxw4t#1",
    );
    assert_eq!(one, other);
    let words = texts(&one).join(" ");
    assert!(words.contains("2026-03-02 09:41:07 5 ms"), "{words}");
    let ids: Vec<&str> = words
        .split([' ', '#'])
        .filter(|word| word.starts_with("r-"))
        .collect();
    assert!(ids[0] == ids[2] && ids[0] != ids[1], "{ids:?}");
}

#[test]
fn words_that_look_like_ids_stay() {
    let svg = picture(HEADER, "t-shirts or-bqr7fg r-bqr7fg-x");
    assert_eq!(texts(&svg), ["t-shirts or-bqr7fg r-bqr7fg-x"]);
}

#[test]
fn a_long_line_is_broken_at_a_space_and_keeps_its_indent() {
    let svg = picture(HEADER, "  one two three four five six seven\r\nx");
    assert_eq!(texts(&svg), ["one two three four five six", "seven", "x"]);
    assert_eq!(svg.matches("x=\"16.8\"").count(), 2, "{svg}");
    let svg = picture(HEADER, &"y".repeat(31));
    assert_eq!(texts(&svg), ["y".repeat(30), "y".to_owned()]);
}

#[test]
fn an_animation_shows_its_parts_in_order_and_its_last_frame_without_motion() {
    let mark = "\u{1b}]7717\u{7}";
    let output = format!("{mark}$ a\r\n{mark}1\r\n2\r\n3\r\n{mark}$ b\r\n{mark}");
    let svg = picture(&format!("{HEADER}# window: 3\n"), &output);
    assert_eq!(texts(&svg), ["$ a", "1", "2", "3", "$ b"]);
    assert_eq!(svg.matches("class=\"part\"").count(), 4, "{svg}");
    assert_eq!(svg.matches("class=\"paper cover\"").count(), 2, "{svg}");
    assert!(
        svg.contains(".scroll{transform:translateY(-34px)"),
        "two of five rows have scrolled out of the window: {svg}"
    );
    assert!(
        svg.contains("(prefers-reduced-motion:reduce){.scroll,.part,.cover{animation:none}}"),
        "{svg}"
    );
}

#[test]
fn a_scene_without_a_title_or_columns_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.sh");
    for header in ["# columns: 30\n", "# title: A\n", "# title: A\n# columns: many\n"] {
        fs::write(&path, header).unwrap();
        assert!(Scene::read(&path).is_err(), "{header}");
    }
}

#[test]
fn the_address_of_a_page_has_the_path_and_the_token() {
    let lines = ["/runs/r-1", "Open http://127.0.0.1:4000/?token=abc in a browser."].map(str::to_owned);
    assert_eq!(
        address(&lines).as_deref(),
        Some("http://127.0.0.1:4000/runs/r-1?token=abc")
    );
    assert_eq!(address(&lines[..1]), None);
}
