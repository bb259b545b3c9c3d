//! A room under test: outputs as words, answers by the words of their calls.

use std::collections::BTreeMap;
use std::time::Duration;

use band_wire::rest::{DeliveryStatus, Message};
use band_wire::{AgentId, Id, MessageId};
use serde_json::{Map, json};
use uuid::Uuid;

use crate::room::{
    Answer, Call, CallId, Control, Input, Listing, Mark, Output, Record, Recovered, Room, RoomConfig,
    Trouble, TurnEnd, TurnId,
};
use crate::turn::{Effect, Ending, Ledger};
use crate::{Machine, Moment};

pub(super) struct Rig {
    pub(super) room: Room,
    pub(super) now: Moment,
    calls: BTreeMap<String, CallId>,
    turns: BTreeMap<u128, TurnId>,
    /// What the room has written down, in order, apart from what it says.
    pub(super) records: Vec<Record>,
}

pub(super) fn agent() -> AgentId {
    Id::new(Uuid::from_u128(0xa))
}

pub(super) fn id(n: u128) -> MessageId {
    Id::new(Uuid::from_u128(n))
}

pub(super) fn number(id: MessageId) -> u128 {
    id.uuid().as_u128()
}

pub(super) fn message(n: u128) -> Box<Message> {
    Box::new(Message {
        id: id(n),
        content: format!("message {n}"),
        message_type: "text".to_owned(),
        sender_id: Id::new(Uuid::from_u128(0xb)),
        sender_type: "User".to_owned(),
        sender_name: Some("Ada".to_owned()),
        chat_room_id: None,
        metadata: Map::new(),
        attachments: Vec::new(),
        inserted_at: None,
        updated_at: None,
    })
}

pub(super) fn processed(n: u128) -> Box<Message> {
    with_status(n, "processed")
}

pub(super) fn with_status(n: u128, status: &str) -> Box<Message> {
    let mut message = message(n);
    let status = json!({ agent().to_string(): { "status": status } });
    message.metadata.insert("delivery_status".to_owned(), status);
    message
}

pub(super) fn done() -> TurnEnd {
    let mut ledger = Ledger::new();
    ledger.record(Effect::Reply);
    TurnEnd { ending: Ending::Returned, ledger, delivered: true }
}

pub(super) fn ending(ending: Ending) -> TurnEnd {
    TurnEnd { ending, ledger: Ledger::new(), delivered: true }
}

pub(super) fn boom() -> TurnEnd {
    ending(Ending::Failed("boom".to_owned()))
}

impl Rig {
    pub(super) fn new(change: impl FnOnce(&mut RoomConfig)) -> Self {
        Self::resumed(Recovered::default(), change)
    }

    /// A room whose earlier stay left something behind.
    pub(super) fn resumed(left: Recovered, change: impl FnOnce(&mut RoomConfig)) -> Self {
        let mut config = RoomConfig::new(agent());
        change(&mut config);
        let room = Room::resume(config, Moment::ZERO, 1, left);
        Self { room, now: Moment::ZERO, calls: BTreeMap::new(), turns: BTreeMap::new(), records: Vec::new() }
    }

    /// What the next stay in the room finds.
    pub(super) fn left(&self) -> Recovered {
        let mut left = Recovered::default();
        self.records.iter().cloned().for_each(|record| left.apply(record));
        left
    }

    /// A room in sync whose past and participants are known, with no working indicator: quiet.
    pub(super) fn in_sync(change: impl FnOnce(&mut RoomConfig)) -> Self {
        let mut rig = Self::new(|config| {
            config.history = false;
            config.keep_alive = None;
            config.resync = Duration::from_secs(3_600);
            change(config);
        });
        rig.room.roster_known = true;
        rig.sees(&["next"]);
        rig.next(None);
        rig.sees(&[]);
        rig
    }

    fn word(&mut self, output: Output) -> String {
        match output {
            Output::Record(record) => format!("record {record:?}"),
            Output::Call { id, call } => {
                let word = match call {
                    Call::Next => "next".to_owned(),
                    Call::List { cursor } => format!("list {}", cursor.unwrap_or_default()).trim().to_owned(),
                    Call::Claim(id) => format!("claim {}", number(id)),
                    Call::Processed(id) => format!("processed {}", number(id)),
                    Call::Failed(id, text) => format!("failed {}: {text}", number(id)),
                    Call::Participants => "participants".to_owned(),
                    Call::History(id) => format!("history {}", number(id)),
                    Call::Status(id) => format!("status {}", number(id)),
                    Call::Activity(true) => "working".to_owned(),
                    Call::Activity(false) => "idle".to_owned(),
                    Call::Notice(_, text) => format!("notice {}", text.split(' ').next().unwrap()),
                };
                self.calls.insert(word.split(':').next().unwrap().to_owned(), id);
                word
            }
            Output::Offer { turn, message } => {
                let n = number(message.id);
                self.turns.insert(n, turn);
                format!("offer {n}")
            }
            Output::TellAdapter(control) => format!("tell {control:?}"),
            Output::StartTurn { turn, message, bootstrap, .. } => {
                let n = number(message.id);
                self.turns.insert(n, turn);
                if bootstrap { format!("turn {n}, first") } else { format!("turn {n}") }
            }
            Output::CancelTurn(_) => "cancel".to_owned(),
            Output::AbortTurn(_) => "abort".to_owned(),
            Output::Note(note) => format!("note {note:?}"),
            Output::Closed { graceful } => format!("closed, graceful={graceful}"),
        }
    }

