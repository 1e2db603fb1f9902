//! mdbook builds the guide without warnings, and every link in the built pages leads to an existing file and heading.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bugle_testkit::mdbook;

use crate::guide::resolve;
use crate::tree::{TextFile, assert_no_faults, root};

/// The values of an attribute in a page.
fn values<'a>(page: &'a str, attribute: &str) -> impl Iterator<Item = &'a str> {
    let begin = format!(" {attribute}=\"");
    let mut rest = page;
    std::iter::from_fn(move || {
        let (_, after) = rest.split_once(&begin)?;
        let (value, after) = after.split_once('"')?;
        rest = after;
        Some(value)
    })
}

/// Links whose target file or element does not exist.
fn link_faults(pages: &[TextFile], exists: impl Fn(&str) -> bool) -> Vec<String> {
    let ids = |page: &TextFile| -> BTreeSet<String> { values(&page.text, "id").map(str::to_owned).collect() };
    let ids: Vec<(&str, BTreeSet<String>)> =
        pages.iter().map(|page| (page.path.as_str(), ids(page))).collect();
    let mut faults = Vec::new();
    for page in pages {
        let links = values(&page.text, "href").chain(values(&page.text, "src"));
        for link in links.filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let found = if path.is_empty() {
                Some(page.path.clone())
            } else {
                resolve(&page.path, path)
            };
            let Some(found) = found.filter(|found| exists(found)) else {
                faults.push(format!("{}: `{link}`: the book has no such file", page.path));
                continue;
            };
            let has = |(path, ids): &(&str, BTreeSet<String>)| *path == found && ids.contains(anchor);
            if !anchor.is_empty() && !ids.iter().any(has) {
                faults.push(format!("{}: `{link}`: the page has no such heading", page.path));
            }
        }
    }
    faults
}

/// mdbook's messages, except progress messages.
fn build_faults(messages: &str) -> Vec<String> {
    let is_progress = |line: &&str| line.trim_start().starts_with("INFO ");
    messages
        .lines()
        .filter(|line| !is_progress(line) && !line.trim().is_empty())
        .map(|line| format!("mdbook: {}", line.trim()))
        .collect()
}

/// The pages of a built book, each with its path from the book's folder.
fn pages(book: &Path, inside: &str) -> Vec<TextFile> {
    let mut found = Vec::new();
    for entry in fs::read_dir(book.join(inside)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if inside.is_empty() {
            name
        } else {
            format!("{inside}/{name}")
        };
        if entry.file_type().unwrap().is_dir() {
            found.extend(pages(book, &path));
        } else if path.ends_with(".html") {
            found.push(TextFile {
                text: fs::read_to_string(entry.path()).unwrap(),
                path,
            });
        }
    }
    found
}

#[test]
fn a_link_that_leads_nowhere_in_the_book_is_a_fault() {
    let of = |link: &str| {
        let other = TextFile::new("x/b.html", "<h2 id=\"there\">There</h2>");
        let page = TextFile::new(
            "a.html",
            &format!("<p id=\"top\"><a class=\"c\" href=\"{link}\">b</a>"),
        );
        let pages = [page, other];
        let exists = |path: &str| path == "p.svg" || pages.iter().any(|page| page.path == path);
        link_faults(&pages, exists).len()
    };
    assert_eq!(of("x/b.html#there"), 0);
    assert_eq!(of("#top"), 0);
    assert_eq!(of("p.svg"), 0);
    assert_eq!(of("https://example.org/x"), 0);
    assert_eq!(of("x/c.html"), 1);
    assert_eq!(of("b.md"), 1);
    assert_eq!(of("x/b.html#top"), 1);
    assert_eq!(of("../b.html"), 1);
}

#[test]
fn a_warning_of_mdbook_is_a_fault() {
    let progress = " INFO Book building has started\n INFO Running the html backend\n";
    assert_eq!(build_faults(progress), [""; 0]);
    let warning = format!("{progress} WARN unclosed HTML tag `<b>` found in `tour.md`\n");
    assert_eq!(
        build_faults(&warning),
        ["mdbook: WARN unclosed HTML tag `<b>` found in `tour.md`"]
    );
}

#[test]
fn the_guide_builds_without_a_warning_and_its_links_lead_somewhere() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book");
    let Some(output) = mdbook::build(&root(), &book) else {
        return;
    };
    let output = output.unwrap();
    let mut faults = build_faults(&String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        faults.push(format!("mdbook: {}", output.status));
        assert_no_faults(&faults);
    }
    let pages = pages(&book, "");
    assert!(
        pages.iter().any(|page| page.path == "index.html"),
        "no index.html"
    );
    faults.extend(link_faults(&pages, |path| book.join(path).is_file()));
    assert_no_faults(&faults);
}
