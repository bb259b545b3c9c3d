//! Pasts that went wrong in other SDKs, and laws that hold for any past.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;

#[derive(Debug, Clone)]
struct Event {
    own: bool,
    kind: &'static str,
    content: String,
}

fn peer(text: &str) -> Event {
    Event { own: false, kind: "text", content: text.to_owned() }
}

fn own(text: &str) -> Event {
    Event { own: true, kind: "text", content: text.to_owned() }
}

fn call(id: &str) -> Event {
    call_of("f", id, "x")
}

fn call_of(name: &str, id: &str, content: &str) -> Event {
    let content = json!({ "name": name, "args": { "content": content }, "tool_call_id": id }).to_string();
    Event { own: true, kind: "tool_call", content }
}

fn result(id: &str) -> Event {
    let content = json!({ "name": "f", "output": format!("out {id}"), "tool_call_id": id }).to_string();
    Event { own: true, kind: "tool_result", content }
}

fn failed(id: &str) -> Event {
    let content = json!({ "name": "f", "output": "no", "tool_call_id": id, "is_error": true }).to_string();
    Event { own: true, kind: "tool_result", content }
}

fn read(past: &[Event]) -> Transcript {
    Transcript::from_past(past.iter().map(|event| Said {
        is_own: event.own,
        message_type: event.kind,
        speaker: "Alice",
        content: &event.content,
    }))
}

/// One line an entry: `A: hi`, `own: hi`, `1=out 1 2=!no`.
fn shown(past: &[Event]) -> Vec<String> {
    let entries = read(past);
    let line = |entry: &Entry| match entry {
        Entry::Peer { text, .. } => format!("A: {text}"),
        Entry::Update { text } => format!("update: {text}"),
        Entry::Own { text } => format!("own: {text}"),
        Entry::Exchange(exchange) => {
            let calls = exchange.calls().map(|one| {
                let failed = if one.outcome.is_error { "!" } else { "" };
                format!("{}={failed}{}", one.call.id, one.outcome.as_text())
            });
            calls.collect::<Vec<_>>().join(" ")
        }
    };
    entries.entries().iter().map(line).collect()
}

const LOST: &str = "!Error: tool execution was interrupted";

#[test]
fn every_past_that_other_sdks_got_wrong_becomes_a_conversation() {
    let lost = |id: &str| format!("{id}={LOST}");
    let table: [(&str, Vec<Event>, Vec<String>); 15] = [
        (
            "own words stay",
            vec![peer("hi"), call("1"), result("1"), own("reply"), peer("other")],
            ["A: hi", "1=out 1", "own: reply", "A: other"].map(str::to_owned).into(),
        ),
        (
            "calls in parallel are one exchange",
            vec![call("1"), call("2"), result("1"), failed("2")],
            vec!["1=out 1 2=!no".to_owned()],
        ),
        ("a call without a result", vec![call("1"), peer("hi")], vec![lost("1"), "A: hi".to_owned()]),
        (
            "one of two without a result",
            vec![call("1"), call("2"), result("1"), peer("hi")],
            vec![format!("1=out 1 2={LOST}"), "A: hi".to_owned()],
        ),
        ("a result without a call", vec![result("9"), peer("hi")], vec!["A: hi".to_owned()]),
        (
            "own words between call and result",
            vec![call("1"), own("hm"), result("1")],
            vec!["1=out 1".to_owned(), "own: hm".to_owned()],
        ),
        (
            "others' words between call and result",
            vec![call("1"), peer("hi"), result("1")],
            vec!["1=out 1".to_owned(), "A: hi".to_owned()],
        ),
        (
            "others' words between two calls of a step",
            vec![call("1"), peer("hi"), call("2"), result("2"), result("1")],
            vec!["1=out 1 2=out 2".to_owned(), "A: hi".to_owned()],
        ),
        ("a result before its call", vec![result("1"), call("1")], vec![lost("1")]),
        (
            "an id that is used twice",
            vec![call("1"), result("1"), call("1"), result("1")],
            vec!["1=out 1".to_owned(), "1_2=out 1".to_owned()],
        ),
        (
            "two open calls of one id",
            vec![call("1"), call("1"), result("1")],
            vec![format!("1={LOST} 1_2=out 1")],
        ),
        (
            "a second result",
            vec![call("1"), result("1"), failed("1"), peer("hi")],
            vec!["1=out 1".to_owned(), "A: hi".to_owned()],
        ),
        (
            "a lost call holds nothing up",
            vec![call("1"), peer("a"), call("2"), own("b"), result("2"), peer("c")],
            vec![lost("1"), "A: a".to_owned(), "2=out 2".to_owned(), "own: b".to_owned(), "A: c".to_owned()],
        ),
        (
            "rounds follow each other",
            vec![call("1"), result("1"), call("2"), result("2")],
            vec!["1=out 1".to_owned(), "2=out 2".to_owned()],
        ),
        ("nothing to see", vec![peer(" "), own(""), peer("\u{200b}")], vec![]),
    ];
    for (what, past, expected) in table {
        assert_eq!(shown(&past), expected, "{what}");
    }
}

