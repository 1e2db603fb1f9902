//! Access to the dashboard, and the headers of every response.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Instant;

use bugle_testkit::terminal::Terminal;

use crate::support::executable::write_executable;
use crate::support::mcp_client::PATIENCE;
use crate::support::page::{Page, Reply, VIEWS, encoded};
use crate::support::sandbox::Sandbox;

#[test]
fn the_link_works_once_and_the_token_is_removed_from_the_address() {
    let sandbox = Sandbox::new();
    let page = Page::open(&sandbox);
    let token = page.token.clone();
    let first = page.request(&format!("GET /plan?token={token}&plan=p-abcdef"), &[], "");
    assert_eq!(first.status, 303);
    assert_eq!(first.header("Location"), Some("/plan?plan=p-abcdef"));
    let cookie = first.header("Set-Cookie").unwrap();
    assert!(
        cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"),
        "{cookie}"
    );
    let pass = cookie.split(';').next().unwrap().to_owned();
    assert!(
        !pass.contains(&token),
        "the link and the cookie are different secrets"
    );
    let shown = page.request("GET /", &[("Cookie", &pass)], "");
    assert_eq!(shown.status, 200);
    assert!(
        !shown.body.contains(&token) && !shown.body.contains(pass.split('=').next_back().unwrap()),
        "no page contains a secret"
    );
    // A second use of the link is refused.
    let again = page.request(&format!("GET /?token={token}"), &[], "");
    assert_eq!(again.status, 401);
    assert!(again.header("Set-Cookie").is_none() && again.body.contains("works once"));
    let as_cookie = format!("bugle-{}={token}", page.port);
    assert_eq!(page.request("GET /", &[("Cookie", &as_cookie)], "").status, 401);
}

#[test]
fn a_restarted_server_accepts_no_earlier_link_or_cookie() {
    let sandbox = Sandbox::new();
    let first = Page::open(&sandbox);
    let (token, cookie) = (first.token.clone(), first.cookie());
    let value = cookie.split_once('=').unwrap().1.to_owned();
    drop(first);
    let second = Page::open(&sandbox);
    assert_ne!(second.token, token);
    let old = format!("bugle-{}={value}", second.port);
    assert_eq!(second.request("GET /", &[("Cookie", &old)], "").status, 401);
    assert_eq!(
        second.request(&format!("GET /?token={token}"), &[], "").status,
        401
    );
    assert_eq!(second.get("/").status, 200);
    let files: Vec<String> = std::fs::read_dir(sandbox.bugle_home())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(!files.iter().any(|file| file.starts_with("page-")), "{files:?}");
}

#[test]
fn a_private_file_redirects_the_browser_and_is_removed_with_the_link() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    let opened = sandbox.root().join("opened");
    let script = format!(
        "#!/bin/sh\nprintf %s \"$1\" > {}.part\nmv {0}.part {0}\n",
        opened.display()
    );
    write_executable(&sandbox.root().join("bin/xdg-open"), &script);
    let mut terminal = Terminal::start(&sandbox.bugle(&["ui", "--port", "0"]), (200, 20));
    terminal.wait_for("This link works once");
    let begun = Instant::now();
    while !opened.exists() && begun.elapsed() < PATIENCE {
        std::thread::yield_now();
    }
    let words = std::fs::read_to_string(&opened).unwrap();
    assert!(!words.contains("token"), "{words}");
    let text = std::fs::read_to_string(&words).unwrap();
    let mode = std::fs::metadata(&words).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let link = text.split("url=http://127.0.0.1:").nth(1).unwrap();
    let (port, rest) = link.split_once("/?token=").unwrap();
    let token = rest.split('"').next().unwrap();
    let page = Visitor(port.parse().unwrap());
    // A browser withholds the cookie when a local file redirects to the server. The page's own request sends it.
    let let_in = page.get(&format!("/?token={token}"), "Sec-Fetch-Site: cross-site\r\n");
    assert!(let_in.status == 200 && let_in.header("Set-Cookie").is_some());
    assert!(let_in.body.contains("content=\"0;url=/\""), "{}", let_in.body);
    assert!(
        !std::path::Path::new(&words).exists(),
        "a used link leaves no file"
    );
    terminal.terminate();
}

