//! What happens in one simulation: all of it follows from the seed.

use std::fmt;
use std::time::Duration;

use band_wire::event::ControlMode;

use super::chance::Chance;

/// The whole of one simulation, before it runs.
#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    pub(crate) seed: u64,
    pub(crate) agents: usize,
    pub(crate) rooms: usize,
    pub(crate) knobs: Knobs,
    pub(crate) weather: Weather,
    /// With their numbers, so that a part of them can be named.
    pub(crate) steps: Vec<(usize, Step)>,
    /// Whatever is pushed arrives, once and in time: no step and no weather keeps it from that.
    pub(crate) is_faithful: bool,
    /// From here on nothing goes wrong any more.
    pub(crate) heal: Duration,
}

/// How the agents are set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Knobs {
    pub(crate) retries: u32,
    pub(crate) resync: f64,
    pub(crate) max_cycle: Option<f64>,
    pub(crate) keep_alive: bool,
    pub(crate) history: bool,
    /// Whether the agents listen to who asks to be a contact.
    pub(crate) contacts: bool,
    /// Pushes that may wait in a room; the production value when none.
    pub(crate) queue: Option<usize>,
}

/// What the network does by itself, each so many times out of a thousand.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Weather {
    /// The longest way of a packet, in milliseconds.
    pub(crate) latency: u64,
    /// A request does not leave.
    pub(crate) unsent: u64,
    /// A request is lost on its way.
    pub(crate) lost: u64,
    /// A request is carried out, its answer is lost.
    pub(crate) unanswered: u64,
    /// Likewise, and nobody says so.
    pub(crate) hanging: u64,
    /// A request arrives twice.
    pub(crate) twice: u64,
    /// A push is lost.
    pub(crate) push_lost: u64,
    /// A push comes twice.
    pub(crate) push_twice: u64,
    /// A push is overtaken by others.
    pub(crate) push_late: u64,
    /// A socket can't be opened.
    pub(crate) undialled: u64,
    /// A frame that nobody can read arrives between the others.
    pub(crate) garbage: u64,
}

impl Weather {
    /// Nothing goes wrong.
    pub(crate) const fn calm() -> Self {
        Self {
            latency: 20,
            unsent: 0,
            lost: 0,
            unanswered: 0,
            hanging: 0,
            twice: 0,
            push_lost: 0,
            push_twice: 0,
            push_late: 0,
            undialled: 0,
            garbage: 0,
        }
    }

    /// Each kind of trouble is there in some seeds only, so that some see one of them alone.
    fn of(chance: &mut Chance) -> Self {
        let mut trouble = |most| if chance.permille(300) { 1 + chance.below(most) } else { 0 };
        Self {
            unsent: trouble(80),
            lost: trouble(60),
            unanswered: trouble(80),
            hanging: trouble(10),
            twice: trouble(60),
            push_lost: trouble(60),
            push_twice: trouble(120),
            push_late: trouble(100),
            undialled: trouble(300),
            garbage: trouble(30),
            latency: chance.pick(&[5, 20, 20, 200, 1500], 20),
        }
    }
}

/// One thing that happens.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) when: When,
    pub(crate) act: Act,
}

/// When it happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// At this time.
    At(Duration),
    /// Just when an agent makes its so-many-eth request of a kind.
    On { agent: usize, kind: Kind, nth: u32 },
}

/// The kinds of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Me,
    Chats,
    Next,
    List,
    Participants,
    Context,
    Claim,
    Processed,
    Failed,
    Send,
    Event,
    Activity,
    /// Opening a socket.
    Upgrade,
}

impl Kind {
    pub(crate) const ALL: [Self; 13] = [
        Self::Me,
        Self::Chats,
        Self::Next,
        Self::List,
        Self::Participants,
        Self::Context,
        Self::Claim,
        Self::Processed,
        Self::Failed,
        Self::Send,
        Self::Event,
        Self::Activity,
        Self::Upgrade,
    ];

