//! Server-sent events, read as they arrive.

/// The longest event that is read, in bytes. A longer one is none that a model sends.
const EVENT_MAX: usize = 16 * 1024 * 1024;

/// One event: its name, if it has one, and its data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    pub(crate) name: String,
    pub(crate) data: String,
}

/// An event is longer than any that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is longer than {EVENT_MAX} bytes")]
pub(crate) struct TooLong;

/// Puts events together from bytes, wherever those are cut. Holds one event at most.
#[derive(Debug, Default)]
pub(crate) struct SseReader {
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    after_return: bool,
    is_started: bool,
}

impl SseReader {
    /// Takes what arrived; gives the events that it completes.
    ///
    /// # Errors
    /// An event is too long.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, TooLong> {
        let mut events = Vec::new();
        for byte in bytes {
            let ends = match byte {
                // Of a return and a new line the second ends nothing.
                b'\n' if std::mem::take(&mut self.after_return) => continue,
                b'\n' => true,
                b'\r' => {
                    self.after_return = true;
                    true
                }
                _ => {
                    self.after_return = false;
                    self.line.push(*byte);
                    false
                }
            };
            if ends {
                events.extend(self.end_line());
            } else if self.line.len() + self.event.data.len() > EVENT_MAX {
                return Err(TooLong);
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let line = if std::mem::replace(&mut self.is_started, true) {
            &line
        } else {
            line.trim_start_matches('\u{feff}')
        };
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.has_data = true;
                self.event.data.push_str(value);
            }
            "event" => value.clone_into(&mut self.event.name),
            // Comments, ids, and what is not known.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, piece: usize) -> Vec<(String, String)> {
        let mut reader = SseReader::default();
        let pieces = text.as_bytes().chunks(piece);
        pieces.flat_map(|piece| reader.push(piece).unwrap()).map(|event| (event.name, event.data)).collect()
    }

    #[test]
    fn events_are_put_together_wherever_the_bytes_are_cut() {
        let text = "\u{feff}data: {\"a\":\"é\u{1f389}\"}\n\n: comment\r\nevent: ping\r\ndata:x\r\ndata:\r\n\r\nid: 7\n\ndata: last\r\rdata: never";
        let expected = [("", "{\"a\":\"é\u{1f389}\"}"), ("ping", "x\n"), ("", "last")];
        let expected: Vec<_> = expected.map(|(name, data)| (name.to_owned(), data.to_owned())).into();
        for piece in 1..text.len() {
            assert_eq!(read(text, piece), expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn an_event_that_never_ends_is_given_up() {
        let mut reader = SseReader::default();
        let piece = vec![b'x'; 1 << 20];
        let given_up = (0..17).find(|_| reader.push(&piece).is_err());
        assert_eq!(given_up, Some(16));
    }
}
