//! A model as an adapter.

use std::sync::{Arc, PoisonError, RwLock};

use band::tools::Tool;
use band::{
    AdapterResult, Capability, Emit, Features, Identity, PlatformConnection, SimpleAdapter, Supported, Turn,
    Usage,
};
use band_core::transcript::Transcript;
use band_wire::ChatId;

use super::model::Model;
use super::rooms::Rooms;
use super::run::Running;
use crate::prompt::Prompt;
#[cfg(feature = "provider")]
use crate::settings::Reader;

/// How often a model is asked in one turn, unless said otherwise.
pub(crate) const MAX_TOOL_ROUNDS: u32 = 25;
/// How much of a room's conversation is kept, in bytes of text: some 100 000 tokens.
pub(crate) const CONTEXT_BYTES: usize = 400_000;

/// Makes an adapter of any [`Model`]: a loop of model and tools, the same for all.
///
/// Each room's conversation is kept in memory; the first message of a session starts it from the room's past.
/// A model is asked up to [`max_tool_rounds`](Self::max_tool_rounds) times in one turn; the last time it is offered
/// only what ends the turn. The same call three times gets a hint, five times ends the turn.
#[derive(Debug)]
pub struct ModelAdapter<M> {
    pub(crate) model: M,
    pub(crate) prompt: Prompt,
    pub(crate) max_tool_rounds: u32,
    pub(crate) context_bytes: usize,
    pub(crate) features: Features,
    tools: Vec<Tool>,
    me: RwLock<Option<Arc<Identity>>>,
    rooms: Rooms,
}

impl<M: Model> ModelAdapter<M> {
    /// An adapter with this model and the defaults for everything else.
    pub fn of(model: M) -> Self {
        Self {
            model,
            prompt: Prompt::default(),
            max_tool_rounds: MAX_TOOL_ROUNDS,
            context_bytes: CONTEXT_BYTES,
            features: Features::default(),
            tools: Vec::new(),
            me: RwLock::default(),
            rooms: Rooms::default(),
        }
    }

    /// The model alone.
    pub fn into_model(self) -> M {
        self.model
    }

    /// With instructions of your own: they come last in the system prompt.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.prompt.instructions = Some(text.into());
        self
    }

    /// With a system prompt of your own in place of everything else, instructions too.
    #[must_use]
    pub fn system_prompt(mut self, text: impl Into<String>) -> Self {
        self.prompt.whole = Some(text.into());
        self
    }

    /// Without what Band tells models about rooms: true is the default.
    #[must_use]
    pub const fn include_base_instructions(mut self, include: bool) -> Self {
        self.prompt.include_base = include;
        self
    }

    /// How often the model is asked in one turn, once at least. Default 25.
    #[must_use]
    pub const fn max_tool_rounds(mut self, rounds: u32) -> Self {
        self.max_tool_rounds = if rounds == 0 { 1 } else { rounds };
        self
    }

    /// How much of a room's conversation is kept, in bytes of text; a token is three or four. Default 400 000.
    #[must_use]
    pub const fn context_bytes(mut self, bytes: usize) -> Self {
        self.context_bytes = bytes;
        self
    }

    /// What it posts and offers. Default: all the events that it can post, no further tools.
    #[must_use]
    pub fn features(mut self, features: Features) -> Self {
        self.features = features;
        self
    }

    /// With a tool of your own, beside the platform's.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    #[cfg(feature = "provider")]
    /// With what the settings say about everything but the model.
    pub(crate) fn configured(mut self, reader: &Reader<'_>) -> band::Result<Self> {
        self.prompt.instructions = reader.instructions()?;
        self.prompt.whole = reader.text("system_prompt", &[])?;
        if let Some(include) = reader.flag("include_base_instructions")? {
            self.prompt.include_base = include;
        }
        if let Some(rounds) = reader.count("max_tool_rounds")? {
            self.max_tool_rounds = rounds;
        }
        if let Some(bytes) = reader.count("context_bytes")? {
            self.context_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
        self.features = reader.features()?;
        Ok(self)
    }

    /// The system prompt, of the tools that this turn has.
    fn system(&self, turn: &Turn<Transcript>) -> Arc<str> {
        let me = self.me.read().unwrap_or_else(PoisonError::into_inner).clone();
        me.map_or_else(|| "".into(), |me| self.prompt.render(&me, turn.tools.tool_set()).into())
    }
}

impl<M: Model> SimpleAdapter for ModelAdapter<M> {
    type Converter = Transcript;

    fn name(&self) -> &str {
        self.model.name()
    }

    fn supported(&self) -> Supported {
        let mut emit = Emit::ToolCalls | Emit::Usage;
        if self.model.shows_thoughts() {
            emit = emit | Emit::Thoughts;
        }
        let capabilities = Capability::Memory | Capability::Contacts | Capability::Tasks | Capability::Files;
        Supported { emit, capabilities }
    }

    fn features(&self) -> Features {
        self.features.clone()
    }

    fn tools(&self) -> Vec<Tool> {
        self.tools.clone()
    }

    async fn on_started(&self, me: &Identity, _: &PlatformConnection) -> AdapterResult {
        self.model.ready()?;
        *self.me.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(me.clone()));
        Ok(())
    }

    async fn on_message(&self, mut turn: Turn<Transcript>) -> AdapterResult {
        if turn.is_bootstrap {
            self.rooms.begin(turn.room, std::mem::take(&mut turn.history));
        }
        let mut talk = self.rooms.open(turn.room, &turn.tools);
        let transcript = talk.edit();
        for update in [turn.participants_update.take(), turn.contacts_update.take()].into_iter().flatten() {
            transcript.push_update(update);
        }
        transcript.push_peer(turn.message.speaker(), turn.message.content.clone());
        let _ = transcript.cut_to(self.context_bytes);
        let running = Running {
            model: &self.model,
            talk,
            system: self.system(&turn),
            tools: Arc::new(turn.tools.tool_set().definitions().cloned().collect()),
            max_rounds: self.max_tool_rounds,
            used: Usage::default(),
            is_last: false,
            turn: &turn,
        };
        let outcome = running.run().await;
        if outcome.is_err() && !turn.tools.replied() {
            // The model's view of this turn is gone with it.
            turn.retain_context();
        }
        outcome
    }

    async fn on_cleanup(&self, room: ChatId) -> AdapterResult {
        self.rooms.forget(room);
        Ok(())
    }

    async fn cleanup_all(&self) -> AdapterResult {
        self.rooms.forget_all();
        Ok(())
    }
}
