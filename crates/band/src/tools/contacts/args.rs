//! The arguments of the tools for contacts, read as leniently as models need it.

use band_wire::rest::ContactAction;
use band_wire::rest::query::SentFilter;
use band_wire::{ContactId, ContactRequestId};
use serde_json::{Map, Value};

use super::super::dispatch::{Problems, object};

/// Entries a page, unless it is said.
const PAGE_SIZE: u64 = 50;
/// Entries a page at most.
const MAX_PAGE_SIZE: u64 = 100;

const NO_INTEGER: &str = "Input should be a valid integer";

#[derive(Debug)]
pub(super) struct List {
    pub(super) page: u64,
    pub(super) page_size: u64,
}

#[derive(Debug)]
pub(super) struct Add {
    pub(super) handle: String,
    pub(super) message: Option<String>,
}

#[derive(Debug)]
pub(super) struct Remove {
    pub(super) handle: Option<String>,
    pub(super) contact: Option<ContactId>,
}

#[derive(Debug)]
pub(super) struct ListRequests {
    pub(super) list: List,
    pub(super) sent: SentFilter,
}

#[derive(Debug)]
pub(super) struct Respond {
    pub(super) action: ContactAction,
    pub(super) handle: Option<String>,
    pub(super) request: Option<ContactRequestId>,
}

impl List {
    pub(super) fn read(args: Value) -> Result<Self, Problems> {
        let mut args = Reader::new(args)?;
        let list = args.page();
        args.end(list)
    }
}

impl Add {
    pub(super) fn read(args: Value) -> Result<Self, Problems> {
        let mut args = Reader::new(args)?;
        let handle = match args.required("handle") {
            Some(handle) if handle.trim().is_empty() => args.problem("handle", "Value error, can't be blank"),
            handle => handle,
        };
        let message = args.text("message");
        args.end(Self { handle: handle.unwrap_or_default(), message })
    }
}

impl Remove {
    pub(super) fn read(args: Value) -> Result<Self, Problems> {
        let mut args = Reader::new(args)?;
        let handle = args.text("handle");
        let contact = args.id("contact_id");
        args.end(Self { handle, contact })
    }
}

impl ListRequests {
    pub(super) fn read(args: Value) -> Result<Self, Problems> {
        let mut args = Reader::new(args)?;
        let list = args.page();
        let sent = args.sent("sent_status");
        args.end(Self { list, sent })
    }
}

impl Respond {
    pub(super) fn read(args: Value) -> Result<Self, Problems> {
        const WORDS: &str = "Input should be 'approve', 'reject' or 'cancel'";
        let mut args = Reader::new(args)?;
        let action = match args.0.remove("action") {
            None => args.problem("action", "Field required"),
            Some(word) => match word.as_str().and_then(ContactAction::parse) {
                None => args.problem("action", WORDS),
                action => action,
            },
        };
        let handle = args.text("handle");
        let request = args.id("request_id");
        // Without an action there is a problem, and the end says so.
        args.end(Self { action: action.unwrap_or(ContactAction::Reject), handle, request })
    }
}

/// The arguments, and what is wrong with those that were read.
struct Reader(Map<String, Value>, Problems);

impl Reader {
    fn new(args: Value) -> Result<Self, Problems> {
        Ok(Self(object(args)?, Problems::new()))
    }

    fn problem<T>(&mut self, field: &str, problem: &'static str) -> Option<T> {
        self.1.push((field.to_owned(), problem));
        None
    }

    fn end<T>(self, read: T) -> Result<T, Problems> {
        if self.1.is_empty() { Ok(read) } else { Err(self.1) }
    }

    fn required(&mut self, field: &str) -> Option<String> {
        match self.0.remove(field) {
            Some(Value::String(text)) => Some(text),
            Some(_) => self.problem(field, "Input should be a valid string"),
            None => self.problem(field, "Field required"),
        }
    }

