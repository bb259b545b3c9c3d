//! What a scripted model does next.

use serde_json::{Value, json};

/// One step of a scripted model. Steps are dialect-free: the server writes each one in the form in which it was
/// asked.
///
/// ```
/// use band_testkit::ModelStep;
/// use serde_json::json;
///
/// let step = ModelStep::call("band_get_participants", json!({})).usage(120, 8);
/// # let _ = step;
/// ```
#[derive(Debug, Clone)]
pub struct ModelStep {
    pub(super) kind: Kind,
    pub(super) when: Option<String>,
    pub(super) answer: Answer,
    /// Events (or, of an answer in one piece, bytes) after which the connection breaks.
    pub(super) cut_after: Option<usize>,
    /// Events after which nothing more comes.
    pub(super) stall_after: Option<usize>,
    /// Bytes in one piece of the answer.
    pub(super) pieces_of: Option<usize>,
}

/// Answers, or something else.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    Answer,
    Refuse { status: u16, kind: String, message: String, retry_after: Option<String> },
    Overflow,
    Raw { status: u16, content_type: String, body: String },
    Stall,
}

/// What a model says.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    pub(super) thinking: Option<String>,
    pub(super) text: Option<String>,
    pub(super) calls: Vec<ScriptedCall>,
    pub(super) tokens: Tokens,
    /// The output ran into its limit.
    pub(super) is_cut_short: bool,
    /// Calls carry no id, as some servers of one's own leave it out.
    pub(super) without_ids: bool,
}

/// A call of a tool, with its arguments as the model writes them.
#[derive(Debug, Clone)]
pub(super) struct ScriptedCall {
    pub(super) name: String,
    pub(super) arguments: String,
}

/// What a provider says it took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) cache_read: u64,
    pub(super) cache_write: u64,
    /// Of the output: reasoning.
    pub(super) reasoning: u64,
}

impl ModelStep {
    fn of(kind: Kind) -> Self {
        let tokens = Tokens { input: 10, output: 5, ..Tokens::default() };
        let answer = Answer { tokens, ..Answer::default() };
        Self { kind, when: None, answer, cut_after: None, stall_after: None, pieces_of: None }
    }

    /// Says something, and ends its answer.
    pub fn say(text: impl Into<String>) -> Self {
        let mut step = Self::of(Kind::Answer);
        step.answer.text = Some(text.into());
        step
    }

    /// Says nothing at all.
    pub fn silence() -> Self {
        Self::of(Kind::Answer)
    }

    /// Calls a tool.
    pub fn call(name: impl Into<String>, arguments: Value) -> Self {
        Self::silence().and_call(name, arguments)
    }

    /// Calls a tool with arguments that need not be JSON.
    pub fn call_raw(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        let mut step = Self::silence();
        step.answer.calls.push(ScriptedCall { name: name.into(), arguments: arguments.into() });
        step
    }

    /// Sends a message to those named, by the tool for it.
    pub fn send(content: &str, mentions: &[&str]) -> Self {
        Self::call("band_send_message", json!({ "content": content, "mentions": mentions }))
    }

    /// Declines to answer.
    pub fn decline() -> Self {
        Self::call("band_no_reply", json!({ "reason": "nothing to add" }))
    }

    /// Calls a further tool in the same answer.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "a script reads better without it")]
    pub fn and_call(mut self, name: impl Into<String>, arguments: Value) -> Self {
        self.answer.calls.push(ScriptedCall { name: name.into(), arguments: arguments.to_string() });
        self
    }

    /// Writes text beside its calls.
    #[must_use]
    pub fn saying(mut self, text: impl Into<String>) -> Self {
        self.answer.text = Some(text.into());
        self
    }

    /// Thinks aloud first. The thought is signed where the dialect has it so, and the signature wanted back.
    #[must_use]
    pub fn thinking(mut self, text: impl Into<String>) -> Self {
        self.answer.thinking = Some(text.into());
        self
    }

    /// With this usage, in tokens. Default: 10 in, 5 out.
    #[must_use]
    pub const fn usage(mut self, input: u64, output: u64) -> Self {
        self.answer.tokens.input = input;
        self.answer.tokens.output = output;
        self
    }

    /// Of the input, so much was read from the cache and so much written to it.
    #[must_use]
    pub const fn cached(mut self, read: u64, write: u64) -> Self {
        self.answer.tokens.cache_read = read;
        self.answer.tokens.cache_write = write;
        self
    }

    /// Of the output, so much was reasoning.
    #[must_use]
    pub const fn reasoning(mut self, tokens: u64) -> Self {
        self.answer.tokens.reasoning = tokens;
        self
    }

    /// Ends because the output reached its limit.
    #[must_use]
    pub const fn cut_short(mut self) -> Self {
        self.answer.is_cut_short = true;
        self
    }

    /// Leaves the ids of its calls out, as some servers do.
    #[must_use]
    pub const fn without_ids(mut self) -> Self {
        self.answer.without_ids = true;
        self
    }

    /// Refuses the request, in the provider's form. `kind` is the provider's word for it, such as
    /// `rate_limit_error`.
    pub fn refuse(status: u16, kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self::of(Kind::Refuse { status, kind: kind.into(), message: message.into(), retry_after: None })
    }

    /// Refuses because too much is asked of it, and says when to come again: the value of `Retry-After`.
    pub fn busy(status: u16, retry_after: impl Into<String>) -> Self {
        let retry_after = Some(retry_after.into());
        let (kind, message) = ("rate_limit_error".into(), "slow down".into());
        Self::of(Kind::Refuse { status, kind, message, retry_after })
    }

    /// Refuses because the conversation is longer than the model can read, in the provider's own words.
    pub fn overflow() -> Self {
        Self::of(Kind::Overflow)
    }

    /// Answers with this body, whatever it is.
    pub fn raw(status: u16, content_type: impl Into<String>, body: impl Into<String>) -> Self {
        Self::of(Kind::Raw { status, content_type: content_type.into(), body: body.into() })
    }

    /// Answers with what is none of the format: a page of a proxy.
    pub fn garbage() -> Self {
        Self::raw(200, "text/html", "<html><body>Bad day</body></html>")
    }

    /// Takes the request and says nothing, until whoever asked has gone.
    pub fn stall() -> Self {
        Self::of(Kind::Stall)
    }

    /// Breaks the connection after so many events of a stream, or bytes of an answer in one piece.
    #[must_use]
    pub const fn cut_after(mut self, count: usize) -> Self {
        self.cut_after = Some(count);
        self
    }

    /// Says nothing more after so many events of a stream.
    #[must_use]
    pub const fn stall_after(mut self, events: usize) -> Self {
        self.stall_after = Some(events);
        self
    }

    /// Sends its answer in pieces of so many bytes, wherever that cuts.
    #[must_use]
    pub const fn in_pieces_of(mut self, bytes: usize) -> Self {
        self.pieces_of = Some(bytes);
        self
    }

    /// Is kept for the first request whose body has this text; other requests pass it over.
    #[must_use]
    pub fn when(mut self, text: impl Into<String>) -> Self {
        self.when = Some(text.into());
        self
    }
}
