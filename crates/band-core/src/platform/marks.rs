//! Delivery marks: from a request to what is stored and pushed.

use band_wire::rest::{self, DeliveryMap, DeliveryStatus, MessageMark};
use band_wire::{AgentId, ChatId, Stamp};

use super::delivery::{self, Mark, Marked};
use super::plan::{Plan, Write};
use super::{Refusal, announce};

/// What is known of a message that is marked.
#[derive(Debug)]
pub struct Facts {
    /// Its room.
    pub chat: ChatId,
    /// The message as it is stored, without delivery records.
    pub message: rest::Message,
    /// The delivery records of all agents.
    pub deliveries: DeliveryMap,
    /// Now.
    pub now: Stamp,
}

/// Plans a mark. People hear of every change of state; a repeated `processing` changes none.
///
/// # Errors
/// 422 under `/processing_attempt` when the mark ends an attempt and none is open.
pub fn mark(facts: Facts, agent: AgentId, mark: Mark) -> Result<Plan<MessageMark>, Refusal> {
    let Facts { chat, message, mut deliveries, now } = facts;
    let answer = |status: DeliveryStatus, attempt_number| MessageMark {
        id: message.id,
        status: status.into(),
        attempt_number,
        success: true,
    };
    let status = mark.status();
    match delivery::mark(deliveries.get(&agent), mark, now)? {
        Marked::Open(number) => Ok(Plan::answer(answer(status, number))),
        Marked::Changed(record) => {
            let answer = answer(status, record.current_attempt.unwrap_or(1));
            let write = Write::SetDelivery { message: message.id, agent, record: record.clone(), at: now };
            deliveries.insert(agent, record);
            let updated = rest::Message { updated_at: Some(now), ..message };
            let updated = announce::with_deliveries(updated, &deliveries);
            Ok(Plan { writes: vec![write], pushes: vec![announce::message_updated(chat, updated)], answer })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::*;
    use crate::platform::Audience;
    use crate::platform::test_site::{agent_id, at, message_id, room};

    fn facts(deliveries: DeliveryMap) -> Facts {
        let message = rest::Message {
            id: message_id(1),
            content: "hi".to_owned(),
            message_type: "text".to_owned(),
            sender_id: agent_id(9).into(),
            sender_type: "User".to_owned(),
            sender_name: Some("Ann".to_owned()),
            chat_room_id: None,
            metadata: Map::from_iter([("status".to_owned(), Value::from("sent"))]),
            attachments: Vec::new(),
            inserted_at: Some(at(1)),
            updated_at: Some(at(1)),
        };
        Facts { chat: room([]).chat.id, message, deliveries, now: at(5) }
    }

    #[test]
    fn a_change_is_stored_pushed_to_people_with_everything_and_answered() {
        let other = DeliveryMap::from([(agent_id(3), delivery::delivered(at(2)))]);
        let plan = mark(facts(other), agent_id(2), Mark::Processing).unwrap();
        assert_eq!((plan.answer.status, plan.answer.attempt_number), (DeliveryStatus::Processing.into(), 1));
        assert!(
            matches!(plan.writes.as_slice(), [Write::SetDelivery { at: changed, .. }] if *changed == at(5))
        );
        let [push] = plan.pushes.as_slice() else { panic!("{:?}", plan.pushes) };
        assert_eq!((push.event, &push.audience), ("message_updated", &Audience::Users));
        let payload: Value = serde_json::from_str(&push.payload).unwrap();
        let states = &payload["metadata"]["delivery_status"];
        assert_eq!(states[agent_id(2).to_string()]["status"], "processing");
        assert_eq!(states[agent_id(3).to_string()]["status"], "delivered");
        assert_eq!(payload["metadata"]["status"], "sent");
        assert_eq!(payload["updated_at"], at(5).to_string(), "the time that is stored");
    }

    #[test]
    fn a_repeated_processing_changes_nothing() {
        let Plan { writes, .. } = mark(facts(DeliveryMap::new()), agent_id(2), Mark::Processing).unwrap();
        let Some(Write::SetDelivery { record, .. }) = writes.into_iter().next() else { panic!() };
        let again = facts(DeliveryMap::from([(agent_id(2), record)]));
        let plan = mark(again, agent_id(2), Mark::Processing).unwrap();
        assert!(plan.writes.is_empty() && plan.pushes.is_empty());
        assert_eq!(plan.answer.attempt_number, 1);
    }

    #[test]
    fn an_end_without_an_attempt_is_refused() {
        assert_eq!(mark(facts(DeliveryMap::new()), agent_id(2), Mark::Processed).unwrap_err().status, 422);
    }
}