#[test]
fn what_a_call_has_said_is_not_said_again() {
    let say = |id: &str, text: &str| call_of("band_send_message", id, text);
    let table: [(Vec<Event>, &[&str]); 7] = [
        (vec![say("1", "hello"), own("@alice hello"), result("1")], &["1=out 1"]),
        (vec![say("1", "hello"), own("as the platform has put it"), result("1")], &["1=out 1"]),
        (vec![say("1", "hello"), result("1"), own("@alice @bob hello")], &["1=out 1"]),
        (vec![own("@alice hello"), say("1", "hello"), result("1")], &["1=out 1"]),
        (vec![say("1", "hello"), result("1"), own("more")], &["1=out 1", "own: more"]),
        (vec![say("1", "hello"), failed("1"), own("hello")], &["1=!no", "own: hello"]),
        (
            vec![say("1", "hello"), own("hello"), peer("hi")],
            &["1=!Error: tool execution was interrupted", "own: hello", "A: hi"],
        ),
    ];
    for (past, expected) in table {
        assert_eq!(shown(&past), expected, "{past:?}");
    }
}

#[test]
fn what_is_no_conversation_and_what_others_tools_did_is_passed_over() {
    let mut past = vec![peer("hi")];
    for kind in ["thought", "error", "task", "attention", "from_the_future"] {
        past.push(Event { own: true, kind, content: "x".into() });
        past.push(Event { own: false, kind, content: "x".into() });
    }
    past.push(Event { own: false, ..call("1") });
    past.push(Event { own: false, ..result("1") });
    past.push(Event { own: true, kind: "tool_call", content: "no json".into() });
    past.push(Event { own: true, kind: "", content: "untyped".into() });
    assert_eq!(shown(&past), ["A: hi", "own: untyped"]);
    assert!(shown(&[]).is_empty());
}

#[test]
fn ids_that_a_provider_repeats_or_leaves_out_are_told_apart_before_they_are_shown() {
    let mut transcript = read(&[call("call_0"), result("call_0")]);
    let mut calls = ["call_0", "call_0", "", ""].map(|id| Call::new(id, "f", Map::new()));
    transcript.admit(&mut calls);
    let ids: Vec<_> = calls.iter().map(|call| call.id.clone()).collect();
    assert_eq!(ids, ["call_0_2", "call_0_3", "call", "call_2"]);
    transcript.push_exchange(Exchange::new(calls.map(Exchanged::interrupted)).unwrap());
    let Some(Entry::Exchange(pushed)) = transcript.entries().last() else { panic!("no exchange") };
    assert!(pushed.calls().map(|one| &one.call.id).eq(&ids));
}

#[test]
fn a_failed_turn_leaves_no_trace_and_a_finished_one_nothing_opaque() {
    let mut transcript = read(&[peer("hi")]);
    let mark = transcript.mark();
    let mut call = Call::new("1", "f", Map::new());
    call.opaque = Some(Opaque::new("gemini", json!("sig")));
    let exchange = Exchange::new([Exchanged::new(call, Outcome::text("out"))]).unwrap();
    let exchange = exchange.said(Some("let me see".into())).opaque(vec![Opaque::new("anthropic", json!({}))]);
    transcript.push_exchange(exchange.clone());
    assert_eq!(exchange.opaque_of("anthropic").count(), 1);
    assert_eq!(exchange.opaque_of("gemini").count(), 0);
    transcript.end_turn();
    let Some(Entry::Exchange(kept)) = transcript.entries().last() else { panic!("no exchange") };
    assert_eq!(kept.opaque_of("anthropic").count(), 0);
    assert!(kept.calls().all(|one| one.call.opaque_of("gemini").is_none()));
    assert_eq!(kept.text(), Some("let me see"));
    transcript.restore(mark);
    assert_eq!(transcript, read(&[peer("hi")]));
    assert_eq!(Exchange::new([]), None);
}

#[test]
fn a_conversation_that_begins_with_the_agent_or_was_shortened_gets_a_preface() {
    assert_eq!(read(&[peer("hi")]).preface(), None);
    assert!(read(&[own("hi")]).preface().is_some());
    assert!(read(&[call("1")]).preface().is_some());
    let mut shortened = read(&[peer("hi")]);
    shortened.note_shortened();
    assert!(shortened.preface().is_some());
}

fn long(id: &str, bytes: usize) -> [Event; 2] {
    let content = json!({ "name": "f", "output": "x".repeat(bytes), "tool_call_id": id }).to_string();
    [call(id), Event { own: true, kind: "tool_result", content }]
}