    /// What the room says now is exactly this.
    #[track_caller]
    pub(super) fn sees(&mut self, expected: &[&str]) {
        let mut said = Vec::new();
        while let Some(word) = self.said_next() {
            said.push(word);
        }
        assert_eq!(said, expected);
    }

    /// The next thing that the room says.
    pub(super) fn said_next(&mut self) -> Option<String> {
        loop {
            match self.room.poll()? {
                Output::Record(record) => self.records.push(record),
                output => return Some(self.word(output)),
            }
        }
    }

    /// All that the room says, with what it writes down.
    pub(super) fn says_all(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        while let Some(output) = self.room.poll() {
            said.push(match output {
                Output::Record(record) => {
                    let word = match &record {
                        Record::Began(id) => format!("begun {}", number(*id)),
                        Record::Excused(id) => format!("excused {}", number(*id)),
                        Record::GaveUp(id) => format!("given up {}", number(*id)),
                        Record::Posted { message, .. } => format!("posted {}", number(*message)),
                        Record::Owes(debt) => format!("owes {}", number(debt.message)),
                        Record::Settled { message, handled } => {
                            format!("settled {}{}", number(*message), if *handled { ", handled" } else { "" })
                        }
                    };
                    self.records.push(record);
                    word
                }
                output => self.word(output),
            });
        }
        said
    }

    /// A call that is not answered yet.
    pub(super) fn open_call(&self, word: &str) -> CallId {
        self.calls[word]
    }

    /// The turn that runs on a message.
    pub(super) fn running(&self, n: u128) -> TurnId {
        self.turns[&n]
    }

    pub(super) fn tell(&mut self, input: Input) {
        self.room.handle(self.now, input);
    }

    pub(super) fn push(&mut self, n: u128) {
        self.tell(Input::Pushed(with_status(n, "delivered")));
    }

    #[track_caller]
    pub(super) fn detach(&mut self, n: u128) {
        let turn = self.turns.get(&n).copied().unwrap_or_else(|| panic!("no turn {n} runs"));
        self.tell(Input::Detached { turn, delivered: true });
    }

    #[track_caller]
    pub(super) fn refuse_post(&mut self, n: u128) {
        let turn = self.turns.get(&n).copied().unwrap_or_else(|| panic!("no turn {n} runs"));
        self.tell(Input::PostRefused(turn));
    }

    #[track_caller]
    pub(super) fn answer(&mut self, word: &str, answer: Answer) {
        let call = self.calls.remove(word).unwrap_or_else(|| panic!("no call {word:?} is open"));
        self.tell(Input::Answered { call, answer });
    }

    #[track_caller]
    pub(super) fn mark(&mut self, word: &str, mark: Mark) {
        self.answer(word, Answer::Marked(mark));
    }

    #[track_caller]
    pub(super) fn next(&mut self, served: Option<u128>) {
        self.answer("next", Answer::Next(Ok(served.map(message))));
    }

    #[track_caller]
    pub(super) fn list(&mut self, word: &str, page: &[u128], next: Option<&str>) {
        let messages = page.iter().map(|n| *message(*n)).collect();
        let page = Listing { messages, next: next.map(str::to_owned) };
        self.answer(word, Answer::Listed(Ok(page)));
    }

    #[track_caller]
    pub(super) fn participants(&mut self) {
        self.answer("participants", Answer::Participants(Ok(())));
    }

    #[track_caller]
    pub(super) fn history(&mut self, n: u128, status: Option<DeliveryStatus>) {
        self.answer(&format!("history {n}"), Answer::History(Ok(status)));
    }

    #[track_caller]
    pub(super) fn history_lost(&mut self, n: u128) {
        self.answer(&format!("history {n}"), Answer::History(Err(Trouble::Passing)));
    }

    #[track_caller]
    pub(super) fn end(&mut self, n: u128, end: TurnEnd) {
        let turn = self.turns.remove(&n).unwrap_or_else(|| panic!("no turn {n} runs"));
        self.tell(Input::TurnEnded { turn, end });
    }

    pub(super) fn control(&mut self, control: Control) {
        self.tell(Input::Control(control));
    }

    pub(super) fn close(&mut self, within: Option<u64>) {
        let by = within.map(|secs| self.now + Duration::from_secs(secs));
        self.tell(Input::Close { by });
    }

    /// Lets time pass, firing what is due on the way.
    pub(super) fn wait(&mut self, millis: u64) {
        let until = self.now + Duration::from_millis(millis);
        while let Some(next) = self.room.deadline().filter(|next| next.at <= until) {
            self.now = self.now.max(next.at);
            self.room.expire(self.now);
        }
        self.now = until;
    }

    /// Handles one pushed message of a quiet room from its claim to its mark.
    #[track_caller]
    pub(super) fn handles(&mut self, n: u128) {
        self.sees(&[&format!("claim {n}")]);
        self.mark(&format!("claim {n}"), Mark::Accepted);
        let first = self.room.bootstrapped;
        self.sees(&[&if first { format!("turn {n}") } else { format!("turn {n}, first") }]);
        self.end(n, done());
    }

    #[track_caller]
    pub(super) fn handled(&mut self, n: u128) {
        self.handles(n);
        self.sees(&[&format!("processed {n}")]);
        self.mark(&format!("processed {n}"), Mark::Accepted);
    }
}