    /// What a request is about.
    pub(crate) fn of(method: &http::Method, path: &str) -> Option<Self> {
        let parts: Vec<&str> =
            path.trim_start_matches("/api/v1/agent").trim_matches('/').split('/').collect();
        let is_get = method == http::Method::GET;
        Some(match parts.as_slice() {
            ["me"] => Self::Me,
            ["chats"] => Self::Chats,
            ["chats", _, "participants"] => Self::Participants,
            ["chats", _, "context"] => Self::Context,
            ["chats", _, "messages", "next"] => Self::Next,
            ["chats", _, "messages"] if is_get => Self::List,
            ["chats", _, "messages"] => Self::Send,
            ["chats", _, "events"] => Self::Event,
            ["chats", _, "activity"] => Self::Activity,
            ["chats", _, "messages", _, "processing"] => Self::Claim,
            ["chats", _, "messages", _, "processed"] => Self::Processed,
            ["chats", _, "messages", _, "failed"] => Self::Failed,
            _ => return None,
        })
    }
}

/// What an agent does with a message. The message says so itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// Replies at once.
    Reply,
    /// Replies after so many milliseconds.
    Slow(u64),
    /// Replies so many times.
    Several(u32),
    /// Fails.
    Fail,
    /// Fails the first so many times, then replies.
    FailFirst(u32),
    /// Says nothing.
    Silent,
    /// Declines.
    Decline,
    /// Panics.
    Panic,
    /// Works for so many milliseconds, whoever asks it to end, and replies.
    Stubborn(u64),
    /// Does not take its input the first so many times, then replies.
    NotYet(u32),
}

/// The server's clock whenever it says when to come again. It need not be right.
pub(crate) const SERVER_DATE: &str = "Mon, 30 Nov 2026 10:00:00 GMT";

impl Wait {
    /// The names and values of the headers that say so.
    pub(crate) fn headers(self) -> Vec<(&'static str, String)> {
        match self {
            Self::Seconds(wait) => vec![("retry-after", wait.to_string())],
            Self::Millis(wait) => vec![("retry-after-ms", wait.to_string())],
            Self::Date(wait) => vec![
                ("date", SERVER_DATE.to_owned()),
                ("retry-after", SERVER_DATE.replace(":00 GMT", &format!(":{:02} GMT", wait.min(59)))),
            ],
            Self::Unsaid => Vec::new(),
        }
    }

    /// How long it means, from the headers of an answer.
    pub(crate) fn read(headers: &http::HeaderMap) -> Duration {
        let header = |name: &str| headers.get(name)?.to_str().ok();
        let number = |name: &str| header(name)?.parse::<u64>().ok();
        let in_date = || header("retry-after")?.strip_suffix(" GMT")?.rsplit(':').next()?.parse().ok();
        let wait = number("retry-after-ms").map(Duration::from_millis);
        let wait = wait.or_else(|| number("retry-after").map(Duration::from_secs));
        wait.or_else(|| in_date().map(Duration::from_secs)).unwrap_or_default()
    }
}

impl fmt::Display for Behaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reply => write!(f, "reply 0"),
            Self::Slow(ms) => write!(f, "slow {ms}"),
            Self::Several(n) => write!(f, "several {n}"),
            Self::Fail => write!(f, "fail 0"),
            Self::FailFirst(n) => write!(f, "failfirst {n}"),
            Self::Silent => write!(f, "silent 0"),
            Self::Decline => write!(f, "decline 0"),
            Self::Panic => write!(f, "panic 0"),
            Self::Stubborn(ms) => write!(f, "stubborn {ms}"),
            Self::NotYet(n) => write!(f, "notyet {n}"),
        }
    }
}

