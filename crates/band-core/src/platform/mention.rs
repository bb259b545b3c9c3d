//! Whom a message names: every entry of its `mentions` is resolved among the room's participants.
//!
//! The entries are taken in order, and each is held against these rules in order; the first that fails
//! refuses the message, with the rule's token as code and as text.
//!
//! | rule | token |
//! | --- | --- |
//! | the kind is `mention` or `reference` | `invalid_mention_kind` |
//! | there is an id or a handle | `mention_missing_identifier` |
//! | the id is a UUID | `validation_error` |
//! | a handle alone belongs to a participant | `handle_not_found` |
//! | an id belongs to a participant who isn't blocked | `mentioned_participant_not_in_room` |
//! | it isn't the sender | `cannot_mention_self` |
//! | it wasn't named before | `duplicate_mentions` |
//! | (at the end) one entry is of kind mention | `mentions_required` |
//!
//! An id wins over a handle. Handles are compared without `@` and case.

use band_wire::ParticipantId;
use band_wire::rest::{Issues, MentionInput, MentionKind, MentionRecord, SenderType, code};

use super::{Member, Refusal, Roster};

/// A resolved mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention<'a> {
    /// Who is named.
    pub member: &'a Member,
    /// Whether it routes.
    pub kind: MentionKind,
}

impl Mention<'_> {
    /// Whether the message is for the one it names.
    pub fn routes(&self) -> bool {
        self.kind == MentionKind::Mention
    }

    /// The mention as it is kept with the message.
    pub fn record(&self) -> MentionRecord {
        let kind = match self.member.kind {
            SenderType::User => "user",
            SenderType::Agent => "agent",
        };
        MentionRecord {
            id: self.member.id,
            name: Some(self.member.name.clone()),
            handle: Some(self.member.handle.clone()),
            participant_type: Some(kind.to_owned()),
            kind: self.kind.into(),
            avatar_url: None,
        }
    }
}

/// Resolves all mentions of a message.
///
/// # Errors
/// 422 with the token of the first rule that fails.
pub fn resolve<'a>(
    inputs: &[MentionInput],
    roster: &'a Roster,
    sender: ParticipantId,
) -> Result<Vec<Mention<'a>>, Refusal> {
    let mut mentions: Vec<Mention<'a>> = Vec::with_capacity(inputs.len().min(roster.len()));
    for (index, input) in inputs.iter().enumerate() {
        let refuse = |token, text| Refusal::token(token, &format!("/message/mentions/{index}"), text);
        let kind = kind(input)
            .ok_or_else(|| refuse(code::INVALID_MENTION_KIND, "kind must be mention or reference"))?;
        let member = find(input, index, roster)?;
        if member.id == sender {
            return Err(refuse(code::CANNOT_MENTION_SELF, "a sender can't mention itself"));
        }
        if mentions.iter().any(|earlier| earlier.member.id == member.id) {
            return Err(refuse(code::DUPLICATE_MENTIONS, "names a participant a second time"));
        }
        mentions.push(Mention { member, kind });
    }
    if mentions.iter().any(Mention::routes) {
        Ok(mentions)
    } else {
        let text = "at least one entry of kind mention is required";
        Err(Refusal::token(code::MENTIONS_REQUIRED, "/message/mentions", text))
    }
}

fn kind(input: &MentionInput) -> Option<MentionKind> {
    match input.kind.as_deref() {
        None | Some("mention") => Some(MentionKind::Mention),
        Some("reference") => Some(MentionKind::Reference),
        Some(_) => None,
    }
}

