use band_testkit::{PATIENCE, Process};
use band_wire::phx::Topic;
use band_wire::rest::{Message, MyChat, routes};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::end_to_end::person;
use crate::stage::Stage;

/// A model server that says one thing to whatever it is asked; gives its first request.
async fn model_server(listener: TcpListener, says: &str) -> String {
    let (stream, _) = listener.accept().await.unwrap();
    let mut stream = BufReader::new(stream);
    let request = read_request(&mut stream).await;
    let choice = serde_json::json!({"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": says}});
    let body = serde_json::json!({"id": "1", "object": "chat.completion", "choices": [choice]}).to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    request
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> String {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
        head += &line;
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    head + &String::from_utf8(body).unwrap()
}

#[tokio::test]
async fn a_model_server_without_a_key_answers_in_the_room() {
    let stage = Stage::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut command = stage.command(&["up", "--no-open", "--port", "0", "--agent", "openai"]);
    command.env("OPENAI_BASE_URL", format!("http://{}/v1", listener.local_addr().unwrap()));
    command.env("OPENAI_MODEL", "tiny");
    let mut up = Process::start("up", &mut command).unwrap();
    up.line("#token=", PATIENCE).await.unwrap();

    let person = person(&stage).await;
    let rooms: Vec<MyChat> = person.api().all(routes::ME_CHATS).await.unwrap();
    let agent = person.agents().await.unwrap().remove(0);
    assert_eq!(agent.name, "Assistant");
    let mut watcher = person.watch().await.unwrap();
    watcher.join(Topic::ChatRoom(rooms[0].id)).await.unwrap();
    person.say(rooms[0].id, agent.id, "@assistant what is the time?").await.unwrap();
    let request = model_server(listener, "Time for tea.").await;
    assert!(request.contains("/v1/chat/completions") && request.contains("what is the time?"), "{request}");
    let wanted = |message: &Message| message.sender_id == agent.id.into();
    let answer = watcher.message("the model's answer", wanted).await.unwrap();
    assert!(answer.content.ends_with("Time for tea."), "{}", answer.content);
}