impl Behaviour {
    /// Reads the last two words of a message.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace().rev();
        let number: u64 = words.next()?.parse().ok()?;
        let count = u32::try_from(number).ok()?;
        Some(match words.next()? {
            "reply" => Self::Reply,
            "slow" => Self::Slow(number),
            "several" => Self::Several(count),
            "fail" => Self::Fail,
            "failfirst" => Self::FailFirst(count),
            "silent" => Self::Silent,
            "decline" => Self::Decline,
            "panic" => Self::Panic,
            "stubborn" => Self::Stubborn(number),
            "notyet" => Self::NotYet(count),
            _ => return None,
        })
    }

    fn of(chance: &mut Chance) -> Self {
        match chance.below(20) {
            0..=6 => Self::Reply,
            7..=9 => Self::Slow(50 + chance.below(8_000)),
            10..=11 => Self::Several(2 + u32::try_from(chance.below(2)).unwrap_or(0)),
            12 => Self::Fail,
            13 => Self::FailFirst(1 + u32::try_from(chance.below(2)).unwrap_or(0)),
            14 => Self::Silent,
            15 => Self::Decline,
            16 => Self::Panic,
            17 => Self::Stubborn(500 + chance.below(4_000)),
            _ => Self::NotYet(1 + u32::try_from(chance.below(2)).unwrap_or(0)),
        }
    }

    /// How many replies a turn that runs to its end makes; none for one that can't.
    pub(crate) const fn replies(self) -> u32 {
        match self {
            Self::Reply | Self::Slow(_) | Self::Stubborn(_) | Self::NotYet(_) | Self::FailFirst(_) => 1,
            Self::Several(n) => n,
            Self::Fail | Self::Silent | Self::Decline | Self::Panic => 0,
        }
    }

    /// Whether every run of it fails.
    pub(crate) const fn always_fails(self) -> bool {
        matches!(self, Self::Fail | Self::Silent | Self::Panic)
    }
}

/// What a server, or something between, answers by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scripted {
    /// A bare status; the request was not carried out.
    Status(u16),
    /// 429 with a wait, in this form.
    Busy(Wait),
    /// 503 with a wait in seconds.
    Unavailable(u64),
    /// 502, after the request was carried out.
    BadGateway,
    /// A success that nobody can read, after the request was carried out.
    Garbage,
    /// The same without a body.
    Empty,
}

/// The forms of `Retry-After`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Whole seconds.
    Seconds(u64),
    /// `retry-after-ms`.
    Millis(u64),
    /// A date that is so many seconds after the server's own.
    Date(u64),
    /// None at all.
    Unsaid,
}

/// What happens.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Somebody mentions agents in a room.
    Say { room: usize, to: Vec<usize>, how: Behaviour },
    /// The next so many requests of a kind are answered like this.
    Script { agent: usize, kind: Kind, answer: Scripted, count: u32 },
    /// The agent's sockets are reset.
    Cut { agent: usize },
    /// The agent's sockets go silent, and nobody notices.
    Silence { agent: usize },
    /// The agent's process dies and starts again.
    Crash { agent: usize, down: Duration, torn: bool },
    /// The agent is stopped, with some time for its turns, and started again.
    Restart { agent: usize, grace: Option<Duration> },
    /// The platform dies and comes back. Something in front of it may answer 502 in its place.
    Outage { down: Duration, is_proxied: bool },
    /// A person steers an agent.
    Steer { agent: usize, room: usize, mode: ControlMode },
    /// A person takes an agent out of a room, and brings it back later.
    Dismiss { agent: usize, room: usize, back: Duration },
    /// The machine sleeps: nothing runs, and then time has passed.
    Sleep(Duration),
    /// Somebody asks the agent to be a contact.
    Ask { agent: usize },
    /// A second process of the agent is started beside the first.
    Rival { agent: usize },
    /// The agent's disk fails for a while.
    Disk { agent: usize, what: DiskTrouble, time: Duration },
}

/// What is wrong with a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskTrouble {
    /// It takes no more.
    Full,
    /// Some of what is written fails, and a part of it may be there.
    Failing,
    /// Nothing can be read.
    Unreadable,
    /// Nothing can be opened.
    Shut,
}

const ACTIVE: u64 = 60_000;

