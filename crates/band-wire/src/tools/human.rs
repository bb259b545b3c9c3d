//! The tools of a person.

use super::args::{
    AddMyChatParticipantArgs, ApproveContactRequestArgs, ArchiveUserMemoryArgs, CancelContactRequestArgs,
    CreateContactRequestArgs, CreateMyChatRoomArgs, DeleteUserMemoryArgs, GetMyChatRoomArgs,
    GetMyProfileArgs, GetUserMemoryArgs, ListMyAgentsArgs, ListMyChatMessagesArgs,
    ListMyChatParticipantsArgs, ListMyChatsArgs, ListMyContactsArgs, ListMyPeersArgs,
    ListReceivedContactRequestsArgs, ListSentContactRequestsArgs, ListUserMemoriesArgs, RegisterMyAgentArgs,
    RejectContactRequestArgs, RemoveMyChatParticipantArgs, RemoveMyContactArgs, ResolveHandleArgs,
    RestoreUserMemoryArgs, SendMyChatMessageArgs, SupersedeUserMemoryArgs, UpdateMyProfileArgs,
};
use super::catalogue;

catalogue! {
    Human,
    /// A tool of a person. It is bound to no room; the room is an argument.
    HumanTool,
    /// A call of one, its arguments read.
    HumanCall,
    {
        ListMyAgents(ListMyAgentsArgs) = "band_list_my_agents", Human, Observe, false;
        RegisterMyAgent(RegisterMyAgentArgs) = "band_register_my_agent", Human, Act, false;
        ListMyChats(ListMyChatsArgs) = "band_list_my_chats", Human, Observe, false;
        CreateMyChatRoom(CreateMyChatRoomArgs) = "band_create_my_chat_room", Human, Act, false;
        GetMyChatRoom(GetMyChatRoomArgs) = "band_get_my_chat_room", Human, Observe, true;
        ListMyContacts(ListMyContactsArgs) = "band_list_my_contacts", Contacts, Observe, false;
        CreateContactRequest(CreateContactRequestArgs) = "band_create_contact_request", Contacts, Act, false;
        ListReceivedContactRequests(ListReceivedContactRequestsArgs) = "band_list_received_contact_requests", Contacts, Observe, false;
        ListSentContactRequests(ListSentContactRequestsArgs) = "band_list_sent_contact_requests", Contacts, Observe, false;
        ApproveContactRequest(ApproveContactRequestArgs) = "band_approve_contact_request", Contacts, Act, false;
        RejectContactRequest(RejectContactRequestArgs) = "band_reject_contact_request", Contacts, Act, false;
        CancelContactRequest(CancelContactRequestArgs) = "band_cancel_contact_request", Contacts, Act, false;
        ResolveHandle(ResolveHandleArgs) = "band_resolve_handle", Contacts, Observe, false;
        RemoveMyContact(RemoveMyContactArgs) = "band_remove_my_contact", Contacts, Act, false;
        ListMyChatMessages(ListMyChatMessagesArgs) = "band_list_my_chat_messages", Human, Observe, true;
        SendMyChatMessage(SendMyChatMessageArgs) = "band_send_my_chat_message", Human, Act, true;
        ListMyChatParticipants(ListMyChatParticipantsArgs) = "band_list_my_chat_participants", Human, Observe, true;
        AddMyChatParticipant(AddMyChatParticipantArgs) = "band_add_my_chat_participant", Human, Act, true;
        RemoveMyChatParticipant(RemoveMyChatParticipantArgs) = "band_remove_my_chat_participant", Human, Act, true;
        ListUserMemories(ListUserMemoriesArgs) = "band_list_user_memories", Memory, Observe, false;
        GetUserMemory(GetUserMemoryArgs) = "band_get_user_memory", Memory, Observe, false;
        SupersedeUserMemory(SupersedeUserMemoryArgs) = "band_supersede_user_memory", Memory, Act, false;
        ArchiveUserMemory(ArchiveUserMemoryArgs) = "band_archive_user_memory", Memory, Act, false;
        RestoreUserMemory(RestoreUserMemoryArgs) = "band_restore_user_memory", Memory, Act, false;
        DeleteUserMemory(DeleteUserMemoryArgs) = "band_delete_user_memory", Memory, Act, false;
        GetMyProfile(GetMyProfileArgs) = "band_get_my_profile", Human, Observe, false;
        UpdateMyProfile(UpdateMyProfileArgs) = "band_update_my_profile", Human, Act, false;
        ListMyPeers(ListMyPeersArgs) = "band_list_my_peers", Human, Observe, false;
    }
}
