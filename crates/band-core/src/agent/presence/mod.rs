//! Which rooms the agent is in.
//!
//! The link keeps its socket and the topics of the rooms it is asked to join; this machine decides which
//! rooms those are, and when a room's task starts, learns of the connection, and ends.
//!
//! | event | action |
//! |---|---|
//! | connected | list the rooms; open rooms without a subscription look for missed messages |
//! | list: a room that is new | join it |
//! | list: a room that is gone | leave it, close its task |
//! | list failed | again after a backoff |
//! | first list, existing rooms unwanted | its rooms are passed over, until the agent is added to them anew |
//! | list read | again after 150 to 300 s |
//! | room added, removed, deleted | join; leave and close |
//! | added to a room that is open and joined | it looks for missed messages: its removal was not heard of |
//! | joined, no task | open it |
//! | joined, task open | it looks for missed messages before anything else |
//! | join failed, connection lost | its task is told that pushes are missing |
//! | task ended, room still wanted and joined | open it again, after a second if it ended by itself |
//!
//! What changes while a list is under way is newer than the list.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use band_wire::ChatId;

use crate::backoff::{Backoff, Dice};
use crate::timers::Timers;
use crate::trial::{self, Fault};
use crate::{Deadline, Machine, Moment};

const LIST_BASE: Duration = Duration::from_secs(1);
const LIST_MAX: Duration = Duration::from_secs(30);
/// The list is read again after half of this at least: an addition or a removal may not have been heard of.
const LIST_AGAIN: Duration = Duration::from_secs(300);
/// How long a room's task that ended by itself stays away.
const REOPEN_AFTER: Duration = Duration::from_secs(1);

/// What presence is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// The link is connected, and has tried every join that was wanted.
    Connected,
    /// The connection is lost.
    Disconnected,
    /// The answer to [`Output::List`]; an error when there was none.
    Listed(Result<Vec<ChatId>, ()>),
    /// The list of rooms may have changed unseen.
    Stale,
    /// The agent was added to a room.
    Added(ChatId),
    /// The agent was removed from a room, or the room is gone.
    Removed(ChatId),
    /// Both topics of a room are joined.
    Joined(ChatId),
    /// A room could not be joined; the link tries again by itself.
    JoinFailed(ChatId),
    /// The task of a room has ended.
    Ended(ChatId),
    /// The agent stops.
    Close,
}

/// What presence asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// List the agent's rooms.
    List,
    /// Have the link join a room, and keep it joined.
    Join(ChatId),
    /// Have the link leave a room.
    Leave(ChatId),
    /// Start a room's task. Its topics are joined.
    Open(ChatId),
    /// Tell a room's task that its topics are joined again.
    Subscribed(ChatId),
    /// Tell a room's task that pushes may be missing.
    Unsubscribed(ChatId),
    /// Tell a room's task to look for missed messages.
    Resync(ChatId),
    /// Close a room's task.
    Close(ChatId),
    /// The start is done: so many rooms are joined.
    Ready(usize),
    /// Every room's task has ended: nothing more comes out.
    Closed,
}

/// Why presence wants to wake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The list is due again.
    List,
    /// A room's task is due again.
    Reopen(ChatId),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stay {
    #[default]
    None,
    Open,
    Closing,
}

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    wanted: bool,
    joined: bool,
    /// The first join of this stay has succeeded or failed.
    settled: bool,
    stay: Stay,
}

/// The machine. See the module.
#[derive(Debug)]
pub struct Presence {
    now: Moment,
    rooms: BTreeMap<ChatId, Entry>,
    out: VecDeque<Output>,
    timers: Timers<Why>,
    dice: Dice,
    backoff: Backoff,
    listing: bool,
    again: bool,
    /// Rooms of which something was heard while the list is under way.
    newer: BTreeSet<ChatId>,
    /// Rooms that the agent was in at the start and that nobody wants. None: every listed room is wanted.
    passed_over: Option<BTreeSet<ChatId>>,
    /// Whether a list was read.
    baseline: bool,
    listed: bool,
    ready: bool,
    closing: bool,
    closed: bool,
}

impl Presence {
    /// In no room yet. The seed is for jitter.
    pub fn new(seed: u64) -> Self {
        Self {
            now: Moment::ZERO,
            rooms: BTreeMap::new(),
            out: VecDeque::new(),
            timers: Timers::new(),
            dice: Dice::new(seed),
            backoff: Backoff::new(LIST_BASE, LIST_MAX),
            listing: false,
            again: false,
            newer: BTreeSet::new(),
            passed_over: None,
            baseline: false,
            listed: false,
            ready: false,
            closing: false,
            closed: false,
        }
    }

