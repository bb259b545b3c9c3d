//! One agent runs once on a host, whichever SDK it is written with.

use band_testkit::PATIENCE;

use crate::stage::Stage;

#[tokio::test]
async fn while_our_agent_runs_the_python_sdk_refuses_to_start_it_again() {
    let stage = Stage::set().await;
    let _ours = stage.rust_agent().await;
    let mut theirs = stage.python_agent_with(&[], stage.folder.path());
    assert!(!theirs.ended(PATIENCE).await.unwrap().success());
    let refused = theirs.lines_with("AgentAlreadyRunningError");
    assert!(refused.iter().any(|line| line.contains("is already running on this host")), "{}", theirs.tail());
}

#[tokio::test]
async fn while_the_python_sdk_runs_an_agent_ours_refuses_to_start_it_again() {
    let stage = Stage::set().await;
    let _theirs = stage.python_agent().await;
    let mut ours = stage.rust_agent_starting();
    assert_eq!(ours.ended(PATIENCE).await.unwrap().code(), Some(3), "{}", ours.tail());
    let lock = format!("band-agent-{}.lock", stage.agent.id);
    let refused = ours.lines_with("is already running on this host");
    assert!(refused.iter().any(|line| line.contains(&lock)), "{}", ours.tail());
}

#[tokio::test]
async fn a_killed_agent_leaves_no_lock_behind_for_the_other_sdk() {
    let stage = Stage::set().await;
    let mut ours = stage.rust_agent().await;
    ours.kill().await.unwrap();
    let mut theirs = stage.python_agent().await;
    theirs.kill().await.unwrap();
    let _ours = stage.rust_agent().await;
}