fn find<'a>(input: &MentionInput, index: usize, roster: &'a Roster) -> Result<&'a Member, Refusal> {
    let pointer = format!("/message/mentions/{index}");
    let handle = input.handle.as_deref().map(|text| text.trim().trim_start_matches('@'));
    match (&input.id, handle.filter(|text| !text.is_empty())) {
        (Some(id), _) => {
            let id: ParticipantId = id.parse().map_err(|_| {
                Refusal::invalid(Issues::one(format!("{pointer}/id"), "Invalid format. Expected :uuid"))
            })?;
            roster.get(id).filter(|member| !member.is_blocked()).ok_or_else(|| {
                let text = format!("{id} is not a participant of this room");
                Refusal::token(code::MENTIONED_PARTICIPANT_NOT_IN_ROOM, &pointer, &text)
            })
        }
        (None, Some(handle)) => {
            roster.by_handle(handle).filter(|member| !member.is_blocked()).ok_or_else(|| {
                let handle: String = handle.chars().take(80).collect();
                let text = format!("no participant of this room has the handle {handle}");
                Refusal::token(code::HANDLE_NOT_FOUND, &pointer, &text)
            })
        }
        (None, None) => {
            let text = "needs an id or a handle";
            Err(Refusal::token(code::MENTION_MISSING_IDENTIFIER, &pointer, text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::test_site::{agent, blocked, person, roster};

    fn by_id(number: u128) -> MentionInput {
        MentionInput { id: Some(person(number, "x").id.to_string()), ..MentionInput::default() }
    }

    fn by_handle(handle: &str) -> MentionInput {
        MentionInput { handle: Some(handle.to_owned()), ..MentionInput::default() }
    }

    fn site() -> Roster {
        roster([person(1, "Ann"), agent(2, "Echo", 1), agent(3, "Other", 1), blocked(agent(4, "Gone", 1))])
    }

    fn of_kind(kind: &str, input: MentionInput) -> MentionInput {
        MentionInput { kind: Some(kind.to_owned()), ..input }
    }

    #[test]
    fn every_rule_refuses_with_its_token() {
        let nobody = MentionInput { name: Some("Echo".to_owned()), ..MentionInput::default() };
        let no_uuid = MentionInput { id: Some("echo".to_owned()), ..MentionInput::default() };
        let table: Vec<(Vec<MentionInput>, &str)> = vec![
            (vec![], "mentions_required"),
            (vec![of_kind("reference", by_id(2))], "mentions_required"),
            (vec![of_kind("cc", by_id(2))], "invalid_mention_kind"),
            (vec![of_kind("Mention", by_id(2))], "invalid_mention_kind"),
            (vec![nobody], "mention_missing_identifier"),
            (vec![by_handle("@")], "mention_missing_identifier"),
            (vec![no_uuid], "validation_error"),
            (vec![by_handle("ann/nobody")], "handle_not_found"),
            (vec![by_handle("ann/gone")], "handle_not_found"),
            (vec![by_id(9)], "mentioned_participant_not_in_room"),
            (vec![by_id(4)], "mentioned_participant_not_in_room"),
            (vec![by_id(1)], "cannot_mention_self"),
            (vec![by_handle("ANN")], "cannot_mention_self"),
            (vec![by_id(2), by_handle("ann/echo")], "duplicate_mentions"),
            (vec![by_id(2), of_kind("reference", by_id(2))], "duplicate_mentions"),
            (vec![by_id(2), by_id(9)], "mentioned_participant_not_in_room"),
        ];
        for (inputs, token) in table {
            let refusal = resolve(&inputs, &site(), person(1, "Ann").id).unwrap_err();
            assert_eq!((refusal.status, refusal.code), (422, token), "{inputs:?}");
            assert!(refusal.details.is_some(), "{token} names no place");
            if token != "validation_error" {
                assert_eq!(refusal.message, token, "clients compare the text");
            }
        }
    }

    #[test]
    fn handles_work_with_and_without_at_and_in_any_case() {
        for handle in ["ann/echo", "@ann/echo", "@Ann/ECHO", " @ann/echo "] {
            let site = site();
            let mentions = resolve(&[by_handle(handle)], &site, person(1, "Ann").id).unwrap();
            assert_eq!(mentions.first().unwrap().member.name, "Echo", "{handle}");
        }
    }

    #[test]
    fn an_id_wins_over_a_handle() {
        let both = MentionInput { handle: Some("ann/other".to_owned()), ..by_id(2) };
        let site = site();
        let mentions = resolve(&[both], &site, person(1, "Ann").id).unwrap();
        assert_eq!(mentions.first().unwrap().member.name, "Echo");
    }

    #[test]
    fn the_order_and_the_kinds_are_kept() {
        let site = site();
        let inputs = [of_kind("reference", by_id(3)), of_kind("mention", by_id(2))];
        let mentions = resolve(&inputs, &site, person(1, "Ann").id).unwrap();
        let seen: Vec<_> = mentions.iter().map(|m| (m.member.name.as_str(), m.routes())).collect();
        assert_eq!(seen, [("Other", false), ("Echo", true)]);
        assert_eq!(mentions.first().unwrap().record().participant_type.as_deref(), Some("agent"));
    }
}
