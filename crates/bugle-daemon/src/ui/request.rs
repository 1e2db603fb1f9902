//! What a request asks for: its path, and the pairs of its query or form.

/// Something that is asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    /// The parts of the path that vary.
    pub parts: Vec<String>,
    pairs: Vec<(String, String)>,
}

impl Asked {
    /// Reads what a query or a form says.
    pub(super) fn of(parts: Vec<String>, encoded: &str) -> Self {
        let pairs = encoded
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                (decoded(name), decoded(value))
            })
            .collect();
        Self { parts, pairs }
    }

    /// The value of this name, unless it is empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.pairs.iter().find(|(own, _)| own == name);
        found
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// The number of this name.
    pub(super) fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }

    /// The nth part of the path that varies.
    pub(super) fn part(&self, nth: usize) -> &str {
        self.parts.get(nth).map_or("", String::as_str)
    }

    /// Whoever comes from no page in particular, and wanted something of a run, goes back to the run.
    pub(super) fn or_back_to_run(mut self) -> Self {
        if let Some(run) = self.parts.first().filter(|_| self.get("back").is_none()) {
            let back = format!("/runs/{}", bugle_render::page::url(run));
            self.pairs.push(("back".to_owned(), back));
        }
        self
    }

    /// Where whoever could not be given what they asked for may go on: a page of this server, and no other place.
    pub(super) fn way_back(&self) -> &str {
        let back = self.get("back").unwrap_or("/");
        let is_own = back.starts_with('/') && !back.starts_with("//") && !back.contains(['\\', '\r', '\n']);
        if is_own { back } else { "/" }
    }
}

/// Takes the encoding of addresses and forms away. What is not encoded properly stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let hex = |at: usize| behind.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                rest = behind.get(2..).unwrap_or_default();
            }
            (b'+', _, _) => {
                bytes.push(b' ');
                rest = behind;
            }
            (other, _, _) => {
                bytes.push(*other);
                rest = behind;
            }
        }
    }
    // A browser sends the line ends of forms in its own way.
    String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_read_as_it_was_filled_in() {
        let asked = Asked::of(Vec::new(), "text=one%0D%0Atwo+%26+%C3%B6&empty=&odd=100%&n=7&=x");
        assert_eq!(asked.get("text"), Some("one\ntwo & ö"));
        assert_eq!(asked.get("empty"), None);
        assert_eq!(asked.get("odd"), Some("100%"));
        assert_eq!(asked.number::<u32>("n"), Some(7));
        assert_eq!(asked.number::<u32>("odd"), None);
    }

    #[test]
    fn the_way_back_never_leads_elsewhere() {
        let back = |to: &str| Asked::of(Vec::new(), &format!("back={to}")).way_back().to_owned();
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
