//! Every tool called by its name in a room that is made up.

use band_wire::rest::SenderType;
use band_wire::tools::AgentTool;
use serde_json::{Value, json};

use super::ToolOutcome;
use crate::testing::FakeTools;
use crate::{ApiError, Capability, EffectiveFeatures, Features, Supported};

fn everything() -> EffectiveFeatures {
    let all = Capability::Files | Capability::Contacts | Capability::Memory | Capability::Tasks;
    let supported = Supported { capabilities: all.clone(), ..Supported::default() };
    Features::new().capabilities(all).resolve("Foo", &supported).unwrap()
}

fn room() -> FakeTools {
    FakeTools::new().with_features(everything())
}

/// Calls one; panics unless it works.
async fn done(fake: &FakeTools, tool: AgentTool, args: Value) -> Value {
    match fake.tools().call(tool.name(), args).await {
        ToolOutcome::Done(value) => value,
        other => panic!("{tool:?}: {other:?}"),
    }
}

async fn told(fake: &FakeTools, tool: AgentTool, args: Value) -> String {
    let outcome = fake.tools().call(tool.name(), args).await;
    assert!(!outcome.is_ok(), "{outcome:?}");
    outcome.to_model_text()
}

#[tokio::test]
async fn every_tool_is_served_and_gives_the_fields_that_it_promises() {
    let fake = room();
    let bob = fake.add_peer(SenderType::Agent, "Bob", "bob/two");
    let file = fake.share_file("notes.md", "text/markdown", "# hi");
    let long_term = json!({ "content": "Ada likes tea", "system": "long_term", "type": "semantic", "segment": "user",
        "thought": "she said so", "scope": "agent" });
    let memory = done(&fake, AgentTool::StoreMemory, long_term.clone()).await;
    let task = done(&fake, AgentTool::CreateTask, json!({ "subject": "Write" })).await;
    fake.ask_for_contact("eve", "Eve", None);
    let cases = [
        (AgentTool::SendMessage, json!({ "content": "x", "mentions": ["ada"] }), "id recipients success"),
        (AgentTool::SendEvent, json!({ "content": "x", "message_type": "task" }), "id message_type success"),
        (AgentTool::NoReply, json!({ "reason": "thanks" }), "status"),
        (AgentTool::LookupPeers, json!({}), "data metadata"),
        (AgentTool::AddParticipant, json!({ "identifier": "@BOB/two" }), "id name role status"),
        (AgentTool::RemoveParticipant, json!({ "identifier": "bob" }), "id name status"),
        (AgentTool::GetParticipants, json!({}), ""),
        (AgentTool::CreateChatroom, json!({ "task_id": null }), ""),
        (AgentTool::ListContacts, json!({}), "data metadata"),
        (AgentTool::AddContact, json!({ "handle": "@joe" }), "id status"),
        (AgentTool::ListContactRequests, json!({ "sent_status": "all" }), "data metadata"),
        (AgentTool::RespondContactRequest, json!({ "action": "approve", "handle": "eve" }), "id status"),
        (AgentTool::RemoveContact, json!({ "handle": "eve" }), "status"),
        (AgentTool::ListMemories, json!({ "content_query": "TEA" }), "data meta metadata"),
        (
            AgentTool::StoreMemory,
            long_term,
            "content id inserted_at metadata organization_id scope segment \
            source_agent_id status subject_id system thought type",
        ),
        (AgentTool::GetMemory, json!({ "memory_id": memory["id"] }), ""),
        (AgentTool::SupersedeMemory, json!({ "memory_id": memory["id"] }), ""),
        (AgentTool::ArchiveMemory, json!({ "memory_id": memory["id"] }), ""),
        (AgentTool::ListRoomFiles, json!({}), "data next_cursor"),
        (AgentTool::ReadRoomFile, json!({ "file_id": file.id }), "bytes content_type name text"),
        (
            AgentTool::SendRoomFile,
            json!({ "content": "x", "filename": "x.txt", "mentions": ["ada"] }),
            "attachment message_id",
        ),
        (AgentTool::ListTasks, json!({}), "data metadata"),
        (AgentTool::CreateTask, json!({ "subject": "Read", "supersedes_id": "#1" }), ""),
        (AgentTool::GetTask, json!({ "id": task["id"], "include": "history" }), ""),
        (AgentTool::UpdateTask, json!({ "id": "#2", "status": "in_progress" }), ""),
        (AgentTool::GetTaskHistory, json!({ "id": "2", "limit": 10 }), "data metadata"),
        (AgentTool::SetBoard, json!({ "goal_title": "Ship" }), ""),
        (AgentTool::GetBoard, json!({ "include": "history" }), ""),
    ];
    for tool in AgentTool::ALL {
        assert!(cases.iter().any(|(case, ..)| case == tool), "{tool:?} is not tried");
    }
    for (tool, args, fields) in cases {
        let room = fake.tools();
        let outcome = room.call(tool.name(), args).await;
        let ToolOutcome::Done(value) = outcome else { panic!("{tool:?}: {outcome:?}") };
        let expected: Vec<&str> = fields.split_whitespace().collect();
        if !expected.is_empty() {
            let fields: Vec<&String> = value.as_object().unwrap().keys().collect();
            assert_eq!(fields, expected, "{tool:?}");
        }
        let settles = tool.effect() != super::Effect::Observe;
        assert_eq!(room.is_complete(), settles, "{tool:?}");
    }
    assert_eq!(fake.tasks()[0].superseded_by_id, Some(fake.tasks()[1].id));
    assert_eq!(fake.board().unwrap().goal_title.as_deref(), Some("Ship"));
    assert_eq!(fake.people().len(), 2);
    assert_eq!(fake.expect_sent("Shared a file: x.txt").files.len(), 1);
    assert_eq!(fake.opened_rooms().len(), 1);
    assert!(bob != FakeTools::ada());
}