impl Scenario {
    /// What a seed stands for.
    pub(crate) fn of(seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let agents = 1 + chance.index(2);
        let rooms = 1 + chance.index(3);
        let weather = if chance.permille(250) { Weather::calm() } else { Weather::of(&mut chance) };
        let knobs = Knobs {
            retries: chance.pick(&[1, 1, 2, 3], 1),
            resync: chance.pick(&[3.0, 10.0, 60.0], 60.0),
            max_cycle: chance.pick(&[None, None, Some(3.0)], None),
            keep_alive: chance.permille(700),
            history: chance.permille(800),
            contacts: false,
            queue: chance.pick(&[None, None, Some(2)], None),
        };
        let mut steps = Vec::new();
        let messages = 3 + chance.index(12);
        for _ in 0..messages {
            steps.push(say(&mut chance, agents, rooms));
        }
        if chance.permille(200) {
            burst(&mut chance, &mut steps, rooms);
        }
        for _ in 0..chance.index(7) {
            steps.push(trouble(&mut chance, agents, rooms));
        }
        proxy(&mut Chance::new(seed ^ 0x7072_6f78_6965_7321), &mut steps);
        // Drawn last, from a stream of its own: what was there before stays as it is in each seed.
        more(&mut Chance::new(seed ^ 0x6d6f_7265), &mut steps, agents, rooms);
        let heal = Duration::from_millis(ACTIVE);
        let steps: Vec<(usize, Step)> = steps.into_iter().enumerate().collect();
        let mut scenario = Self { seed, agents, rooms, knobs, weather, steps, is_faithful: false, heal };
        scenario.judge();
        scenario
    }
}

impl Scenario {
    /// Finds out how much may be expected of the pushes. Again whenever a part was left out.
    pub(crate) fn judge(&mut self) {
        let Weather { latency, push_lost, push_late, undialled, .. } = self.weather;
        let is_mild = latency <= 200 && push_lost + push_late + undialled == 0;
        let keeps_away = |(_, step): &(usize, Step)| match step.act {
            Act::Say { .. } | Act::Ask { .. } | Act::Steer { .. } | Act::Disk { .. } => false,
            Act::Script { kind, .. } => matches!(kind, Kind::Upgrade | Kind::Me | Kind::Chats),
            _ => true,
        };
        self.knobs.contacts = self.steps.iter().any(|(_, step)| matches!(step.act, Act::Ask { .. }));
        self.is_faithful = is_mild && !self.steps.iter().any(keeps_away);
    }
}

fn at(chance: &mut Chance) -> When {
    When::At(chance.millis(0, ACTIVE - 5_000))
}

fn say(chance: &mut Chance, agents: usize, rooms: usize) -> Step {
    let when = at(chance);
    let to =
        if agents > 1 && chance.permille(300) { (0..agents).collect() } else { vec![chance.index(agents)] };
    Step { when, act: Act::Say { room: chance.index(rooms), to, how: Behaviour::of(chance) } }
}

/// Many messages at once, behind a slow one.
fn burst(chance: &mut Chance, steps: &mut Vec<Step>, rooms: usize) {
    let (begin, room) = (chance.below(ACTIVE - 20_000), chance.index(rooms));
    for n in 0..5 {
        let how = if n == 0 { Behaviour::Slow(5_000) } else { Behaviour::Reply };
        let when = When::At(Duration::from_millis(begin + n * 20));
        steps.push(Step { when, act: Act::Say { room, to: vec![0], how } });
    }
}

/// Puts something in front of the platform: it answers while that is down.
fn proxy(chance: &mut Chance, steps: &mut Vec<Step>) {
    if chance.permille(150) {
        let down = chance.millis(10_000, ACTIVE);
        steps.push(Step { when: at(chance), act: Act::Outage { down, is_proxied: true } });
    }
    for step in steps {
        if let Act::Outage { is_proxied, .. } = &mut step.act {
            *is_proxied |= chance.permille(400);
        }
    }
}

/// At some time, or just when an agent makes some request.
fn when(chance: &mut Chance, agent: usize) -> When {
    if chance.permille(400) {
        return at(chance);
    }
    let kinds =
        [Kind::Claim, Kind::Processed, Kind::Failed, Kind::Send, Kind::Next, Kind::Context, Kind::Upgrade];
    let kind = chance.pick(&kinds, Kind::Claim);
    When::On { agent, kind, nth: 1 + u32::try_from(chance.below(4)).unwrap_or(0) }
}

