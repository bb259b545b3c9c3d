use crate::stage::Stage;

#[tokio::test]
async fn without_kept_keys_it_names_the_commands_that_make_them() {
    let stage = Stage::new();
    let (_serve, address) = stage.serve().await;
    let ended = stage.run(&["env"]).await;
    assert!(ended.err.contains("band user add") && ended.err.contains("band agent add"), "{}", ended.err);
    let lines = ended.done();
    assert_eq!(crate::stage::variable(&lines, "BAND_REST_URL"), address);
    assert!(!lines.contains("KEY"), "{lines}");
}

#[tokio::test]
async fn without_a_server_it_says_how_to_start_one() {
    let stage = Stage::new();
    let line = stage.run(&["env"]).await.failed(1);
    assert!(line.contains("band up") && line.contains(stage.data().to_str().unwrap()), "{line}");
    assert!(!stage.data().exists(), "asking makes no directory");
}
