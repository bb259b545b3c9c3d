use band_wire::rest::{ContextPage, Cursored, Data, Paged};

use super::golden;
use crate::samples::shared::{
    agents_page, bare_message, delivery, full_page, last_page, message, page, refused_upgrade,
    validation_error,
};

#[test]
fn messages() {
    golden!("message", both message());
    golden!("message_bare", both bare_message());
    golden!("delivery_record", both delivery());
}

#[test]
fn pages() {
    golden!("data", both Data { data: "x".to_owned() });
    golden!("paged", both Paged { data: vec![1], metadata: page() });
    golden!("cursored_last", both last_page());
    let status_filter = Some("pending".to_owned());
    golden!("cursored_full", both Cursored { status_filter, ..full_page() });
    golden!("cursored_around", both Cursored { has_older: Some(true), has_newer: Some(false), ..last_page() });
    golden!("context_page", both ContextPage::from(Paged { data: vec![1], metadata: last_page() }));
    golden!("agents_page", both agents_page());
}

#[test]
fn errors() {
    golden!("error", both validation_error());
    golden!("error_upgrade", both refused_upgrade());
}
