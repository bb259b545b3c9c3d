//! The asks that are open.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use band_wire::ChatId;

use crate::backoff::Dice;

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The caller has it: nobody else settles it.
    Claimed,
    /// Somebody else has it.
    AlreadyClaimed,
    /// There is no such ask any more.
    Stale,
}

/// A registration: what names it in the room, and what names it for sure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// What people write.
    pub token: String,
    /// Counts registrations.
    pub ticket: u64,
}

/// What a cancellation took out, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cancelled {
    /// The caller settles these.
    pub unclaimed: Vec<String>,
    /// These are settled by whoever claimed them.
    pub claimed: Vec<String>,
}

#[derive(Debug)]
struct Ask {
    token: String,
    ticket: u64,
    room: Option<ChatId>,
    claimed: bool,
}

/// Open asks by token, oldest first.
#[derive(Debug)]
pub struct Registry {
    most: Option<NonZeroU32>,
    dice: Dice,
    tickets: u64,
    places: u64,
    /// By place, oldest first. What replaces an ask takes its place.
    asks: BTreeMap<u64, Ask>,
    tokens: BTreeMap<String, u64>,
}

impl Registry {
    /// Empty. With `most`, [`evict_oldest`](Self::evict_oldest) keeps to it. The seed is for tokens.
    pub const fn new(most: Option<NonZeroU32>, seed: u64) -> Self {
        Self {
            most,
            dice: Dice::new(seed),
            tickets: 0,
            places: 0,
            asks: BTreeMap::new(),
            tokens: BTreeMap::new(),
        }
    }

    /// Registers an ask under a token that no other open ask has: eight hexadecimal digits.
    pub fn register_minted(&mut self, room: Option<ChatId>) -> Registered {
        let token = loop {
            let token = format!("{:08x}", self.dice.roll() >> 32);
            if !self.tokens.contains_key(&token) {
                break token;
            }
        };
        let place = self.new_place();
        self.register(place, token, room)
    }

    /// Registers an ask under a key. An open ask of that key is replaced; with one that is claimed there is
    /// no place for another.
    pub fn register_keyed(&mut self, key: &str) -> Option<Registered> {
        let place = match self.tokens.get(key).copied() {
            Some(place) if self.asks.get(&place).is_some_and(|ask| ask.claimed) => return None,
            Some(place) => place,
            None => self.new_place(),
        };
        Some(self.register(place, key.to_owned(), None))
    }

    const fn new_place(&mut self) -> u64 {
        self.places += 1;
        self.places
    }

    fn register(&mut self, place: u64, token: String, room: Option<ChatId>) -> Registered {
        let ticket = self.tickets;
        self.tickets += 1;
        self.asks.insert(place, Ask { token: token.clone(), ticket, room, claimed: false });
        self.tokens.insert(token.clone(), place);
        Registered { token, ticket }
    }

    /// When as many asks are open as may be, takes out the oldest one that nobody has claimed.
    pub fn evict_oldest(&mut self) -> Option<String> {
        let most = self.most?.get();
        let has_place = u32::try_from(self.asks.len()).is_ok_and(|count| count < most);
        if has_place {
            return None;
        }
        let oldest = *self.asks.iter().find(|(_, ask)| !ask.claimed)?.0;
        self.remove(oldest)
    }

    fn remove(&mut self, place: u64) -> Option<String> {
        let ask = self.asks.remove(&place)?;
        self.tokens.remove(&ask.token);
        Some(ask.token)
    }

    /// Where an ask stands, and whether it is claimed.
    fn find(&self, token: &str, ticket: u64) -> Option<(u64, bool)> {
        let place = *self.tokens.get(token)?;
        let ask = self.asks.get(&place).filter(|ask| ask.ticket == ticket)?;
        Some((place, ask.claimed))
    }

    /// Takes an ask: from here on only the caller settles it.
    pub fn try_claim(&mut self, token: &str, ticket: u64) -> Claim {
        match self.find(token, ticket) {
            None => Claim::Stale,
            Some((_, true)) => Claim::AlreadyClaimed,
            Some((place, false)) => {
                if let Some(ask) = self.asks.get_mut(&place) {
                    ask.claimed = true;
                }
                Claim::Claimed
            }
        }
    }

    /// Takes out an ask that nobody has claimed. False when there is none.
    pub fn withdraw(&mut self, token: &str, ticket: u64) -> bool {
        let open = self.find(token, ticket).filter(|(_, claimed)| !claimed);
        open.is_some_and(|(place, _)| self.remove(place).is_some())
    }

    /// Takes out an ask, claimed or not. False when there is none.
    pub fn forget(&mut self, token: &str, ticket: u64) -> bool {
        self.find(token, ticket).is_some_and(|(place, _)| self.remove(place).is_some())
    }

    /// The ticket of the ask that has this token now.
    pub fn ticket(&self, token: &str) -> Option<u64> {
        let place = self.tokens.get(token)?;
        self.asks.get(place).map(|ask| ask.ticket)
    }

    /// Whether the ask with this ticket is there, claimed or not.
    pub fn is_open(&self, ticket: u64) -> bool {
        self.asks.values().any(|ask| ask.ticket == ticket)
    }

    /// The tokens that nobody has claimed, oldest first.
    pub fn unclaimed(&self) -> impl Iterator<Item = &str> {
        self.asks.values().filter(|ask| !ask.claimed).map(|ask| ask.token.as_str())
    }

    /// Those of one room.
    pub fn unclaimed_in_room(&self, room: ChatId) -> impl Iterator<Item = &str> {
        let in_room = self.asks.values().filter(move |ask| ask.room == Some(room));
        in_room.filter(|ask| !ask.claimed).map(|ask| ask.token.as_str())
    }

    /// Takes out everything of one room.
    pub fn cancel_room(&mut self, room: ChatId) -> Cancelled {
        self.cancel(|ask| ask.room == Some(room))
    }

    /// Takes out everything.
    pub fn cancel_all(&mut self) -> Cancelled {
        self.cancel(|_| true)
    }

    fn cancel(&mut self, which: impl Fn(&Ask) -> bool) -> Cancelled {
        let places: Vec<u64> = self.asks.iter().filter(|(_, ask)| which(ask)).map(|(at, _)| *at).collect();
        let mut cancelled = Cancelled::default();
        for place in places {
            let claimed = self.asks.get(&place).is_some_and(|ask| ask.claimed);
            let list = if claimed { &mut cancelled.claimed } else { &mut cancelled.unclaimed };
            list.extend(self.remove(place));
        }
        cancelled
    }
}
