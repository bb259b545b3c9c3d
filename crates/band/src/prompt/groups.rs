//! The groups of tools that not every agent has.

use std::fmt::Display;

use band_wire::rest::{MemoryScope, MemorySegment, MemorySystem};

use super::naming::{Voice, list, section};

pub(super) fn sections(voice: &Voice) -> impl Iterator<Item = String> {
    [memory(voice), contacts(voice), files(voice), tasks(voice)].into_iter().flatten()
}

fn memory(voice: &Voice) -> Option<String> {
    let uses = [
        voice.uses(&[
            ("band_store_memory", "keeps something beyond this conversation"),
            ("band_list_memories", "finds it again"),
            ("band_get_memory", "reads one by its id"),
        ]),
        voice.uses(&[
            ("band_supersede_memory", "marks one that a newer one has replaced"),
            ("band_archive_memory", "puts one away that is true but not needed"),
        ]),
    ];
    let storing = voice.tool("band_store_memory").map(|store| [values(&store), patterns(), scopes(voice)]);
    section("Memory Tools", [list(uses)].into_iter().chain(storing.into_iter().flatten()))
}

fn words<T: Display>(all: &[T]) -> String {
    let all: Vec<String> = all.iter().map(|one| format!("`{one}`")).collect();
    all.join(", ")
}

/// As the types have them, so that no other value is ever told.
fn values(store: &str) -> String {
    let types =
        MemorySystem::ALL.iter().map(|system| format!("with `{system}` one of {}", words(&system.types())));
    let types: Vec<String> = types.collect();
    format!(
        "{store} takes these values, spelled exactly so:\n{}",
        list([
            Some(format!("`system`: {}", words(MemorySystem::ALL))),
            Some(format!("`type`: {}", types.join("; "))),
            Some(format!("`segment`: {}", words(MemorySegment::ALL))),
            Some(format!("`scope`: {}", words(MemoryScope::ALL))),
        ])
    )
}

fn patterns() -> String {
    let pattern = |what: &str, kind: &str, segment: &str| {
        Some(format!("{what}: `long_term`, `{kind}`, segment `{segment}`"))
    };
    let all = list([
        pattern("What is true of another agent", "semantic", "agent"),
        pattern("What happened, with whom", "episodic", "agent"),
        pattern("What a person prefers", "semantic", "user"),
        pattern("How something is done", "procedural", "tool"),
    ]);
    format!("Usual combinations:\n{all}")
}

fn scopes(voice: &Voice) -> String {
    let places = [
        voice.tool("band_get_participants").map(|tool| format!("{tool} tells it for those in this room")),
        voice.tool("band_lookup_peers").map(|tool| format!("{tool} for others")),
    ];
    let places: Vec<String> = places.into_iter().flatten().collect();
    let found = if places.is_empty() { String::new() } else { format!(" {}.", places.join(", ")) };
    let all = list([
        Some("`agent`: private notes. It needs nothing else and is the normal choice for them.".to_owned()),
        Some(format!(
            "`subject`: what concerns a single person or agent. It needs that one's UUID as `subject_id`, and neither \
             a handle nor a name will do.{found} In \"I like tea\" the subject is whoever wrote that: use the \
             writer's id, never yours."
        )),
        Some("`organization`: what everybody there should know. Your owner has to belong to one.".to_owned()),
    ]);
    format!("Which scope:\n{all}")
}

fn contacts(voice: &Voice) -> Option<String> {
    let uses = [
        voice.uses(&[
            ("band_list_contacts", "shows whom you know"),
            ("band_add_contact", "asks someone to become a contact"),
            ("band_remove_contact", "ends that"),
        ]),
        voice.uses(&[
            ("band_list_contact_requests", "shows the requests of both directions"),
            ("band_respond_contact_request", "answers one"),
        ]),
    ];
    section("Contact Management Tools", [list(uses)])
}

fn files(voice: &Voice) -> Option<String> {
    let uses = [
        voice.uses(&[
            ("band_list_room_files", "lists the files of this room"),
            ("band_read_room_file", "reads one by its id"),
        ]),
        voice.uses(&[(
            "band_send_room_file",
            "shares a text as a file here; that is a message, and so a reply",
        )]),
    ];
    section("Room File Tools", [list(uses)])
}

fn tasks(voice: &Voice) -> Option<String> {
    let supersede = voice.tool("band_create_task").map(|_| {
        let history = voice.tool("band_get_task_history").map(|tool| format!(", and {tool} shows it"));
        format!(
            "When a plan changes, create a task that supersedes the old one: its history stays{}.",
            history.unwrap_or_default()
        )
    });
    let history_alone =
        supersede.is_none().then(|| voice.uses(&[("band_get_task_history", "shows what became of a task")]));
    let uses = [
        voice.uses(&[
            ("band_list_tasks", "shows the tasks of this room"),
            ("band_get_task", "all of one"),
        ])
        .map(|uses| format!("{uses} Look at the board before you add to it.")),
        voice.uses(&[("band_create_task", "adds a task, and gives it to nobody")]),
        voice.tool("band_update_task").map(|tool| {
            format!(
                "With {tool} you write your own status, nobody else's. Your first one makes you an assignee, of whom \
                 a task may have many. `active_form` says what you are doing at the moment."
            )
        }),
        supersede,
        history_alone.flatten(),
        voice.uses(&[("band_get_board", "reads the goal of this room"), ("band_set_board", "sets it")]),
    ];
    section("Task Board Tools", [list(uses)])
}