#[test]
fn the_oldest_outputs_go_first_then_the_oldest_turns_then_the_middle_of_what_is_left() {
    let [c1, r1] = long("1", 10_000);
    let [c2, r2] = long("2", 10_000);
    let [c3, r3] = long("3", 10_000);
    let past = [peer("a"), c1, r1, own("b"), peer("c"), c2, r2, own("d"), peer("e"), peer("f"), c3, r3];
    let cut_to = |most: usize| {
        let mut transcript = read(&past);
        let cut = transcript.cut_to(most);
        assert_eq!(cut.fits, transcript.size() <= most, "{most}");
        (cut, transcript)
    };
    let (cut, whole) = cut_to(100_000);
    assert_eq!((cut, whole.preface()), (Cut { fits: true, ..Cut::default() }, None));
    assert_eq!(cut.note(), None);

    let (cut, one) = cut_to(25_000);
    assert_eq!((cut.outputs, cut.entries), (1, 0));
    let Some(Entry::Exchange(first)) = one.entries().get(1) else { panic!("{one:?}") };
    let left = first.calls().next().unwrap().outcome.as_text().into_owned();
    assert_eq!(left, "[10000 bytes of output left out]");

    let (cut, turns) = cut_to(10_200);
    assert_eq!((cut.outputs, cut.entries), (2, 6));
    assert_eq!(turns.len(), 3, "the turn under way is whole");
    assert!(turns.preface().is_some());
    assert_eq!(
        cut.note().unwrap(),
        "The conversation was too long for the model. Left out of its view: the output of 2 tool call(s) and 6 of \
         the oldest entries."
    );

    let (cut, ends) = cut_to(1_000);
    assert_eq!((cut.outputs, cut.entries, cut.fits), (3, 6, true));
    let Some(Entry::Exchange(last)) = ends.entries().last() else { panic!("{ends:?}") };
    assert!(last.calls().next().unwrap().outcome.as_text().contains("x\n[…]\nx"));

    let (cut, _) = cut_to(10);
    assert!(!cut.fits);
}

#[test]
fn of_many_messages_that_nobody_answered_the_newest_stays_with_its_news() {
    let past: Vec<Event> = (0..50).map(|n| peer(&format!("{n} {}", "x".repeat(100)))).collect();
    let mut transcript = read(&past);
    transcript.push_update("Bob is here.");
    transcript.push_peer("Ada", "now");
    let mut shorter = transcript.clone();
    let cut = shorter.cut_to(2_000);
    assert!(cut.fits && cut.entries > 30 && cut.outputs == 0, "{cut:?}");
    let cut = transcript.cut_to(0);
    assert_eq!((cut.entries, cut.fits), (50, false));
    let left: Vec<bool> =
        transcript.entries().iter().map(|entry| matches!(entry, Entry::Update { .. })).collect();
    assert_eq!(left, [true, false]);
    transcript
        .push_exchange(Exchange::new([Exchanged::interrupted(Call::new("1", "f", Map::new()))]).unwrap());
    assert_eq!(transcript.cut_to(0).entries, 0, "the turn under way stays whole");
}

fn any_event() -> impl Strategy<Value = Event> {
    let id = prop_oneof!["[123]", Just(String::new()), "[a-z!é ]{1,3}"];
    let text = prop_oneof![Just("hi".to_owned()), Just(String::new()), "\\PC{0,8}", "@a hi"];
    let name = prop_oneof![Just("f"), Just("band_send_message"), Just("")];
    let kinds = ["text", "tool_call", "tool_result", "thought", "error", "task", "x"];
    prop_oneof![
        3 => (any::<bool>(), text.clone()).prop_map(|(own, content)| Event { own, kind: "text", content }),
        3 => (id.clone(), name, text.clone()).prop_map(|(id, name, text)| call_of(name, &id, &text)),
        3 => (id, any::<bool>()).prop_map(|(id, ok)| if ok { result(&id) } else { failed(&id) }),
        1 => (any::<bool>(), proptest::sample::select(kinds.to_vec()), text)
            .prop_map(|(own, kind, content)| Event { own, kind, content }),
    ]
}

proptest! {
    #[test]
    fn any_past_becomes_a_conversation_without_losing_what_was_said(
        past in prop::collection::vec(any_event(), 0..24),
        most in 0usize..600,
    ) {
        let mut transcript = read(&past);
        let mut ids = BTreeSet::new();
        let mut texts = (0, 0);
        for entry in transcript.entries() {
            match entry {
                Entry::Peer { text, .. } => { texts.0 += 1; prop_assert!(has_visible(text)); }
                Entry::Own { text } => { texts.1 += 1; prop_assert!(has_visible(text)); }
                Entry::Update { .. } => prop_assert!(false, "nobody has made one"),
                Entry::Exchange(exchange) => for one in exchange.calls() {
                    prop_assert!(ids.insert(one.call.id.clone()) && !one.call.id.is_empty());
                },
            }
        }
        let said = |own: bool| past.iter().filter(|e| e.own == own && e.kind == "text" && has_visible(&e.content)).count();
        prop_assert_eq!(texts.0, said(false), "others' words are all there");
        prop_assert!(texts.1 <= said(true));
        let calls = past.iter().filter(|e| e.own && e.kind == "tool_call" && parse_tool_call(&e.content).is_some());
        prop_assert_eq!(ids.len(), calls.count(), "and so is each call");
        let before = transcript.size();
        let cut = transcript.cut_to(most);
        prop_assert_eq!(cut.fits, transcript.size() <= most);
        prop_assert!(cut.outputs + cut.entries > 0 || transcript.size() == before);
    }
}
