//! Finds requests whose line is too long. The transport drops such a line. This module extracts the request's id, so
//! that the client still receives an error.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use rmcp::ErrorData;
use rmcp::model::RequestId;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Maximum length of a line in bytes, including the line break.
pub(super) const LONGEST_LINE: usize = 16 * 1024 * 1024;
/// Maximum number of bytes kept of a key or an id.
const LONGEST_PART: usize = 256;

/// A line that was too long.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LongLine {
    /// The request's id, if the line is an object with one.
    pub id: Option<RequestId>,
    length: usize,
}

impl LongLine {
    /// The error for the client.
    pub(super) fn error(&self) -> ErrorData {
        let message = format!(
            "The request is {} bytes long; the limit is {LONGEST_LINE}. Nothing was changed. Write long text to \
             a file and pass its path instead.",
            self.length
        );
        ErrorData::invalid_request(message, None)
    }
}

/// Reports each input line that is too long. Passes the input on unchanged.
pub(super) fn watched<R>(input: R) -> (Watched<R>, UnboundedReceiver<LongLine>) {
    let (report, long) = unbounded_channel();
    let watched = Watched {
        input,
        line: Line::default(),
        report,
    };
    (watched, long)
}

/// Wraps an input and reports each line that is too long.
pub(super) struct Watched<R> {
    input: R,
    line: Line,
    report: UnboundedSender<LongLine>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.input).poll_read(context, buffer);
        for byte in buffer.filled().get(before..).unwrap_or_default() {
            self.line.read(*byte);
            if *byte == b'\n' {
                let line = std::mem::take(&mut self.line);
                if line.length > LONGEST_LINE {
                    // Sending fails once the connection has ended.
                    let _ = self.report.send(LongLine {
                        id: line.id,
                        length: line.length,
                    });
                }
            }
        }
        read
    }
}

/// Scans a line for the `id` member of its object.
#[derive(Default)]
struct Line {
    length: usize,
    depth: usize,
    quoted: bool,
    escaped: bool,
    /// The beginning of the current key or value.
    part: Vec<u8>,
    is_id: bool,
    id: Option<RequestId>,
}

impl Line {
    fn read(&mut self, byte: u8) {
        self.length += 1;
        if self.quoted {
            self.quoted = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
            self.keep(byte);
            return;
        }
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.end_member();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_member(),
            b':' if self.depth == 1 => {
                self.is_id = self.part.trim_ascii() == b"\"id\"";
                self.part.clear();
            }
            _ => {
                self.quoted = byte == b'"';
                self.keep(byte);
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.part.len() < LONGEST_PART {
            self.part.push(byte);
        }
    }

    fn end_member(&mut self) {
        if self.depth == 1 {
            if self.is_id {
                self.id = serde_json::from_slice(&self.part).ok();
            }
            self.is_id = false;
            self.part.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(line: &str) -> Option<RequestId> {
        let mut read = Line::default();
        line.bytes().for_each(|byte| read.read(byte));
        assert_eq!(read.length, line.len());
        read.id
    }

    #[test]
    fn the_id_of_a_request_is_found_anywhere_in_the_line() {
        let number = Some(RequestId::Number(7));
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#), number);
        assert_eq!(id(r#"{"params":{"id":1,"a":[{"id":2}]}, "id" : 7 }"#), number);
        assert_eq!(id(r#"{"a":"\"id\":1,{[\\","id":7}"#), number);
        assert_eq!(
            id(r#"{"id":"a\"b","x":1}"#),
            Some(RequestId::String("a\"b".into()))
        );
        for line in [
            "",
            "[]",
            r#"{"method":"id"}"#,
            r#"{"params":{"id":7}}"#,
            r#"[{"id":7}]"#,
            r#"{"id":null}"#,
            r#"{"id":[7]}"#,
            r#"{"id":7"#,
            "}}}{\"",
        ] {
            assert_eq!(id(line), None, "{line}");
        }
        let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(1000));
        assert_eq!(id(&long), None);
    }
}
