//! The numbers of a room.

use std::time::Duration;

use band_wire::AgentId;

/// How a room behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomConfig {
    /// The agent: its own messages are not for it.
    pub agent: AgentId,
    /// Attempts at one message within this process; none is ever made when zero.
    pub attempts: u32,
    /// Starts of a message's turn, over all processes, that may end without a verdict before it is failed
    /// without a turn; without end when zero.
    pub deliveries: u32,
    /// Whether the first message of a session gets the room's past.
    pub history: bool,
    /// Whether a turn that ends in silence is a failure.
    pub judged: bool,
    /// Whether the room is told of failures.
    pub report: bool,
    /// Whether messages behind one that is held up are offered to the adapter as words to work under way.
    pub controls: bool,
    /// How long a turn may take.
    pub max_cycle: Option<Duration>,
    /// How long the room is quiet before the platform is asked for missed messages.
    pub resync: Duration,
    /// How far that grows while nothing is found.
    pub resync_max: Duration,
    /// How often a stopped room is looked at.
    pub resync_stopped: Duration,
    /// How often the working state is repeated; not reported at all when none.
    pub keep_alive: Option<Duration>,
    /// After this long at work it is no longer repeated.
    pub max_working: Option<Duration>,
}

impl RoomConfig {
    /// The defaults, for this agent.
    pub const fn new(agent: AgentId) -> Self {
        Self {
            agent,
            attempts: 1,
            deliveries: 10,
            history: true,
            judged: true,
            report: true,
            controls: false,
            max_cycle: None,
            resync: Duration::from_secs(60),
            resync_max: Duration::from_secs(120),
            resync_stopped: Duration::from_secs(60),
            keep_alive: Some(Duration::from_secs(3)),
            max_working: None,
        }
    }

    /// The same, with no interval so short that the room would be busy with its timers alone.
    pub(super) fn paced(mut self) -> Self {
        for interval in [&mut self.resync, &mut self.resync_max, &mut self.resync_stopped] {
            *interval = (*interval).max(SHORTEST);
        }
        self.keep_alive = self.keep_alive.map(|interval| interval.max(SHORTEST));
        self
    }
}

/// No interval is shorter.
const SHORTEST: Duration = Duration::from_millis(1);
/// Pushes that wait for their turn. More than that are dropped, and asked for again later.
pub const QUEUE_MAX: usize = 1_000;
/// Synthetic messages that wait. One more is dropped.
pub(super) const SYNTHETIC_MAX: usize = 1_000;
/// Turns that may go on beside the room. One more keeps it waiting.
pub(super) const DETACHED_MAX: usize = 64;
/// Messages that are offered as words to work under way while one message is held up.
pub(super) const OFFERED_MAX: usize = 5_000;
/// Ids of handled messages that are remembered, so that a push that comes twice is handled once.
pub(super) const COMPLETED_MAX: usize = 500;
/// Messages whose attempts are remembered.
pub(super) const ATTEMPTS_MAX: usize = 10_000;
/// Marks that may be owed to the platform. No turn starts while so many are.
pub(super) const OWED_MAX: usize = 1_000;
/// Pages that are walked behind a message that can't be handled.
pub(super) const PAGES_MAX: u32 = 50;
/// Claims of one message that may be refused in a row before it no longer holds up the others.
pub(super) const CLAIM_PATIENCE: u32 = 5;
/// Attempts at reading the room's past before a turn goes without.
pub(super) const HISTORY_PATIENCE: u32 = 3;
/// How long a turn may take to end when it is asked to.
pub const CANCEL_GRACE: Duration = Duration::from_secs(1);
/// How long a closing room waits for its last calls.
pub(super) const FLUSH: Duration = Duration::from_secs(1);
/// The first wait after a call that failed is zero to this.
pub(super) const RETRY_BASE: Duration = Duration::from_millis(500);
/// No wait after a call that failed is longer, and none is longer than the resync interval.
pub(super) const RETRY_MAX: Duration = Duration::from_secs(15);
/// The failure of an attempt that a late claim has opened, when none is left.
pub(super) const USED_UP: &str = "the attempts at this message are used up";
