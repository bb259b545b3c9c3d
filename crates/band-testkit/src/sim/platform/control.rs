//! Stop, play and interrupt.

use band_core::platform::activity::Input;
use band_core::platform::control::{Signal, in_room};
use band_core::platform::{Principal, Refusal};
use band_wire::event::ControlMode;
use band_wire::{AgentId, ChatId, UserId};

use super::Platform;

impl Platform {
    /// A person steers an agent in one room.
    pub(crate) fn steer(
        &mut self,
        by: UserId,
        agent: AgentId,
        chat: ChatId,
        mode: ControlMode,
    ) -> Result<(), Refusal> {
        let room = self.store.room(chat).ok_or_else(Refusal::not_found)?;
        let signal = Signal { mode, id: self.uuid(), now: self.stamp() };
        let plan = in_room(&room, Principal::User(by), Some(agent), signal)?;
        self.commit(plan);
        if mode == ControlMode::Stop {
            self.work(Input::Stops { chat, agent });
        }
        Ok(())
    }
}
