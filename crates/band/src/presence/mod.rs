//! Presence alone: which rooms the agent is in, and what is heard there, for hosts that do the rest themselves.
//!
//! ```no_run
//! # async fn example(key: secrecy::SecretString, agent: band_wire::AgentId) -> band::Result<()> {
//! use band::link::{LinkConfig, LinkEvent};
//! use band::presence::{PresenceEvent, RoomPresence};
//! use band::rest::{RestClient, RestConfig};
//!
//! let rest = RestClient::new(RestConfig::new("https://app.band.ai", key.clone()))?;
//! let link = LinkConfig::new("wss://app.band.ai/api/v1/socket/websocket", key, agent);
//! let mut presence = RoomPresence::connect(rest.clone(), &link)?;
//! while let Some(event) = presence.next().await {
//!     match event {
//!         // What was said while nobody listened is asked for: pushes alone have gaps.
//!         PresenceEvent::Subscribed(room) | PresenceEvent::LookAgain(room) => {
//!             while let Some(message) = rest.next(room).await? {
//!                 rest.mark_processing(room, message.id).await?;
//!                 println!("{}", message.content);
//!                 rest.mark_processed(room, message.id).await?;
//!             }
//!         }
//!         PresenceEvent::Heard(LinkEvent::Message { room, message }) => println!("{room}: {}", message.content),
//!         _ => {}
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod listing;

use std::collections::VecDeque;
use std::fmt;

use band_core::agent::{Input, Output, Presence};
use band_core::{Machine, Moment};
use band_wire::ChatId;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) use self::listing::Listing;
use crate::alarm;
use crate::error::Result;
use crate::link::{Link, LinkConfig, LinkEvent, LinkEvents, LinkHandle, StopReason};
use crate::rest::RestClient;

/// What presence tells.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PresenceEvent {
    /// All rooms that the agent was in are joined: so many.
    Ready(usize),
    /// The agent is in this room, and hears it from now on. What was said before has to be asked for.
    Subscribed(ChatId),
    /// The room may be saying something that is not heard, until it is subscribed again.
    Unsubscribed(ChatId),
    /// Something may have been missed: ask for it.
    LookAgain(ChatId),
    /// The agent is not in this room any more.
    Left(ChatId),
    /// What came from the platform, and is not about the agent's rooms themselves.
    Heard(LinkEvent),
    /// The connection is over for good. Nothing comes after this.
    Ended(StopReason),
}

/// Stays in all rooms of an agent: joins them at the start, follows additions and removals, joins again after
/// a reconnect, and says where something may have been missed. It takes no message up and marks none.
///
/// It does its work while [`next`](Self::next) is awaited, and ends when it is dropped.
pub struct RoomPresence {
    machine: Presence,
    origin: Instant,
    rest: RestClient,
    link: LinkHandle,
    events: LinkEvents,
    driver: JoinSet<StopReason>,
    listing: Listing,
    out: VecDeque<PresenceEvent>,
    over: bool,
}

impl RoomPresence {
    /// Begins to connect, on the current runtime.
    ///
    /// # Errors
    /// The address or the key can't be used.
    pub fn connect(rest: RestClient, config: &LinkConfig) -> Result<Self> {
        let (link, events, driver) = Link::new(config)?;
        let mut tasks = JoinSet::new();
        tasks.spawn(driver.run(CancellationToken::new()));
        Ok(Self {
            machine: Presence::new(config.seed.unwrap_or_else(crate::seed)),
            origin: Instant::now(),
            rest,
            link,
            events,
            driver: tasks,
            listing: Listing::default(),
            out: VecDeque::new(),
            over: false,
        })
    }

    /// The rooms that the agent is in, in order of their ids.
    pub fn rooms(&self) -> Vec<ChatId> {
        self.machine.open_rooms().collect()
    }

    /// Asks for the end: rooms and connection are left within seconds. The last event tells.
    pub fn close(&self) {
        self.link.close();
    }

    /// What happens next; none after the end. May be dropped and called again.
    pub async fn next(&mut self) -> Option<PresenceEvent> {
        loop {
            self.drain().await;
            if let Some(event) = self.out.pop_front() {
                return Some(event);
            }
            if self.over {
                return None;
            }
            let deadline = self.machine.deadline();
            tokio::select! {
                biased;
                rooms = self.listing.answer() => self.tell(Input::Listed(rooms)),
                event = self.events.next() => match event {
                    Some(event) => self.happened(event),
                    None => self.over = true,
                },
                () = alarm::due(self.origin, deadline) => {
                    let now = self.now();
                    self.machine.expire(now);
                }
                Some(_) = self.driver.join_next() => {}
            }
        }
    }

    fn now(&self) -> Moment {
        Moment::at(self.origin.elapsed())
    }

    fn tell(&mut self, input: Input) {
        let now = self.now();
        self.machine.handle(now, input);
    }

    async fn drain(&mut self) {
        while let Some(output) = self.machine.poll() {
            match output {
                Output::List => self.listing.ask(self.rest.clone()),
                Output::Join(room) => self.link.join_room(room).await,
                Output::Leave(room) => self.link.leave_room(room).await,
                Output::Open(room) | Output::Subscribed(room) => {
                    self.out.push_back(PresenceEvent::Subscribed(room));
                }
                Output::Unsubscribed(room) => self.out.push_back(PresenceEvent::Unsubscribed(room)),
                Output::Resync(room) => self.out.push_back(PresenceEvent::LookAgain(room)),
                Output::Close(room) => {
                    self.out.push_back(PresenceEvent::Left(room));
                    self.tell(Input::Ended(room));
                }
                Output::Ready(rooms) => self.out.push_back(PresenceEvent::Ready(rooms)),
                Output::Closed => {}
            }
        }
    }

    fn happened(&mut self, event: LinkEvent) {
        match event {
            LinkEvent::Connected { .. } => self.tell(Input::Connected),
            LinkEvent::Disconnected { .. } => self.tell(Input::Disconnected),
            LinkEvent::RoomsStale => self.tell(Input::Stale),
            LinkEvent::RoomAdded(record) => self.tell(Input::Added(record.id)),
            LinkEvent::RoomRemoved(room) | LinkEvent::RoomDeleted(room) => self.tell(Input::Removed(room)),
            LinkEvent::RoomJoined(room) => self.tell(Input::Joined(room)),
            LinkEvent::RoomJoinFailed { room, .. } => self.tell(Input::JoinFailed(room)),
            LinkEvent::Overflow { room } => self.out.push_back(PresenceEvent::LookAgain(room)),
            LinkEvent::Ended(reason) => {
                self.out.push_back(PresenceEvent::Ended(reason));
                self.over = true;
            }
            other => self.out.push_back(PresenceEvent::Heard(other)),
        }
    }
}

impl fmt::Debug for RoomPresence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoomPresence").field("rooms", &self.rooms()).finish_non_exhaustive()
    }
}
