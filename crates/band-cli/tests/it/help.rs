use crate::stage::Stage;

const COMMANDS: [&[&str]; 8] = [
    &["up"],
    &["serve"],
    &["env"],
    &["tools"],
    &["user", "add"],
    &["user", "link"],
    &["agent", "add"],
    &["agent", "run"],
];

#[tokio::test]
async fn the_help_of_the_whole_stays_as_it_is() {
    insta::assert_snapshot!(Stage::new().run(&["--help"]).await.done());
}

#[tokio::test]
async fn the_help_of_each_command_stays_as_it_is_and_has_an_example() {
    let stage = Stage::new();
    for command in COMMANDS {
        let words: Vec<&str> = command.iter().copied().chain(["--help"]).collect();
        let help = stage.run(&words).await.done();
        let name = format!("band {}", command.join(" "));
        let example = help.split("Example:\n").nth(1).unwrap_or_default();
        assert!(example.contains(&name), "{help}");
        insta::assert_snapshot!(name.replace(' ', "-"), help);
    }
}

#[tokio::test]
async fn the_version_is_the_workspaces() {
    let version = Stage::new().run(&["--version"]).await.done();
    assert_eq!(version, format!("band {}\n", env!("CARGO_PKG_VERSION")));
}
