//! A person's messages, and whom they are for.

use band_core::room::Member;
use band_core::turn::{Found, seek};
use band_wire::rest::routes::ME_CHATS;
use band_wire::rest::{Data, Participant};
use band_wire::tools::args::{ListMyChatParticipantsArgs, SendMyChatMessageArgs};
use serde_json::{Value, json};

use super::super::memory::misfit;
use super::HumanTools;
use crate::error::{ConnectionError, Result};
use crate::rest::Query;

impl HumanTools {
    pub(super) async fn list_participants(&self, args: &ListMyChatParticipantsArgs) -> Result<Value> {
        let query = vec![("participant_type", args.participant_type.clone())];
        self.list(format!("{ME_CHATS}/{}/participants", args.chat_id), query).await
    }

    pub(super) async fn send_message(&self, args: SendMyChatMessageArgs) -> Result<Value> {
        let wanted: Vec<&str> =
            args.recipients.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        if wanted.is_empty() {
            return Err(misfit("recipients cannot be empty"));
        }
        let path = format!("{ME_CHATS}/{}/participants", args.chat_id);
        let listed = self.list(path.clone(), Query::new()).await?;
        let listed: Data<Vec<Participant>> =
            serde_json::from_value(listed).map_err(|err| ConnectionError::new(format!("GET {path}"), err))?;
        let members: Vec<Member> = listed.data.into_iter().map(Member::from).collect();
        let mut to: Vec<&Member> = Vec::new();
        let mut missing = Vec::new();
        for name in wanted {
            match find(name, &members)? {
                Some(member) if to.iter().all(|known| known.id != member.id) => to.push(member),
                Some(_) => {}
                None => missing.push(name),
            }
        }
        if !missing.is_empty() {
            let known: Vec<&str> = members.iter().filter_map(|member| member.name.as_deref()).collect();
            return Err(misfit(format_args!(
                "Not found: {}. Available: {}",
                missing.join(", "),
                known.join(", ")
            )));
        }
        let mentions: Vec<Value> =
            to.iter().map(|member| json!({ "id": member.id, "name": member.name })).collect();
        let body = json!({ "message": { "content": args.content, "mentions": mentions } });
        self.post(format!("{ME_CHATS}/{}/messages", args.chat_id), &body).await
    }
}

/// By id, handle, name, or a first name that only one has.
fn find<'m>(name: &str, members: &'m [Member]) -> Result<Option<&'m Member>> {
    let first = |member: &&Member| {
        let first = member.name.as_deref().and_then(|name| name.split_whitespace().next());
        first.is_some_and(|first| first.to_lowercase() == name.to_lowercase())
    };
    match seek(name, members) {
        Found::One(member) => Ok(Some(member)),
        Found::Several(handles) => Err(misfit(format_args!(
            "Several are called '{name}'. Use one of their handles: {}",
            handles.join(", ")
        ))),
        Found::Nobody => {
            let named: Vec<&Member> = members.iter().filter(first).collect();
            match named.as_slice() {
                [] => Ok(None),
                [member] => Ok(Some(member)),
                several => {
                    let names: Vec<&str> =
                        several.iter().filter_map(|member| member.name.as_deref()).collect();
                    Err(misfit(format_args!("Several are called '{name}': {}", names.join(", "))))
                }
            }
        }
    }
}