    /// Whether the rooms that the agent is in already are joined at the start. Without it, only those that it is
    /// added to from then on. Default: yes.
    #[must_use]
    pub fn existing_rooms(mut self, wanted: bool) -> Self {
        self.passed_over = (!wanted).then(BTreeSet::new);
        self
    }

    /// The rooms whose tasks run, in order of their ids.
    pub fn open_rooms(&self) -> impl Iterator<Item = ChatId> {
        self.rooms.iter().filter(|(_, entry)| entry.stay == Stay::Open).map(|(room, _)| *room)
    }

    fn list(&mut self) {
        self.timers.clear(Why::List);
        if std::mem::replace(&mut self.listing, true) {
            self.again = true;
        } else {
            self.newer.clear();
            self.out.push_back(Output::List);
        }
    }

    fn connected(&mut self) {
        self.list();
        let missed = self.rooms.iter().filter(|(_, entry)| entry.stay == Stay::Open && !entry.joined);
        self.out.extend(missed.map(|(room, _)| Output::Resync(*room)));
    }

    fn disconnected(&mut self) {
        for (room, entry) in &mut self.rooms {
            let was_joined = std::mem::take(&mut entry.joined);
            if was_joined && entry.stay == Stay::Open && !trial::has(Fault::GapIgnored) {
                self.out.push_back(Output::Unsubscribed(*room));
            }
        }
    }

    /// Whatever is heard while no list is under way is older than the next one: nothing of it is kept.
    fn heard_of(&mut self, room: ChatId) {
        if self.listing {
            self.newer.insert(room);
        }
    }

    fn listed(&mut self, rooms: Result<Vec<ChatId>, ()>) {
        self.listing = false;
        match rooms {
            Ok(rooms) => {
                self.backoff.reset();
                let wait = LIST_AGAIN / 2 + self.dice.up_to(LIST_AGAIN / 2);
                self.timers.set(Why::List, self.now + wait);
                let rooms: BTreeSet<ChatId> = rooms.into_iter().collect();
                self.pass_over(&rooms);
                let wanted = self.rooms.iter().filter(|(_, entry)| entry.wanted).map(|(room, _)| *room);
                let gone: Vec<ChatId> =
                    wanted.filter(|room| !rooms.contains(room) && !self.newer.contains(room)).collect();
                for room in gone {
                    self.unwant(room);
                }
                for room in rooms {
                    let is_passed_over = self.passed_over.as_ref().is_some_and(|rooms| rooms.contains(&room));
                    if !self.newer.contains(&room) && !is_passed_over {
                        self.want(room);
                    }
                }
                self.baseline = true;
            }
            Err(()) => {
                let wait = self.backoff.next(&mut self.dice);
                self.timers.set(Why::List, self.now + wait);
            }
        }
        self.newer.clear();
        self.listed = true;
        if std::mem::take(&mut self.again) {
            self.list();
        }
    }

    /// The rooms of the first list are passed over, if they are unwanted; those that are gone since may come
    /// back as new ones.
    fn pass_over(&mut self, listed: &BTreeSet<ChatId>) {
        let Some(passed_over) = &mut self.passed_over else { return };
        if self.baseline {
            passed_over.retain(|room| listed.contains(room) || self.newer.contains(room));
        } else {
            *passed_over = listed.difference(&self.newer).copied().collect();
        }
    }

    fn want(&mut self, room: ChatId) {
        let entry = self.rooms.entry(room).or_default();
        if !entry.wanted {
            *entry = Entry { wanted: true, joined: false, settled: false, stay: entry.stay };
            self.out.push_back(Output::Join(room));
        }
    }

    /// Nobody is added to a room they are in: the agent was out of it, unheard, and missed what was said.
    fn added_again(&mut self, room: ChatId) {
        let is_there = |entry: &&Entry| entry.wanted && entry.joined && entry.stay == Stay::Open;
        if self.rooms.get(&room).filter(is_there).is_some() {
            self.out.push_back(Output::Resync(room));
        }
    }

