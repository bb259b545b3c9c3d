//! Query strings by the table.

use super::*;
use crate::rest::code;

type Found = (&'static str, Vec<(String, String)>);

fn read<T: FromQuery>(query: &str) -> Result<T, Found> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (name.to_owned(), value.to_owned())
    });
    T::from_query(QueryReader::new(pairs)).map_err(|err| {
        let issues = err.issues.into_map().into_iter();
        (
            err.code,
            issues.flat_map(|(at, texts)| texts.into_iter().map(move |text| (at.clone(), text))).collect(),
        )
    })
}

fn issue<T: FromQuery + std::fmt::Debug>(query: &str) -> String {
    let (code, issues) = read::<T>(query).unwrap_err();
    let issues: Vec<String> = issues.into_iter().map(|(at, text)| format!("{at} {text}")).collect();
    format!("{code}: {}", issues.join("; "))
}

#[test]
fn defaults_are_the_documented_ones() {
    assert_eq!(read::<AgentChatsQuery>("").unwrap().page, OffsetQuery { page: 1, page_size: 20 });
    assert_eq!(read::<AgentMessagesQuery>("").unwrap().paging, Paging::first(20));
    assert_eq!(read::<ContextQuery>("").unwrap().paging, Paging::first(50));
    let chats = read::<MyChatsQuery>("").unwrap();
    assert_eq!((chats.sort, chats.order), (ChatSort::Inserted, Order::Desc));
    let agents = read::<MyAgentsQuery>("").unwrap();
    assert_eq!((agents.sort, agents.order), (AgentSort::Inserted, Order::Desc));
}

#[test]
fn a_page_above_the_limit_is_held_at_it() {
    assert_eq!(read::<AgentChatsQuery>("page_size=1000").unwrap().page.page_size, 100);
    assert_eq!(read::<ContextQuery>("limit=1000").unwrap().paging, Paging::first(100));
}

#[test]
fn what_is_wrong_is_named_under_its_parameter() {
    assert_eq!(issue::<NoQuery>("x=1"), "validation_error: /x Unexpected field: x");
    assert_eq!(issue::<AgentMessagesQuery>("status=new"), "validation_error: /status Invalid value for enum");
    assert_eq!(
        issue::<AgentMessagesQuery>("status=delivered"),
        "validation_error: /status Invalid value for enum"
    );
    assert_eq!(
        issue::<AgentPeersQuery>("not_in_chat=7&page=0&pagesize=2"),
        "validation_error: /not_in_chat Invalid format. Expected :uuid; /page Invalid integer. Expected 1 or more; \
         /pagesize Unexpected field: pagesize"
    );
    assert_eq!(
        issue::<DeleteAgentQuery>("force=yes"),
        "validation_error: /force Invalid boolean. Expected true or false"
    );
    assert_eq!(
        issue::<MyChatsQuery>("order=asc&order=desc"),
        "validation_error: /order Duplicate parameter: order"
    );
    assert_eq!(
        issue::<MyChatsQuery>("include=participants,%20x"),
        "validation_error: /include/1 Invalid value for enum"
    );
    assert_eq!(
        issue::<MyMessagesQuery>("since=yesterday"),
        "validation_error: /since Invalid format. Expected :date-time"
    );
}

#[test]
fn lists_come_with_commas_or_repeated() {
    let expected = vec![ChatInclude::Participants, ChatInclude::LastMessage];
    assert_eq!(read::<MyChatsQuery>("include=last_message,participants").unwrap().include, expected);
    assert_eq!(
        read::<MyChatsQuery>("include=last_message&include=participants,participants").unwrap().include,
        expected
    );
}

#[test]
fn parameters_that_do_not_go_together_are_invalid_params() {
    let id = "00000000-0000-0000-0000-000000000007";
    for query in [
        "page=1&limit=2".to_owned(),
        "page_size=1&cursor=x".to_owned(),
        format!("after={id}&before={id}"),
        format!("around={id}&cursor=x"),
        format!("around={id}&page=1"),
        "since=2026-07-01T10:00:00Z&cursor=x".to_owned(),
        "message_type=text&message_types=text".to_owned(),
    ] {
        let (found, _) = read::<MyMessagesQuery>(&query).unwrap_err();
        assert_eq!(found, code::INVALID_PARAMS, "{query}");
    }
    assert_eq!(read::<ContextQuery>("page=1&sort_order=desc").unwrap_err().0, code::INVALID_PARAMS);
}

#[test]
fn anchors_and_types_are_read() {
    let id = "00000000-0000-0000-0000-000000000007";
    let query =
        read::<MyMessagesQuery>(&format!("after={id}&limit=5&exclude_message_types=thought,task")).unwrap();
    assert_eq!(query.anchor, Some(Anchor::After(id.parse().unwrap())));
    assert_eq!(query.paging, Paging::first(5));
    assert_eq!(query.types, Some(TypeFilter::Except(vec!["thought", "task"])));
}