    /// One that may be left out. Models write an empty text for that, too.
    fn text(&mut self, field: &str) -> Option<String> {
        match self.0.remove(field) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text).filter(|text| !text.trim().is_empty()),
            Some(_) => self.problem(field, "Input should be a valid string"),
        }
    }

    fn id<T: std::str::FromStr>(&mut self, field: &str) -> Option<T> {
        let text = self.text(field)?;
        match text.trim().parse() {
            Ok(id) => Some(id),
            Err(_) => self.problem(field, "Input should be a valid UUID"),
        }
    }

    fn sent(&mut self, field: &str) -> SentFilter {
        const WORDS: &str = "Input should be 'pending', 'approved', 'rejected', 'cancelled' or 'all'";
        const PENDING: &str = "pending";
        let word = self.0.remove(field).unwrap_or_else(|| PENDING.into());
        let sent = word.as_str().and_then(SentFilter::parse);
        sent.or_else(|| self.problem(field, WORDS)).unwrap_or(SentFilter::All)
    }

    fn page(&mut self) -> List {
        let page = self.integer("page", 1, u64::MAX, "");
        let most = "Input should be less than or equal to 100";
        List { page, page_size: self.integer("page_size", PAGE_SIZE, MAX_PAGE_SIZE, most) }
    }

    /// From 1 to the most.
    fn integer(&mut self, field: &str, default: u64, most: u64, too_much: &'static str) -> u64 {
        let Some(value) = self.0.remove(field) else { return default };
        let read = match whole(&value) {
            Ok(number) if number < 1 => Err("Input should be greater than or equal to 1"),
            Ok(number) => match u64::try_from(number) {
                Ok(number) if number <= most => Ok(number),
                _ => Err(too_much),
            },
            Err(problem) => Err(problem),
        };
        read.unwrap_or_else(|problem| self.problem(field, problem).unwrap_or(default))
    }
}

/// Models write whole numbers in several ways.
fn whole(value: &Value) -> Result<i64, &'static str> {
    match value {
        Value::Bool(yes) => Ok(i64::from(*yes)),
        Value::String(text) => {
            let number = text.trim().parse();
            number.map_err(|_| "Input should be a valid integer, unable to parse string as an integer")
        }
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Ok(whole),
            (None, Some(real)) if real.fract() != 0.0 => {
                Err("Input should be a valid integer, got a number with a fractional part")
            }
            (None, Some(real)) => format!("{real:.0}").parse().map_err(|_| NO_INTEGER),
            (None, None) => Err(NO_INTEGER),
        },
        _ => Err(NO_INTEGER),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problems<T: std::fmt::Debug>(read: Result<T, Problems>) -> String {
        let told = read.unwrap_err().into_iter().map(|(field, problem)| format!("{field}: {problem}"));
        told.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn whole_numbers_may_be_written_in_several_ways() {
        let table = [
            (json!({}), 1, 50),
            (json!({ "page": "7", "page_size": 100 }), 7, 100),
            (json!({ "page": true, "page_size": 10.0, "extra": [] }), 1, 10),
        ];
        for (args, page, page_size) in table {
            let list = List::read(args.clone()).unwrap();
            assert_eq!((list.page, list.page_size), (page, page_size), "{args}");
        }
        let table = [
            (
                json!({ "page": 0, "page_size": 101 }),
                "page: Input should be greater than or equal to 1, page_size: Input should be less than or equal to 100",
            ),
            (
                json!({ "page": "x", "page_size": 1.5 }),
                "page: Input should be a valid integer, unable to parse string as an integer, \
                 page_size: Input should be a valid integer, got a number with a fractional part",
            ),
            (json!({ "page": null }), "page: Input should be a valid integer"),
            (json!({ "page": 1e30 }), "page: Input should be a valid integer"),
        ];
        for (args, told) in table {
            assert_eq!(problems(List::read(args.clone())), told, "{args}");
        }
    }

    #[test]
    fn words_and_ids_that_do_not_fit_are_named_with_those_that_do() {
        assert_eq!(
            problems(Respond::read(json!({ "action": "accept", "handle": 7, "request_id": "7f0c…" }))),
            "action: Input should be 'approve', 'reject' or 'cancel', handle: Input should be a valid string, \
             request_id: Input should be a valid UUID"
        );
        assert_eq!(problems(Respond::read(json!({}))), "action: Field required");
        let words = "sent_status: Input should be 'pending', 'approved', 'rejected', 'cancelled' or 'all'";
        for word in [json!("expired"), json!(null), json!(1)] {
            assert_eq!(problems(ListRequests::read(json!({ "sent_status": word }))), words);
        }
        let sent = |args| ListRequests::read(args).unwrap().sent.status().map(|status| status.to_string());
        assert_eq!(sent(json!({})).as_deref(), Some("pending"));
        assert_eq!(sent(json!({ "sent_status": "all" })), None);
        assert_eq!(
            problems(Add::read(json!({ "message": 1 }))),
            "handle: Field required, message: Input should be a valid string"
        );
        assert_eq!(problems(Add::read(json!({ "handle": " " }))), "handle: Value error, can't be blank");
    }
}
