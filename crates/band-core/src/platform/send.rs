//! A text message: from a request to what is stored and pushed.

use band_wire::rest::{Attachment, Issues, MentionKind, MessageSent, Recipient, SendMessage};
use band_wire::{AgentId, MessageId, Stamp};
use serde_json::{Map, Value};

use super::plan::{NewMessage, Plan, Write};
use super::{
    Principal, Push, Refusal, Room, TEXT, TitleState, announce, control, files, mention, normalise, routing,
    text, titles,
};

/// What is known when a message comes in.
#[derive(Debug)]
pub struct Facts<'a> {
    /// Its room.
    pub room: &'a Room,
    /// The id it will have.
    pub id: MessageId,
    /// The files of the room that the message names.
    pub files: &'a [Attachment],
    /// Whether the task that an event names is one of the room.
    pub has_task: bool,
    /// Now.
    pub now: Stamp,
}

/// Plans a text message. `listening` says which agents have a live subscription to the room.
///
/// # Errors
/// 404 when the sender is no participant; 403 while it is stopped; 422 when nothing is visible, a mention fails, or a file is
/// named that is none of the room.
pub fn send(
    facts: &Facts<'_>,
    who: Principal,
    request: &SendMessage,
    listening: impl Fn(AgentId) -> bool,
) -> Result<Plan<MessageSent>, Refusal> {
    let Facts { room, id, now, .. } = *facts;
    let sender = room.member(who)?;
    control::may_post(sender)?;
    visible(&request.content, "/message/content")?;
    let mentions = mention::resolve(&request.mentions, &room.roster, sender.id)?;
    let files = files::attachments(&request.attachment_ids, facts.files)?;
    let mut metadata = Map::new();
    let records = mentions.iter().map(mention::Mention::record);
    let records = records.filter_map(|record| serde_json::to_value(record).ok()).collect();
    metadata.insert("mentions".to_owned(), Value::Array(records));
    metadata.insert("status".to_owned(), Value::from("sent"));
    let message = NewMessage {
        id,
        chat: room.chat.id,
        sender: sender.id,
        sender_kind: sender.kind,
        sender_name: sender.name.clone(),
        message_type: TEXT,
        content: normalise::normalise(&request.content, &mentions),
        metadata,
        files,
        at: now,
        deliveries: routing::deliveries(&mentions, sender, listening, now),
    };
    let recipients = mentions.iter().filter(|mention| mention.kind == MentionKind::Mention);
    let recipients = recipients.map(|mention| Recipient {
        id: mention.member.id,
        handle: mention.member.handle.clone(),
        name: Some(mention.member.name.clone()),
    });
    let answer = MessageSent { id, success: true, recipients: recipients.collect() };
    let mut pushes = vec![announce::message_created(&message)];
    let title = derived_title(room, &message.content, now, &mut pushes);
    let mut writes = vec![Write::AddMessage(Box::new(message))];
    writes.extend(title);
    Ok(Plan { writes, pushes, answer })
}

/// Refuses a content without a visible character.
pub(super) fn visible(content: &str, pointer: &str) -> Result<(), Refusal> {
    if text::has_visible(content) {
        Ok(())
    } else {
        Err(Refusal::invalid(Issues::one(pointer, "can't be blank")))
    }
}

/// The first message names a room that nobody has named.
fn derived_title(room: &Room, content: &str, now: Stamp, pushes: &mut Vec<Push>) -> Option<Write> {
    if room.chat.title_state != TitleState::Default {
        return None;
    }
    let title = titles::derived(content)?;
    let mut chat = room.chat.clone();
    chat.title.clone_from(&title);
    chat.updated_at = now;
    pushes.extend(announce::title_changed(&chat, &room.roster));
    Some(Write::SetTitle { chat: chat.id, title, state: TitleState::Derived, at: now })
}

#[cfg(test)]
mod tests {
    use band_wire::phx::Topic;
    use band_wire::rest::MentionInput;

    use super::*;
    use crate::platform::test_site::{
        agent, agent_id, at, blocked, bot, message_id, person, room, stopped, user,
    };
    use crate::platform::{Audience, Member, TitleState};

    #[test]
    fn a_stopped_agent_says_nothing() {
        let room = room([person(1, "Ann"), stopped(agent(2, "Echo", 1))]);
        let facts = Facts { room: &room, id: message_id(1), files: &[], has_task: false, now: at(1) };
        let ann = person(1, "Ann");
        let refusal = send(&facts, bot(2, 1), &request("hi", &[&ann]), |_| false).unwrap_err();
        assert_eq!(refusal.status, 403);
        let to = agent(2, "Echo", 1);
        let sent = send(&facts, user(1), &request("hi", &[&to]), |_| false);
        assert_eq!(sent.unwrap().answer.recipients.len(), 1, "what mentions it is stored");
    }