    fn unwant(&mut self, room: ChatId) {
        let Some(entry) = self.rooms.get_mut(&room).filter(|entry| entry.wanted) else { return };
        self.out.push_back(Output::Leave(room));
        entry.wanted = false;
        entry.joined = false;
        match entry.stay {
            Stay::Open => {
                entry.stay = Stay::Closing;
                self.out.push_back(Output::Close(room));
            }
            Stay::Closing => {}
            Stay::None => {
                self.rooms.remove(&room);
                self.timers.clear(Why::Reopen(room));
            }
        }
    }

    fn joined(&mut self, room: ChatId) {
        let Some(entry) = self.rooms.get_mut(&room).filter(|entry| entry.wanted) else { return };
        entry.joined = true;
        entry.settled = true;
        match entry.stay {
            Stay::None if self.timers.get(Why::Reopen(room)).is_none() => {
                entry.stay = Stay::Open;
                self.out.push_back(Output::Open(room));
            }
            Stay::Open if trial::has(Fault::GapIgnored) => {}
            Stay::Open => self.out.push_back(Output::Subscribed(room)),
            Stay::None | Stay::Closing => {}
        }
    }

    fn join_failed(&mut self, room: ChatId) {
        let Some(entry) = self.rooms.get_mut(&room).filter(|entry| entry.wanted) else { return };
        entry.settled = true;
        let was_joined = std::mem::take(&mut entry.joined);
        if was_joined && entry.stay == Stay::Open {
            self.out.push_back(Output::Unsubscribed(room));
        }
    }

    fn ended(&mut self, room: ChatId) {
        let Some(entry) = self.rooms.get_mut(&room) else { return };
        let was_asked = std::mem::take(&mut entry.stay) == Stay::Closing;
        if self.closing || !entry.wanted {
            self.rooms.remove(&room);
        } else if !was_asked {
            self.timers.set(Why::Reopen(room), self.now + REOPEN_AFTER);
        } else if entry.joined {
            entry.stay = Stay::Open;
            self.out.push_back(Output::Open(room));
        }
    }

    fn close(&mut self) {
        self.closing = true;
        self.timers.clear_all();
        self.rooms.retain(|_, entry| entry.stay != Stay::None);
        for (room, entry) in &mut self.rooms {
            if entry.stay == Stay::Open {
                entry.stay = Stay::Closing;
                self.out.push_back(Output::Close(*room));
            }
        }
    }

    fn finish(&mut self) {
        if self.closing {
            if self.rooms.is_empty() && !std::mem::replace(&mut self.closed, true) {
                self.out.push_back(Output::Closed);
            }
        } else if self.listed && !self.ready && self.rooms.values().all(|entry| entry.settled) {
            self.ready = true;
            let joined = self.rooms.values().filter(|entry| entry.joined).count();
            self.out.push_back(Output::Ready(joined));
        }
    }
}

impl Machine for Presence {
    type Input = Input;
    type Output = Output;
    type Why = Why;

    fn handle(&mut self, now: Moment, input: Input) {
        self.now = now;
        match input {
            Input::Ended(room) => self.ended(room),
            Input::Close => self.close(),
            _ if self.closing => {}
            Input::Connected => self.connected(),
            Input::Disconnected => self.disconnected(),
            Input::Listed(rooms) => self.listed(rooms),
            Input::Stale => self.list(),
            Input::Added(room) => {
                self.heard_of(room);
                if let Some(passed_over) = &mut self.passed_over {
                    passed_over.remove(&room);
                }
                self.added_again(room);
                self.want(room);
            }
            Input::Removed(room) => {
                self.heard_of(room);
                if let Some(passed_over) = &mut self.passed_over {
                    passed_over.remove(&room);
                }
                self.unwant(room);
            }
            Input::Joined(room) => self.joined(room),
            Input::JoinFailed(room) => self.join_failed(room),
        }
        self.finish();
    }

    fn poll(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    fn deadline(&self) -> Option<Deadline<Why>> {
        self.timers.next()
    }

    fn expire(&mut self, now: Moment) {
        self.now = now;
        while let Some(why) = self.timers.take_due(now) {
            match why {
                Why::List => self.list(),
                Why::Reopen(room) => {
                    let entry = self.rooms.get_mut(&room);
                    if let Some(entry) = entry.filter(|entry| entry.joined && entry.stay == Stay::None) {
                        entry.stay = Stay::Open;
                        self.out.push_back(Output::Open(room));
                    }
                }
            }
        }
        self.finish();
    }
}