/// A browser that visits a dashboard started in a terminal.
struct Visitor(u16);

impl Visitor {
    fn get(&self, path: &str, headers: &str) -> Reply {
        let mut stream = TcpStream::connect(("127.0.0.1", self.0)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nConnection: close\r\nHost: 127.0.0.1:{}\r\n{headers}\r\n",
            self.0
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        Reply::parse(&answer)
    }
}

#[test]
fn without_the_token_every_path_is_refused_with_instructions() {
    let sandbox = Sandbox::new();
    let page = Page::open(&sandbox);
    let changed = format!("{}0", page.cookie());
    let wrong = format!("bugle-{}=wrong", page.port);
    let half = &page.cookie()[..20];
    let paths = VIEWS.into_iter().chain([
        "/events",
        "/style.css",
        "/live.js",
        "/icon.svg",
        "/no-such-page",
        "/?token=wrong",
    ]);
    for path in paths {
        for headers in [
            vec![],
            vec![("Cookie", wrong.as_str())],
            vec![("Cookie", changed.as_str())],
            vec![("Cookie", half)],
            vec![("Authorization", "Bearer x")],
        ] {
            let reply = page.request(&format!("GET {path}"), &headers, "");
            assert_eq!(reply.status, 401, "{path} {headers:?}");
            assert!(
                reply.body.contains("Run <code>bugle ui</code> again"),
                "{}",
                reply.body
            );
            assert!(!reply.body.contains(&page.token));
        }
    }
    let wrong_token = page.request("GET /?token=wrong", &[("Cookie", &page.cookie())], "");
    assert_eq!(
        wrong_token.status, 401,
        "a wrong token is refused for every client"
    );
    let posted = page.request("POST /say", &[("Origin", &page.origin())], "text=x");
    assert_eq!(posted.status, 401);
}

#[test]
fn a_foreign_host_name_is_refused() {
    let sandbox = Sandbox::new();
    let page = Page::open(&sandbox);
    let cookie = page.cookie();
    let other_port = format!("127.0.0.1:{}", page.port ^ 1);
    let dressed_up = format!("127.0.0.1:{}.evil.example", page.port);
    for host in [
        "evil.example",
        "127.0.0.1",
        "0.0.0.0",
        "",
        &other_port,
        &dressed_up,
    ] {
        for line in [
            "GET /".to_owned(),
            format!("GET /?token={}", page.token),
            "POST /say".to_owned(),
        ] {
            let reply = page.request(&line, &[("Host", host), ("Cookie", &cookie)], "");
            assert_eq!(reply.status, 403, "{host:?} {line}");
            assert!(reply.header("Set-Cookie").is_none());
        }
    }
    let by_name = format!("localhost:{}", page.port);
    assert_eq!(
        page.request("GET /", &[("Host", &by_name), ("Cookie", &cookie)], "")
            .status,
        200
    );
}

#[test]
fn only_this_servers_forms_can_change_anything() {
    let sandbox = Sandbox::new();
    sandbox.run(&["say", "hello", "--as", "backend"]).ok();
    let page = Page::open(&sandbox);
    let (cookie, own) = (page.cookie(), page.origin());
    let other_port = format!("http://127.0.0.1:{}", page.port ^ 1);
    let secure = own.replace("http:", "https:");
    let form = encoded(&[("branch", "-"), ("text", "this was not me")]);
    for headers in [
        vec![],
        vec![("Origin", "https://evil.example")],
        vec![("Origin", "null")],
        vec![("Origin", secure.as_str())],
        vec![("Origin", other_port.as_str())],
        vec![("Origin", own.as_str()), ("Sec-Fetch-Site", "cross-site")],
        vec![("Origin", own.as_str()), ("Sec-Fetch-Site", "same-site")],
        vec![("Sec-Fetch-Site", "cross-site")],
        vec![("Sec-Fetch-Site", "none")],
    ] {
        let headers: Vec<(&str, &str)> = headers.into_iter().chain([("Cookie", cookie.as_str())]).collect();
        let reply = page.request("POST /say", &headers, &form);
        assert_eq!(reply.status, 403, "{headers:?}");
        assert!(reply.body.contains("Nothing was changed"), "{}", reply.body);
    }
    for headers in [
        vec![("Origin", own.as_str())],
        vec![("Sec-Fetch-Site", "same-origin")],
        vec![("Origin", "null"), ("Sec-Fetch-Site", "same-origin")],
    ] {
        let form_headers = [
            ("Cookie", cookie.as_str()),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ];
        let headers: Vec<(&str, &str)> = headers.into_iter().chain(form_headers).collect();
        assert_eq!(
            page.request("POST /say", &headers, &form).status,
            303,
            "{headers:?}"
        );
    }
    let said = sandbox.run(&["messages", "--json"]).ok().json();
    assert_eq!(said["data"]["messages"].as_array().unwrap().len(), 4);
}

#[test]
fn every_response_has_security_headers() {
    let sandbox = Sandbox::new();
    let page = Page::open(&sandbox);
    let turned_away = page.request("GET /", &[], "");
    let paths = VIEWS.into_iter().chain([
        "/style.css",
        "/live.js",
        "/icon.svg",
        "/no-such-page",
        "/runs/r-zzzzzz",
    ]);
    for reply in paths.map(|path| page.get(path)).chain([turned_away]) {
        let policy = reply.header("Content-Security-Policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; ") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(
            !policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"),
            "{policy}"
        );
        for (name, value) in [
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
        ] {
            assert_eq!(reply.header(name), Some(value), "{name}");
        }
        assert!(reply.header("Content-Type").is_some());
    }
}

#[test]
fn pages_load_nothing_external_and_nothing_that_the_policy_forbids() {
    let sandbox = Sandbox::new();
    sandbox.start(&["planner", "task=Let people pay by invoice"]);
    let page = Page::open(&sandbox);
    let run = page.get("/runs");
    let id = run
        .body
        .split("href=\"/runs/")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    let paths = VIEWS
        .into_iter()
        .map(str::to_owned)
        .chain([format!("/runs/{id}"), "/skill?name=planner".to_owned()]);
    for path in paths {
        let body = page.get(&path).body;
        for forbidden in [
            "<style",
            " style=",
            " onclick",
            "javascript:",
            "src=\"http",
            "href=\"http",
            "<script>",
        ] {
            assert!(!body.contains(forbidden), "{path} has {forbidden}");
        }
        assert!(
            body.contains("<html lang=\"en\">") && body.contains("<title>"),
            "{path}"
        );
        assert_eq!(body.matches("<h1>").count(), 1, "{path}");
        if VIEWS.contains(&path.as_str()) {
            assert_eq!(body.matches("aria-current=\"page\"").count(), 1, "{path}");
        }
    }
    assert!(page.get("/live.js").body.lines().count() < 200);
}

#[test]
fn unknown_paths_and_bad_requests_get_plain_errors() {
    let sandbox = Sandbox::new();
    let page = Page::open(&sandbox);
    for (path, status, words) in [
        ("/no-such-page", 404, "Page not found"),
        ("/runs/r-zzzzzz", 404, "r-zzzzzz"),
        ("/runs/nonsense", 400, "nonsense"),
        ("/runs/r-zzzzzz/explode", 404, "explode"),
        ("/wakeups/w-zzzzzz", 404, "w-zzzzzz"),
        ("/plan?project=p-zzz", 404, "there is no project p-zzz"),
        ("/agent?address=nobody", 404, "nobody"),
        ("/skill?name=nonsense", 404, "nonsense"),
        ("/skill?name=..%2F..%2Fetc", 404, "../../etc"),
    ] {
        let reply = page.get(path);
        assert_eq!(reply.status, status, "{path}: {}", reply.body);
        assert!(reply.body.contains(words), "{path}: {}", reply.body);
    }
    assert_eq!(page.post("/runs", &[]).status, 405);
}

#[test]
fn a_taken_port_is_an_error_and_a_signal_ends_the_server_with_open_streams() {
    let sandbox = Sandbox::new();
    let page = Page::open(&sandbox);
    let taken = sandbox.run(&["ui", "--no-open", "--port", &page.port.to_string()]);
    taken.fails(2, "Choose another port with `--port`");
    let _listening = page.listen();
    assert_eq!(page.end(&sandbox), Some(0));
}
