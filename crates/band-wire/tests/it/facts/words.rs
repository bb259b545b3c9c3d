use band_wire::rest::query::{SentFilter, StatusFilter};
use band_wire::rest::{
    BoardEventKind, ChatKind, ChatStatus, ContactAction, ContactRequestStatus, DeliveryStatus, EventType,
    MemoryScope, MemorySegment, MemoryStatus, MemorySystem, MemoryType, MentionKind, PeerSource, Role,
    SenderType, TaskEventKind, TaskState, TaskStatus,
};
use band_wire::word::Word;
use serde_json::Value;

use super::schema::Schemas;

fn told(name: &str) -> Vec<String> {
    let schema = Schemas::load().named(name);
    let mut words: Vec<String> =
        schema["enum"].as_array().unwrap().iter().filter_map(Value::as_str).map(str::to_owned).collect();
    words.sort();
    words
}

fn ours<W: Word>() -> Vec<String> {
    let mut words: Vec<String> = W::ALL.iter().map(|word| word.as_str().to_owned()).collect();
    words.sort();
    words
}

#[test]
fn closed_sets_have_the_words_of_the_description() {
    assert_eq!(ours::<EventType>(), told("ChatEventMessageType"));
    assert_eq!(ours::<MentionKind>(), told("ChatMessageRequestMentionsItemsKind"));
    for name in ["ParticipantRole", "ParticipantRequestRole"] {
        assert_eq!(ours::<Role>(), told(name), "{name}");
    }
    for name in
        ["PeerType", "ChatParticipantType", "ChatParticipantDetailsType", "ApiV1MePeersGetParametersType"]
    {
        assert_eq!(ours::<SenderType>(), told(name), "{name}");
    }
    assert_eq!(ours::<ContactRequestStatus>(), told("ContactRequestStatus"));
    let action = "ApiV1AgentContactsRequestsRespondPostRequestBodyContentApplicationJsonSchemaAction";
    assert_eq!(ours::<ContactAction>(), told(action));
    assert_eq!(ours::<PeerSource>(), told("PeerSource"));
    for of in ["AgentMemory", "UserMemory"] {
        assert_eq!(ours::<MemorySystem>(), told(&format!("{of}System")));
        assert_eq!(ours::<MemoryType>(), told(&format!("{of}Type")));
        assert_eq!(ours::<MemorySegment>(), told(&format!("{of}Segment")));
        assert_eq!(ours::<MemoryStatus>(), told(&format!("{of}Status")));
        // Newer clients know the scope `agent` as well.
        let mut scopes = told(&format!("{of}Scope"));
        scopes.insert(0, "agent".to_owned());
        scopes.sort();
        assert_eq!(ours::<MemoryScope>(), scopes);
    }
    assert_eq!(ours::<TaskState>(), told("TaskState"));
    for name in ["TaskOverallStatus", "TaskAssignmentStatus"] {
        assert_eq!(ours::<TaskStatus>(), told(name));
    }
    assert_eq!(ours::<TaskEventKind>(), told("TaskEventEvent"));
    assert_eq!(ours::<BoardEventKind>(), told("BoardEventEvent"));
    assert_eq!(ours::<ChatKind>(), told("MeChatRoomType"));
    assert_eq!(ours::<ChatStatus>(), told("MeChatRoomStatus"));
}

#[test]
fn sent_requests_are_asked_for_by_the_words_of_the_description() {
    for name in [
        "ApiV1AgentContactsRequestsGetParametersSentStatus",
        "ApiV1MeContactsRequestsSentGetParametersStatus",
    ] {
        for word in told(name) {
            let filter = SentFilter::parse(&word).unwrap_or_else(|| panic!("{word} is not known"));
            assert_eq!(filter.status().map_or("all", ContactRequestStatus::as_str), word);
        }
    }
}

#[test]
fn marks_and_filters_have_the_words_of_the_description() {
    let of_marks = told("MessageStatusResponseStatus");
    let ours: Vec<String> = ours::<DeliveryStatus>().into_iter().filter(|word| word != "delivered").collect();
    assert_eq!(of_marks, ours);
    for word in told("ApiV1AgentChatsChatIdMessagesGetParametersStatus") {
        assert_eq!(StatusFilter::parse(&word).and_then(StatusFilter::as_str), Some(word.as_str()));
    }
}
