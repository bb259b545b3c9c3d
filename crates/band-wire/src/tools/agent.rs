//! The tools of an agent.

use super::args::{
    AddContactArgs, AddParticipantArgs, ArchiveMemoryArgs, CreateChatroomArgs, CreateTaskArgs, GetBoardArgs,
    GetMemoryArgs, GetParticipantsArgs, GetTaskArgs, GetTaskHistoryArgs, ListContactRequestsArgs,
    ListContactsArgs, ListMemoriesArgs, ListRoomFilesArgs, ListTasksArgs, LookupPeersArgs, NoReplyArgs,
    ReadRoomFileArgs, RemoveContactArgs, RemoveParticipantArgs, RespondContactRequestArgs, SendEventArgs,
    SendMessageArgs, SendRoomFileArgs, SetBoardArgs, StoreMemoryArgs, SupersedeMemoryArgs, UpdateTaskArgs,
};
use super::catalogue;

catalogue! {
    Agent,
    /// A tool of an agent, bound to a room and a turn.
    AgentTool,
    /// A call of one, its arguments read.
    AgentCall,
    {
        SendMessage(SendMessageArgs) = "band_send_message", Chat, Reply, true;
        SendEvent(SendEventArgs) = "band_send_event", Chat, Observe, true;
        NoReply(NoReplyArgs) = "band_no_reply", Chat, Decline, false;
        AddParticipant(AddParticipantArgs) = "band_add_participant", Chat, Act, true;
        RemoveParticipant(RemoveParticipantArgs) = "band_remove_participant", Chat, Act, true;
        LookupPeers(LookupPeersArgs) = "band_lookup_peers", Chat, Observe, true;
        GetParticipants(GetParticipantsArgs) = "band_get_participants", Chat, Observe, true;
        CreateChatroom(CreateChatroomArgs) = "band_create_chatroom", Chat, Act, false;
        ListContacts(ListContactsArgs) = "band_list_contacts", Contacts, Observe, false;
        AddContact(AddContactArgs) = "band_add_contact", Contacts, Act, false;
        RemoveContact(RemoveContactArgs) = "band_remove_contact", Contacts, Act, false;
        ListContactRequests(ListContactRequestsArgs) = "band_list_contact_requests", Contacts, Observe, false;
        RespondContactRequest(RespondContactRequestArgs) =
            "band_respond_contact_request", Contacts, Act, false;
        ListMemories(ListMemoriesArgs) = "band_list_memories", Memory, Observe, false;
        StoreMemory(StoreMemoryArgs) = "band_store_memory", Memory, Act, false;
        GetMemory(GetMemoryArgs) = "band_get_memory", Memory, Observe, false;
        SupersedeMemory(SupersedeMemoryArgs) = "band_supersede_memory", Memory, Act, false;
        ArchiveMemory(ArchiveMemoryArgs) = "band_archive_memory", Memory, Act, false;
        ListRoomFiles(ListRoomFilesArgs) = "band_list_room_files", Files, Observe, true;
        ReadRoomFile(ReadRoomFileArgs) = "band_read_room_file", Files, Observe, true;
        SendRoomFile(SendRoomFileArgs) = "band_send_room_file", Files, Reply, true;
        ListTasks(ListTasksArgs) = "band_list_tasks", Tasks, Observe, true;
        CreateTask(CreateTaskArgs) = "band_create_task", Tasks, Act, true;
        GetTask(GetTaskArgs) = "band_get_task", Tasks, Observe, true;
        UpdateTask(UpdateTaskArgs) = "band_update_task", Tasks, Act, true;
        GetTaskHistory(GetTaskHistoryArgs) = "band_get_task_history", Tasks, Observe, true;
        GetBoard(GetBoardArgs) = "band_get_board", Tasks, Observe, true;
        SetBoard(SetBoardArgs) = "band_set_board", Tasks, Act, true;
    }
}

impl AgentTool {
    /// Other names of it that older servers use.
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            Self::SendMessage => &["create_agent_chat_message"],
            _ => &[],
        }
    }

    /// The tool of this name, or with this among its aliases.
    pub fn resolve(name: &str) -> Option<Self> {
        let aliased = || Self::ALL.iter().copied().find(|tool| tool.aliases().contains(&name));
        Self::of_name(name).or_else(aliased)
    }
}
