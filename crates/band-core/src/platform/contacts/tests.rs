//! The tables of contacts.

use serde_json::Value;
use uuid::Uuid;

use super::*;
use crate::platform::Member;
use crate::platform::test_site::{agent, at, bot, person, user};

fn candidate(member: &Member) -> Candidate {
    Candidate {
        id: member.id,
        kind: member.kind,
        name: member.name.clone(),
        handle: member.handle.clone(),
        description: member.description.clone(),
        owner: member.owner,
        shared_with_organization: false,
        listed_in_directory: true,
        tags: vec!["t".to_owned()],
    }
}

fn record(number: u128) -> ContactId {
    ContactId::new(Uuid::from_u128(number))
}

/// Ann's agent Echo, and Bob.
fn sides() -> (Candidate, Candidate) {
    (candidate(&agent(2, "Echo", 1)), candidate(&person(3, "Bob")))
}

fn asking<'a>(requester: &'a Candidate, recipient: &'a Candidate) -> Asking<'a> {
    Asking {
        requester,
        recipient,
        are_contacts: false,
        sent: None,
        received: None,
        id: ContactRequestId::new(Uuid::from_u128(70)),
        records: (record(81), record(82)),
        now: at(5),
    }
}

fn open() -> ContactRequestRow {
    let (echo, bob) = sides();
    ask(&asking(&echo, &bob), Some("hello".to_owned())).unwrap().answer
}

fn told(pushes: &[Push]) -> Vec<String> {
    pushes
        .iter()
        .map(|push| format!("{} {}", push.topic.to_string().split(':').next().unwrap(), push.event))
        .collect()
}

#[test]
fn a_request_is_stored_and_its_recipient_told_in_the_form_it_reads() {
    let (echo, bob) = sides();
    let plan = ask(&asking(&echo, &bob), Some("hello".to_owned())).unwrap();
    assert_eq!(plan.answer.status, ContactRequestStatus::Pending);
    assert!(matches!(plan.writes.as_slice(), [Write::AddContactRequest(_)]));
    assert_eq!(told(&plan.pushes), ["user_contacts contact_request_received"]);
    let payload: Value = serde_json::from_str(&plan.pushes[0].payload).unwrap();
    assert_eq!(
        (&payload["requester"]["handle"], &payload["responded_at"]),
        (&"ann/echo".into(), &Value::Null)
    );

    let plan = ask(&asking(&bob, &echo), None).unwrap();
    assert_eq!(told(&plan.pushes), ["agent_contacts contact_request_received"]);
    let payload: Value = serde_json::from_str(&plan.pushes[0].payload).unwrap();
    assert_eq!((&payload["from_handle"], payload.get("message")), (&"bob".into(), None));
    band_wire::event::validate("contact_request_received", payload).unwrap();
}

#[test]
fn oneself_a_contact_and_a_second_request_are_conflicts() {
    let (echo, bob) = sides();
    let pending = open();
    let table = [
        asking(&echo, &echo),
        Asking { are_contacts: true, ..asking(&echo, &bob) },
        Asking { sent: Some(&pending), ..asking(&echo, &bob) },
    ];
    for facts in table {
        assert_eq!(ask(&facts, None).unwrap_err().status, 409, "{facts:?}");
    }
}

#[test]
fn asking_back_approves_and_each_side_gets_its_own_record() {
    let (echo, bob) = sides();
    let pending = open();
    let plan = ask(&Asking { received: Some(&pending), ..asking(&bob, &echo) }, None).unwrap();
    assert_eq!((plan.answer.id, plan.answer.status), (pending.id, ContactRequestStatus::Approved));
    assert_eq!(
        told(&plan.pushes),
        [
            "agent_contacts contact_request_updated",
            "user_contacts contact_request_updated",
            "agent_contacts contact_added",
            "user_contacts contact_added",
        ]
    );
    let payloads: Vec<Value> =
        plan.pushes.iter().map(|push| serde_json::from_str(&push.payload).unwrap()).collect();
    assert_eq!((&payloads[2]["id"], &payloads[2]["handle"]), (&record(82).to_string().into(), &"bob".into()));
    assert_eq!((&payloads[3]["id"], &payloads[3]["tags"][0]), (&record(81).to_string().into(), &"t".into()));
    for (push, payload) in plan.pushes.iter().zip(payloads) {
        band_wire::event::validate(push.event, payload).unwrap();
    }
}

