use serde_json::Value;

use crate::stage::Stage;

async fn printed(words: &[&str]) -> Vec<Value> {
    let words: Vec<&str> = ["tools"].iter().chain(words).copied().collect();
    let out = Stage::new().run(&words).await.done();
    serde_json::from_str(&out).unwrap()
}

#[tokio::test]
async fn the_catalogue_is_printed_in_each_form() {
    let usual = printed(&[]).await;
    assert_eq!(usual.len(), 13, "an agent's, with contacts, for OpenAI");
    assert_eq!(usual[0]["function"]["name"], "band_send_message");
    assert_eq!(printed(&["--capabilities", ""]).await.len(), 8);
    let all = printed(&["--format", "anthropic", "--capabilities", "memory,contacts,files,tasks"]).await;
    assert_eq!(all.len(), 28);
    assert_eq!(all[27]["name"], "band_set_board");
    assert!(all[27]["input_schema"]["properties"]["goal_title"].is_object());
    for (form, key) in [("openai-responses", "strict"), ("gemini", "parameters"), ("mcp", "inputSchema")] {
        assert!(printed(&["--format", form]).await.iter().all(|tool| tool.get(key).is_some()), "{form}");
    }
}

#[tokio::test]
async fn a_persons_tools_are_printed_too() {
    assert_eq!(printed(&["--surface", "human", "--capabilities", ""]).await.len(), 13);
    let all = printed(&["--surface", "human", "--capabilities", "contacts,memory"]).await;
    assert_eq!(all.len(), 28);
    assert_eq!(all[0]["function"]["name"], "band_list_my_agents");
}
