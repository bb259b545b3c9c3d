//! The Python SDK's file tools, unmodified, against our platform.

use serde_json::{Value, json};
use sha2::Digest;

use crate::stage::Stage;

#[tokio::test]
async fn its_agents_tools_send_list_and_read_files() {
    let stage = Stage::set().await;
    let results = stage
        .python_calls(&json!([
            ["agent", "band_send_room_file", {"content": "green, hot", "filename": "tea.txt", "mentions": ["ann"]}],
            ["agent", "band_list_room_files", {}],
            ["agent", "band_read_room_file", {"file_id": "$0.attachment.id"}],
            ["agent", "band_read_room_file", {"file_id": "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d"}],
            ["agent_rest", "agent_api_files.download_agent_chat_file", {
                "chat_id": stage.room, "id": "$0.attachment.id", "range": "bytes=7-",
            }],
            ["agent_rest", "agent_api_files.download_agent_chat_file", {
                "chat_id": stage.room, "id": "$0.attachment.id", "range": "bytes=70-",
            }],
        ]))
        .await;
    let file = &results[0]["attachment"];
    assert_eq!(
        (&file["name"], &file["content_type"], &file["bytes"]),
        (&json!("tea.txt"), &json!("text/plain"), &json!(10))
    );
    assert_eq!(results[1]["data"][0]["id"], file["id"], "{}", results[1]);
    assert_eq!(results[2]["text"], "green, hot");
    assert_eq!(
        results[3]["text"], "File not found, or file transfer is unavailable in this room.",
        "{}",
        results[3]
    );
    assert_eq!(results[4], "hot");
    assert_eq!(results[5]["status"], 416, "{}", results[5]);

    let timeline = stage.person.timeline(stage.room).await.unwrap();
    let message = timeline.iter().find(|message| message.message_type == "text").unwrap();
    assert!(message.content.ends_with("Shared a file: tea.txt"), "{}", message.content);
    let files = message.files();
    let digest: String =
        sha2::Sha256::digest("green, hot").iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!((files.len(), &files[0].sha256), (1, &digest));
}

#[tokio::test]
async fn its_rest_client_uploads_a_picture_that_its_tool_gives_to_the_model() {
    let stage = Stage::set().await;
    let picture = "GIF89a\u{1}\0\u{1}\0";
    let digest: String = sha2::Sha256::digest(picture).iter().map(|byte| format!("{byte:02x}")).collect();
    let upload = |digest: &str| {
        json!(["agent_rest", "agent_api_files.upload_agent_chat_file", {
            "chat_id": stage.room, "request": picture,
            "headers": {"x-file-name": "dot.gif", "x-file-sha256": digest},
        }])
    };
    let say = json!({
        "content": "look", "mentions": [{"id": stage.person.details().id}], "attachment_ids": ["$0.data.id"],
    });
    let results = stage
        .python_calls(&json!([
            upload(&digest),
            upload(&digest),
            upload(&"0".repeat(64)),
            ["agent_rest", "agent_api_messages.create_agent_chat_message", {"chat_id": stage.room, "message": say}],
            ["agent", "band_read_room_file", {"file_id": "$0.data.id"}],
        ]))
        .await;
    assert_eq!(
        (&results[0]["data"]["content_type"], &results[0]["data"]["has_thumb"]),
        (&json!("image/gif"), &json!(false))
    );
    assert_eq!(results[0], results[1], "the same content is the same file");
    assert_eq!(results[2]["status"], 422, "{}", results[2]);
    let shown = &results[4]["content"][0];
    assert_eq!(
        (&shown["type"], &shown["mimeType"]),
        (&json!("image"), &json!("image/gif")),
        "{}",
        results[4]
    );
    assert_ne!(shown["data"], Value::Null);
}