#[test]
fn the_table_of_settling_holds() {
    use ContactAction::{Approve, Cancel, Reject};
    let (echo, bob) = sides();
    // Echo, which is Ann's, asked Bob.
    let table = [
        (user(3), Approve, 200),
        (user(3), Reject, 200),
        (user(3), Cancel, 403),
        (bot(2, 1), Cancel, 200),
        (bot(2, 1), Approve, 403),
        (user(1), Cancel, 200),
        (user(1), Reject, 403),
        (user(9), Approve, 404),
        (bot(4, 1), Cancel, 404),
        (bot(4, 3), Approve, 404),
    ];
    let pending = open();
    let over = ContactRequestRow { status: ContactRequestStatus::Cancelled, ..pending.clone() };
    let status = |request, who, action| {
        let facts = Settling {
            request,
            requester: &echo,
            recipient: &bob,
            records: (record(81), record(82)),
            now: at(6),
        };
        settle(&facts, who, action).map_or_else(|refusal| refusal.status, |_| 200)
    };
    for (who, action, wanted) in table {
        assert_eq!(status(&pending, who, action), wanted, "{who:?} {action}");
        let again = if wanted == 200 { 409 } else { wanted };
        assert_eq!(status(&over, who, action), again, "{who:?} {action} again");
    }
}

#[test]
fn a_rejection_makes_no_contact_and_tells_both() {
    let (echo, bob) = sides();
    let pending = open();
    let facts = Settling {
        request: &pending,
        requester: &echo,
        recipient: &bob,
        records: (record(81), record(82)),
        now: at(6),
    };
    let plan = settle(&facts, user(3), ContactAction::Reject).unwrap();
    assert_eq!(plan.writes.len(), 1);
    assert_eq!(plan.answer.responded_at, Some(at(6)));
    assert_eq!(
        told(&plan.pushes),
        ["agent_contacts contact_request_updated", "user_contacts contact_request_updated"]
    );
}

#[test]
fn a_deletion_tells_the_others_alone() {
    let (echo, bob) = sides();
    let row = |id, owner: &Candidate, contact: &Candidate| ContactRow {
        id,
        owner: owner.id,
        owner_kind: owner.kind,
        contact: contact.id,
        contact_kind: contact.kind,
        inserted_at: at(1),
    };
    let contacts = [row(record(1), &echo, &bob), row(record(2), &bob, &echo)];
    let plan = forget(echo.id, &contacts, &[open()], at(9));
    assert_eq!(plan.writes.len(), 3);
    assert_eq!(
        told(&plan.pushes),
        ["user_contacts contact_removed", "user_contacts contact_request_updated"]
    );
    let payload: Value = serde_json::from_str(&plan.pushes[0].payload).unwrap();
    assert_eq!(payload["id"], record(2).to_string(), "the record of the other side");
}

#[test]
fn handles_are_read_in_every_form_and_refused_when_they_are_none() {
    let of = |text| handle(text).ok();
    assert_eq!(of(" @Ann "), Some(("ann".to_owned(), None)));
    assert_eq!(of("ann/Echo-Bot"), Some(("ann".to_owned(), Some("echo-bot".to_owned()))));
    for text in ["", "@", "ann/", "/echo", "a/b/c", "ann lee", "ann@home", &"x".repeat(201)] {
        assert_eq!(handle(text).unwrap_err().status, 400, "{text:?}");
    }
}
