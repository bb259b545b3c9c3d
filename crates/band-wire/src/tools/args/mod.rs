//! The arguments of each tool. Doc comments of these types are what models read: plain and short.

mod chat;
mod contacts;
mod files;
mod human;
mod human_contacts;
mod human_memory;
mod memory;
mod rules;
mod tasks;

pub use chat::{
    AddParticipantArgs, CreateChatroomArgs, GetParticipantsArgs, LookupPeersArgs, NoReplyArgs,
    ParticipantRole, RemoveParticipantArgs, SendEventArgs, SendMessageArgs, ShownEvent,
};
pub use contacts::{
    AddContactArgs, ListContactRequestsArgs, ListContactsArgs, RemoveContactArgs, RespondContactRequestArgs,
    SentStatus, Settlement,
};
pub use files::{ListRoomFilesArgs, ReadRoomFileArgs, SendRoomFileArgs};
pub use human::{
    AddMyChatParticipantArgs, CreateMyChatRoomArgs, GetMyChatRoomArgs, GetMyProfileArgs, ListMyAgentsArgs,
    ListMyChatMessagesArgs, ListMyChatParticipantsArgs, ListMyChatsArgs, ListMyPeersArgs,
    RegisterMyAgentArgs, RemoveMyChatParticipantArgs, SendMyChatMessageArgs, UpdateMyProfileArgs,
};
pub use human_contacts::{
    ApproveContactRequestArgs, CancelContactRequestArgs, CreateContactRequestArgs, ListMyContactsArgs,
    ListReceivedContactRequestsArgs, ListSentContactRequestsArgs, RejectContactRequestArgs,
    RemoveMyContactArgs, ResolveHandleArgs,
};
pub use human_memory::{
    ArchiveUserMemoryArgs, DeleteUserMemoryArgs, GetUserMemoryArgs, ListUserMemoriesArgs,
    RestoreUserMemoryArgs, SupersedeUserMemoryArgs,
};
pub use memory::{
    ArchiveMemoryArgs, GetMemoryArgs, ListMemoriesArgs, MemoryListScope, MemoryStatusFilter, StoreMemoryArgs,
    SupersedeMemoryArgs,
};
pub use rules::{bare_task_reference, given, is_resource_id};
pub use tasks::{
    CreateTaskArgs, GetBoardArgs, GetTaskArgs, GetTaskHistoryArgs, Include, ListTasksArgs, SetBoardArgs,
    TaskListState, TaskState, UpdateTaskArgs,
};
