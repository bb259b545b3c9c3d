//! Memories, files, tasks, deletions.

use band_wire::rest::{
    Attachment, Board, BoardEvent, BoardEventKind, BulkDeleteAgents, BulkDeletion, CreateTask,
    DeletedResource, DeletionError, DeletionErrorCode, DeletionItem, DeletionItemStatus, DeletionStatus,
    Memory, MemoryScope, MemorySegment, MemoryStatus, MemorySystem, MemoryType, MyMemory, RenameChat,
    SenderType, SetBoard, StoreMemory, Task, TaskActor, TaskAssignment, TaskEvent, TaskEventKind, TaskState,
    TaskStatus, UpdateTask,
};
use serde_json::{Map, json};

use super::{at, id};

pub(crate) fn rename_chat() -> RenameChat {
    RenameChat { title: "Hall".to_owned() }
}

pub(crate) fn store_memory() -> StoreMemory {
    StoreMemory {
        content: "Ann likes tea".to_owned(),
        system: MemorySystem::LongTerm,
        kind: MemoryType::Semantic,
        segment: MemorySegment::User,
        thought: "she said so".to_owned(),
        // The description knows two scopes; newer clients know a third.
        scope: Some(MemoryScope::Subject),
        subject_id: Some(id(1)),
        metadata: Some(Map::from_iter([
            ("tags".to_owned(), json!(["tea"])),
            ("references".to_owned(), json!([id::<()>(7).to_string()])),
        ])),
    }
}

pub(crate) fn memory() -> Memory {
    let stored = store_memory();
    Memory {
        id: id(7),
        content: stored.content,
        system: stored.system.into(),
        kind: stored.kind.into(),
        segment: stored.segment.into(),
        scope: MemoryScope::Subject.into(),
        status: Some(MemoryStatus::Active.into()),
        thought: Some(stored.thought),
        subject_id: stored.subject_id,
        source_agent_id: Some(id(2)),
        organization_id: Some(uuid::Uuid::from_u128(5)),
        metadata: stored.metadata,
        inserted_at: at(0),
    }
}

pub(crate) fn my_memory() -> MyMemory {
    MyMemory {
        memory: memory(),
        chat_room_id: None,
        updated_at: at(1),
        subject_name: Some("Ann Lee".to_owned()),
        subject_type: Some("user".to_owned()),
        source_agent_name: Some("Echo".to_owned()),
        chat_room_title: None,
        chat_room_status: None,
        chat_room_type: None,
    }
}

pub(crate) fn attachment() -> Attachment {
    Attachment {
        id: id(8),
        name: "notes.txt".to_owned(),
        bytes: 5,
        content_type: "text/plain".to_owned(),
        sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824".to_owned(),
        has_thumb: false,
        expires_at: None,
    }
}

pub(crate) fn create_task() -> CreateTask {
    CreateTask {
        subject: "Make tea".to_owned(),
        detail: Some("Green.".to_owned()),
        supersedes_id: Some("2".to_owned()),
    }
}

pub(crate) fn update_task() -> UpdateTask {
    UpdateTask {
        status: Some(TaskStatus::InProgress),
        active_form: Some("Boiling water".to_owned()),
        linked_native_id: Some("T-1".to_owned()),
        comment: Some("It takes a while.".to_owned()),
        subject: Some("Make green tea".to_owned()),
        detail: Some("Sencha.".to_owned()),
        state: Some(TaskState::Archived),
    }
}

pub(crate) fn set_board() -> SetBoard {
    SetBoard { goal_title: Some("Tea".to_owned()), goal_summary: Some("For everyone.".to_owned()) }
}

pub(crate) fn actor() -> TaskActor {
    TaskActor {
        id: id(2),
        kind: SenderType::Agent.into(),
        name: "Echo".to_owned(),
        handle: Some("ann/echo".to_owned()),
    }
}

pub(crate) fn task_event() -> TaskEvent {
    TaskEvent {
        event: TaskEventKind::StatusChanged.into(),
        actor: actor(),
        at: at(1),
        payload: Map::from_iter([("status".to_owned(), json!({"from": null, "to": "in_progress"}))]),
    }
}

pub(crate) fn task() -> Task {
    Task {
        id: id(9),
        chat_room_id: id(4),
        number: 3,
        subject: "Make tea".to_owned(),
        detail: String::new(),
        state: TaskState::Active.into(),
        overall_status: TaskStatus::InProgress.into(),
        assignments: vec![TaskAssignment {
            assignee: actor(),
            status: TaskStatus::InProgress.into(),
            active_form: "Boiling water".to_owned(),
            linked_native_id: String::new(),
            updated_at: at(1),
        }],
        created_by: actor(),
        superseded_by_id: None,
        inserted_at: at(0),
        updated_at: at(1),
        started_at: Some(at(1)),
        completed_at: None,
        history: None,
        history_truncated: None,
    }
}

pub(crate) fn task_with_history() -> Task {
    Task { history: Some(vec![task_event()]), history_truncated: Some(false), ..task() }
}

pub(crate) fn board() -> Board {
    Board {
        chat_room_id: id(4),
        goal_title: Some("Tea".to_owned()),
        goal_summary: None,
        created_by: Some(actor()),
        updated_by: Some(actor()),
        inserted_at: Some(at(0)),
        updated_at: Some(at(0)),
        history: Some(vec![BoardEvent {
            event: BoardEventKind::GoalSet.into(),
            actor: actor(),
            at: at(0),
            payload: Map::from_iter([("goal_title".to_owned(), json!({"from": null, "to": "Tea"}))]),
        }]),
        history_truncated: Some(false),
    }
}

pub(crate) fn bare_board() -> Board {
    Board {
        goal_title: None,
        created_by: None,
        updated_by: None,
        inserted_at: None,
        updated_at: None,
        history: None,
        history_truncated: None,
        ..board()
    }
}

pub(crate) fn bulk_delete() -> BulkDeleteAgents {
    BulkDeleteAgents { ids: vec![id::<()>(2).to_string()], force: true }
}

pub(crate) fn deletion() -> BulkDeletion {
    BulkDeletion {
        id: id(6),
        resource_type: DeletedResource::Agent.into(),
        status: DeletionStatus::Completed.into(),
        force: false,
        total: 2,
        processed: 2,
        succeeded: 1,
        failed: 1,
        results: vec![
            DeletionItem {
                id: id::<()>(2).to_string(),
                status: DeletionItemStatus::Succeeded.into(),
                error: None,
            },
            DeletionItem {
                id: "x".to_owned(),
                status: DeletionItemStatus::Failed.into(),
                error: Some(DeletionError {
                    code: DeletionErrorCode::NotFound.into(),
                    message: "not found".to_owned(),
                }),
            },
        ],
        inserted_at: at(0),
        started_at: Some(at(0)),
        completed_at: Some(at(1)),
    }
}
