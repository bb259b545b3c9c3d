use crate::stage::Stage;

#[tokio::test]
async fn what_makes_no_sense_ends_with_two_and_a_line_that_names_it() {
    let stage = Stage::new();
    let cases: [(&[&str], &str); 9] = [
        (&["upp"], "upp"),
        (&["up", "--port", "many"], "many"),
        (&["up", "--agent", "magic"], "magic"),
        (&["serve", "--listen", "here"], "here"),
        (&["env", "-o", "xml"], "xml"),
        (&["agent", "add", "Bot"], "--description"),
        (&["agent", "run", "--adapter", "nonesuch"], "nonesuch"),
        (&["user", "add"], "<NAME>"),
        (&["tools", "--capabilities", "memory,magic"], "magic"),
    ];
    for (words, named) in cases {
        let line = stage.run(words).await;
        assert!(line.err.contains(named), "{words:?}: {}", line.err);
        line.failed(2);
    }
}

#[tokio::test]
async fn no_words_at_all_show_the_help() {
    let ended = Stage::new().run(&[]).await;
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("Usage: band"), "{}", ended.err);
}

#[tokio::test]
async fn an_agent_without_a_name_is_told_both_ways_to_give_one() {
    let line = Stage::new().run(&["agent", "run", "--adapter", "echo"]).await.failed(2);
    for way in ["--config", "BAND_AGENT_ID", "BAND_API_KEY"] {
        assert!(line.contains(way), "{line}");
    }
}

#[tokio::test]
async fn a_model_without_a_key_or_an_address_is_told_what_to_set() {
    let line = Stage::new().run(&["up", "--no-open", "--agent", "openai"]).await.failed(2);
    for name in ["OPENAI_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"] {
        assert!(line.contains(name), "{line}");
    }
}

#[tokio::test]
async fn an_entry_that_is_not_in_the_file_is_named() {
    let stage = Stage::new();
    let file = stage.home().join("agents.yaml");
    std::fs::write(&file, "other: {agent_id: x, api_key: y}\n").unwrap();
    let path = file.to_str().unwrap();
    let line = stage
        .run(&["agent", "run", "--adapter", "echo", "--config", "bot", "--config-file", path])
        .await
        .failed(2);
    assert!(line.contains("'bot'") && line.contains("agents.yaml"), "{line}");
}