#[tokio::test]
async fn someone_is_brought_in_by_id_handle_or_a_name_that_only_one_has() {
    let fake = room();
    let mut last = None;
    for at in 0..150 {
        last = Some(fake.add_peer(SenderType::Agent, &format!("Agent {at}"), &format!("bob/a{at}")));
    }
    fake.add_peer(SenderType::Agent, "Twin", "bob/x");
    fake.add_peer(SenderType::Agent, "twin", "eve/x");
    let args = json!({ "identifier": " @bob/A149 ", "role": "admin" });
    let added = done(&fake, AgentTool::AddParticipant, args.clone()).await;
    assert_eq!(added, json!({ "id": last, "name": "Agent 149", "role": "admin", "status": "added" }));
    let again = fake.tools();
    let outcome = again.call("band_add_participant", json!({ "name": "agent 149" })).await;
    let expected = json!({ "id": last, "name": "Agent 149", "role": "member", "status": "already_in_room" });
    assert_eq!(outcome.to_model_text(), expected.to_string());
    assert!(!again.is_complete(), "nothing was done");
    assert_eq!(
        told(&fake, AgentTool::AddParticipant, json!({ "identifier": "twin" })).await,
        "Error: Several are called 'twin'. Use one of their handles: bob/x, eve/x"
    );
    assert_eq!(
        told(&fake, AgentTool::AddParticipant, json!({ "identifier": "nobody" })).await,
        "Error executing band_add_participant: Participant 'nobody' not found. Use band_lookup_peers to find \
         available peers."
    );
    assert_eq!(
        told(&fake, AgentTool::RemoveParticipant, json!({ "identifier": "" })).await,
        "Error executing band_remove_participant: Participant '' not found in this room."
    );
    let room = fake.tools();
    let sent = room.call("band_send_message", json!({ "content": "hi", "mentions": ["Agent 149"] })).await;
    assert!(sent.is_ok(), "who was just brought in can be named: {sent:?}");
}

#[tokio::test]
async fn files_are_shown_by_their_type_and_size() {
    let fake = room();
    let png = fake.share_file("p.png", "image/png", vec![1u8, 2, 3]);
    let broken = fake.share_file("b.txt", "text/plain; charset=utf-8", vec![b'a', 0xff]);
    let honest = fake.share_file("h.txt", "text/plain", "\u{fffd}");
    let data = fake.share_file("d.json", "application/json", "{}");
    let zip = fake.share_file("z.zip", "application/zip", vec![0u8; 10]);
    let long = fake.share_file("l.txt", "text/plain", "x".repeat(16_385));
    let picture = fake.tools().call("band_read_room_file", json!({ "file_id": png.id })).await;
    assert_eq!(picture.images()[0].data, "AQID");
    assert_eq!(picture.images()[0].mime_type, "image/png");
    let read = async |file: &band_wire::rest::Attachment| {
        done(&fake, AgentTool::ReadRoomFile, json!({ "file_id": file.id })).await
    };
    assert_eq!(read(&broken).await["text"], "a\u{fffd}");
    assert!(read(&broken).await["description"].is_string());
    assert!(read(&honest).await.get("description").is_none(), "that character was written on purpose");
    assert_eq!(read(&data).await["text"], "{}");
    assert_eq!(
        read(&zip).await["description"],
        "File not shown inline: is not a previewable text or image type. Its contents were not fetched."
    );
    assert_eq!(
        read(&long).await["description"],
        "File not shown inline: exceeds the 16384-byte inline text limit. Its contents were not fetched."
    );
    let nothing = "Error: File not found, or file transfer is unavailable in this room.";
    for id in ["00000000-0000-0000-0000-00000000ffff", "no-uuid"] {
        assert_eq!(told(&fake, AgentTool::ReadRoomFile, json!({ "file_id": id })).await, nothing);
    }
    let first = done(&fake, AgentTool::ListRoomFiles, json!({})).await;
    assert_eq!((first["data"].as_array().unwrap().len(), &first["next_cursor"]), (2, &json!("2")));
    assert_eq!(first["data"][0]["sha256"], "");
}

