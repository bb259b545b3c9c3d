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

#[tokio::test]
async fn a_second_agent_of_ours_is_refused_although_its_temporary_folder_is_another_one() {
    let stage = Stage::set().await;
    let elsewhere = tempfile::tempdir().unwrap();
    let _first = stage.rust_agent().await;
    let mut second = stage.rust_agent_starting_in(elsewhere.path());
    assert_eq!(second.ended(PATIENCE).await.unwrap().code(), Some(3), "{}", second.tail());
    let refused = second.lines_with("is already running on this host");
    assert!(refused.iter().any(|line| line.contains("locks/band-agent-")), "{}", second.tail());
}

/// The Python SDK looks into its temporary folder alone: there the platform has to tell the two apart.
#[tokio::test]
async fn the_python_sdk_with_another_temporary_folder_is_not_held_up_by_ours() {
    let stage = Stage::set().await;
    let elsewhere = tempfile::tempdir().unwrap();
    let mut ours = stage.rust_agent().await;
    let mut theirs = stage.python_agent_with(&[], elsewhere.path());
    theirs.line("Agent started: ", PATIENCE).await.unwrap();
    // The later one takes over, and the earlier one ends without a fight.
    assert_eq!(ours.ended(PATIENCE).await.unwrap().code(), Some(0), "{}", ours.tail());
}
