use band_wire::rest::Body;

use super::golden;
use crate::samples::keeping::{
    attachment, bare_board, board, bulk_delete, create_task, deletion, memory, my_memory, rename_chat,
    set_board, store_memory, task, task_with_history, update_task,
};

#[test]
fn bodies() {
    golden!("rename_chat", Body(&rename_chat()));
    golden!("store_memory", Body(&store_memory()));
    golden!("create_task", Body(&create_task()));
    golden!("update_task", Body(&update_task()));
    golden!("set_board", Body(&set_board()));
    golden!("bulk_delete", Body(&bulk_delete()));
}

#[test]
fn memories_and_files() {
    golden!("memory", both memory());
    golden!("my_memory", both my_memory());
    golden!("attachment", both attachment());
}

#[test]
fn the_task_board() {
    golden!("task", both task());
    golden!("task_with_history", both task_with_history());
    golden!("board", both board());
    golden!("board_without_goal", both bare_board());
}

#[test]
fn deletions() {
    golden!("bulk_deletion", both deletion());
}