fn trouble(chance: &mut Chance, agents: usize, rooms: usize) -> Step {
    let (agent, room) = (chance.index(agents), chance.index(rooms));
    let when = when(chance, agent);
    let act = match chance.below(16) {
        0..=2 => script(chance, agent),
        3 => Act::Cut { agent },
        4 => Act::Silence { agent },
        5..=7 => Act::Crash { agent, down: chance.millis(0, 10_000), torn: chance.permille(400) },
        8 => Act::Restart { agent, grace: chance.permille(700).then(|| chance.millis(0, 5_000)) },
        9 => Act::Outage { down: chance.millis(100, 40_000), is_proxied: false },
        10..=11 => Act::Steer { agent, room, mode: ControlMode::Interrupt },
        12 => Act::Steer { agent, room, mode: ControlMode::Stop },
        13 => Act::Steer { agent, room, mode: ControlMode::Play },
        14 => Act::Dismiss { agent, room, back: chance.millis(0, 20_000) },
        _ => Act::Sleep(chance.millis(1_000, 200_000)),
    };
    Step { when, act }
}

/// What some seeds hold besides.
fn more(chance: &mut Chance, steps: &mut Vec<Step>, agents: usize, rooms: usize) {
    let agent = chance.index(agents);
    if chance.permille(150) {
        steps.push(Step { when: when(chance, agent), act: disk(chance, agent) });
        // Somebody has to ask the disk what is there.
        let act = Act::Crash { agent, down: chance.millis(0, 10_000), torn: chance.permille(300) };
        steps.push(Step { when: when(chance, agent), act });
    }
    if chance.permille(100) {
        let (kind, wait) = (chance.pick(&Kind::ALL, Kind::Next), Wait::Date(1 + chance.below(20)));
        let (answer, count) = (Scripted::Busy(wait), 1 + u32::from(chance.permille(300)));
        steps.push(Step { when: at(chance), act: Act::Script { agent, kind, answer, count } });
    }
    if chance.permille(150) {
        for _ in 0..=chance.index(3) {
            steps.push(Step { when: at(chance), act: Act::Ask { agent } });
        }
    }
    if chance.permille(80) {
        steps.push(Step { when: when(chance, agent), act: Act::Rival { agent } });
        steps.push(say(chance, agents, rooms));
    }
    if chance.permille(100) {
        for torn in [true, false] {
            let act = Act::Crash { agent, down: chance.millis(0, 5_000), torn };
            steps.push(Step { when: when(chance, agent), act });
            steps.push(say(chance, agents, rooms));
        }
    }
}

fn disk(chance: &mut Chance, agent: usize) -> Act {
    let all = [DiskTrouble::Full, DiskTrouble::Failing, DiskTrouble::Unreadable, DiskTrouble::Shut];
    Act::Disk { agent, what: chance.pick(&all, DiskTrouble::Full), time: chance.millis(100, 40_000) }
}

fn script(chance: &mut Chance, agent: usize) -> Act {
    let kind = chance.pick(&Kind::ALL, Kind::Next);
    let answer = match chance.below(12) {
        0 => Scripted::Status(chance.pick(&[204, 403, 404], 204)),
        1 => Scripted::Status(409),
        2 => Scripted::Status(422),
        3 => Scripted::Status(chance.pick(&[401, 400], 401)),
        4 | 5 => Scripted::Busy(Wait::Seconds(1 + chance.below(20))),
        6 => Scripted::Busy(Wait::Millis(1 + chance.below(3_000))),
        7 => Scripted::Busy(Wait::Unsaid),
        8 => Scripted::Unavailable(1 + chance.below(10)),
        9 => Scripted::BadGateway,
        10 => chance.pick(&[Scripted::Garbage, Scripted::Empty], Scripted::Garbage),
        _ => Scripted::Status(chance.pick(&[500, 503, 504], 500)),
    };
    Act::Script { agent, kind, answer, count: 1 + u32::try_from(chance.below(4)).unwrap_or(0) }
}