    fn request(content: &str, ids: &[&Member]) -> SendMessage {
        let mentions = ids
            .iter()
            .map(|member| MentionInput { id: Some(member.id.to_string()), ..MentionInput::default() });
        SendMessage { content: content.to_owned(), mentions: mentions.collect(), attachment_ids: Vec::new() }
    }

    fn facts(room: &Room) -> Facts<'_> {
        Facts { room, id: message_id(1), files: &[], has_task: false, now: at(10) }
    }

    fn site() -> (Room, Member, Member) {
        let (ann, echo) = (person(1, "Ann"), agent(2, "Echo", 1));
        (room([ann.clone(), echo.clone(), blocked(person(8, "Out"))]), ann, echo)
    }

    #[test]
    fn a_message_is_stored_with_tokens_pushed_to_its_agent_and_answered() {
        let (room, _, echo) = site();
        let plan = send(&facts(&room), user(1), &request("@echo hi", &[&echo]), |_| true).unwrap();
        let [Write::AddMessage(message)] = plan.writes.as_slice() else { panic!("{:?}", plan.writes) };
        assert_eq!(message.content, format!("@[[{}]] hi", echo.id));
        assert_eq!(message.deliveries.first().unwrap().delivered_at, Some(at(10)));
        let [push] = plan.pushes.as_slice() else { panic!("{:?}", plan.pushes) };
        assert_eq!(push.topic, Topic::ChatRoom(room.chat.id));
        assert_eq!(push.audience, Audience::UsersAnd(vec![agent_id(2)]));
        assert!(push.payload.contains(r#""delivery_status":{"#) && push.payload.contains("delivered"));
        let handles: Vec<_> = plan.answer.recipients.iter().map(|r| r.handle.as_str()).collect();
        assert_eq!(handles, ["ann/echo"]);
    }

    #[test]
    fn a_push_passes_the_check_of_released_clients() {
        let (room, _, echo) = site();
        let plan = send(&facts(&room), user(1), &request("hi", &[&echo]), |_| false).unwrap();
        let push = plan.pushes.first().unwrap();
        band_wire::event::validate(push.event, serde_json::from_str(&push.payload).unwrap()).unwrap();
    }

    #[test]
    fn references_are_no_recipients() {
        let (room, ann, echo) = site();
        let mut body = request("x", &[&ann, &echo]);
        body.mentions[1].kind = Some("reference".to_owned());
        let outsider = agent(3, "Third", 1);
        let mut members: Vec<Member> = room.roster.iter().cloned().collect();
        members.push(outsider);
        let room = super::super::test_site::room(members);
        let plan = send(&facts(&room), bot(3, 1), &body, |_| true).unwrap();
        assert_eq!(plan.answer.recipients.len(), 1);
        let Write::AddMessage(message) = plan.writes.first().unwrap() else { panic!() };
        assert!(message.deliveries.is_empty());
    }

    #[test]
    fn strangers_and_the_blocked_find_no_room() {
        let (room, ann, _) = site();
        for who in [user(9), user(8), bot(9, 1)] {
            let refusal = send(&facts(&room), who, &request("x", &[&ann]), |_| false).unwrap_err();
            assert_eq!(refusal, Refusal::not_found());
        }
    }

    #[test]
    fn blank_contents_and_unknown_files_are_refused() {
        let (room, _, echo) = site();
        let blank = send(&facts(&room), user(1), &request(" \u{200b}", &[&echo]), |_| false).unwrap_err();
        assert_eq!((blank.status, blank.code), (422, "validation_error"));
        assert_eq!(blank.details.unwrap().into_map()["/message/content"], ["can't be blank"]);
        let mut with_file = request("x", &[&echo]);
        with_file.attachment_ids.push("f".to_owned());
        let refusal = send(&facts(&room), user(1), &with_file, |_| false).unwrap_err();
        assert_eq!(refusal.code, "unknown_attachment");
    }

    #[test]
    fn the_first_message_names_the_room_and_people_hear_of_it() {
        let (mut room, ann, echo) = site();
        room.chat.title_state = TitleState::Default;
        let plan = send(&facts(&room), user(1), &request("@echo hi  there", &[&echo]), |_| false).unwrap();
        let title = plan.writes.iter().find_map(|write| match write {
            Write::SetTitle { title, state: TitleState::Derived, .. } => Some(title.as_str()),
            _ => None,
        });
        assert_eq!(title, Some("hi there"));
        let told: Vec<_> = plan.pushes.iter().map(|push| (push.event, push.topic)).collect();
        assert!(told.contains(&("room_updated", Topic::UserRooms(ann.id.cast()))));
        assert!(told.contains(&("room_title_changed", Topic::RoomParticipants(room.chat.id))));
        assert_eq!(told.len(), 3, "the blocked hear nothing");
    }
}