#[tokio::test(start_paused = true)]
async fn a_file_is_not_uploaded_unless_it_can_be_sent() {
    let fake = room();
    let send = |filename: &str, mentions: Value| json!({ "content": "x", "filename": filename, "mentions": mentions });
    assert!(
        told(&fake, AgentTool::SendRoomFile, send("é.txt", json!(["ada"])))
            .await
            .starts_with("Error: Filename \"é.txt\" must use")
    );
    assert!(
        told(&fake, AgentTool::SendRoomFile, send("", json!(["ada"]))).await.starts_with("Error: Filename")
    );
    assert!(
        told(&fake, AgentTool::SendRoomFile, send("a.txt", json!([])))
            .await
            .starts_with("Error: At least one mention")
    );
    assert!(
        told(&fake, AgentTool::SendRoomFile, send("a.txt", json!(["eve"])))
            .await
            .contains("Unknown participant 'eve'")
    );
    let huge = json!({ "content": "é".repeat(500_001), "filename": "a.txt", "mentions": ["ada"] });
    assert_eq!(
        told(&fake, AgentTool::SendRoomFile, huge).await,
        "Error: File content is 1000002 bytes, which exceeds the 1000000-byte limit for band_send_room_file. Send \
         shorter content."
    );
    assert!(fake.files().is_empty());
}

#[tokio::test]
async fn refusals_that_have_a_kind_of_their_own_are_told_apart() {
    let refusal = |status: u16, code: &str, message: &str| {
        let mut api = ApiError::new(status, message);
        api.code = code.to_owned();
        api
    };
    let send = json!({ "content": "x", "mentions": ["ada"] });
    let fake = room();
    fake.refuse(refusal(422, "mentioned_participant_not_in_room", "mentioned_participant_not_in_room"));
    assert_eq!(
        told(&fake, AgentTool::SendMessage, send.clone()).await,
        "Error: mentioned_participant_not_in_room: mentioned participant is not in the room"
    );
    fake.refuse(refusal(422, "org_scope_requires_organization", "no"));
    let memory = json!({ "content": "c", "system": "working", "type": "semantic", "segment": "tool", "thought": "t",
        "scope": "organization" });
    assert!(
        told(&fake, AgentTool::StoreMemory, memory)
            .await
            .starts_with("Error: scope=\"organization\" was rejected")
    );
    fake.refuse(refusal(500, "internal", &"long ".repeat(10_000)));
    let text = told(&fake, AgentTool::SendMessage, send.clone()).await;
    assert!(
        text.starts_with(
            "Error executing band_send_message: status_code: 500, code: internal, message: long"
        )
    );
    assert!(text.chars().count() <= 2000);
    fake.refuse(refusal(403, "forbidden", "Agent execution is stopped"));
    let outcome = fake.tools().call("band_send_message", send).await;
    assert!(matches!(outcome, ToolOutcome::TurnOver(crate::Error::Stopped { .. })), "{outcome:?}");
}

#[tokio::test(start_paused = true)]
async fn someone_who_comes_a_moment_later_is_found() {
    let fake = room();
    let tools = fake.tools();
    let send = tools.call("band_send_message", json!({ "content": "x", "mentions": ["eve"] }));
    let comes = async {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        fake.join(SenderType::User, "Eve", "eve");
    };
    let (sent, ()) = tokio::join!(send, comes);
    assert!(sent.is_ok(), "{sent:?}");
    assert_eq!(fake.until_said("x", std::time::Duration::from_secs(1)).await.unwrap().mentions.len(), 1);
}
