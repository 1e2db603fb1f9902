//! Request parameters, from the query string or a form.

use serde::Deserialize;

/// The name-value pairs of a query string or form.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "Vec<(String, String)>")]
pub(super) struct Params(Vec<(String, String)>);

impl From<Vec<(String, String)>> for Params {
    fn from(pairs: Vec<(String, String)>) -> Self {
        // Browsers end lines in form fields with CR LF.
        let pairs = pairs
            .into_iter()
            .map(|(name, value)| (name, value.replace("\r\n", "\n")));
        Self(pairs.collect())
    }
}

impl Params {
    /// The value with this name, unless it is empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(own, _)| own == name);
        found
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// The value with this name as a number.
    pub(super) fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }

    /// Makes this run's page the page to return to, unless the request names another page.
    pub(super) fn or_back_to_run(mut self, run: &str) -> Self {
        if self.get("back").is_none() {
            let back = format!("/runs/{}", bugle_render::page::url(run));
            self.0.push(("back".to_owned(), back));
        }
        self
    }

    /// The page to return to. Always on this server.
    pub(super) fn back(&self) -> &str {
        let back = self.get("back").unwrap_or("/");
        let is_own = back.starts_with('/') && !back.starts_with("//") && !back.contains(['\\', '\r', '\n']);
        if is_own { back } else { "/" }
    }
}

#[cfg(test)]
mod tests {
    use axum::extract::Query;
    use axum::http::Uri;

    use super::*;

    fn params(query: &str) -> Params {
        let uri: Uri = format!("/?{query}").parse().unwrap();
        Query::try_from_uri(&uri).unwrap().0
    }

    #[test]
    fn a_form_is_decoded() {
        let params = params("text=one%0D%0Atwo+%26+%C3%B6&empty=&odd=100%&n=7&=x");
        assert_eq!(params.get("text"), Some("one\ntwo & ö"));
        assert_eq!(params.get("empty"), None);
        assert_eq!(params.get("odd"), Some("100%"));
        assert_eq!(params.number::<u32>("n"), Some(7));
        assert_eq!(params.number::<u32>("odd"), None);
    }

    #[test]
    fn the_back_link_stays_on_this_server() {
        let back = |to: &str| params(&format!("back={to}")).back().to_owned();
        assert_eq!(back("/agents"), "/agents");
        for elsewhere in [
            "//evil.example",
            "http://evil.example",
            "/%5Cevil",
            "/%0D%0Ax",
            "x",
        ] {
            assert_eq!(back(elsewhere), "/", "{elsewhere}");
        }
    }
}
