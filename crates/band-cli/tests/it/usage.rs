use crate::stage::Stage;

#[tokio::test]
async fn what_makes_no_sense_ends_with_two_and_a_line_that_names_it() {
    let stage = Stage::new();
    let cases: [(&[&str], &str); 5] = [
        (&["upp"], "upp"),
        (&["serve", "--listen", "here"], "here"),
        (&["env", "-o", "xml"], "xml"),
        (&["agent", "add", "Bot"], "--description"),
        (&["user", "add"], "<NAME>"),
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
