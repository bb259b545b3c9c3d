//! Making the demo on the first run of `band up`, and finding it on every later one.

use std::path::Path;

use anyhow::{Context, Result};
use band::BoxedAdapter;
use band::config::Env;
use band_adapters::registry;
use band_core::platform::Principal;
use band_server::app::App;
use band_wire::rest::query::{FromQuery, MyAgentsQuery, MyChatQuery, MyChatsQuery, QueryReader};
use band_wire::rest::{AddParticipant, CreateChat, CreateUser, RegisterAgent, Role};
use band_wire::{AgentId, ChatId, UserId};

use crate::demo::{Demo, DemoAgent, DemoUser};
use crate::exit::Failure;
use crate::up::With;

const PERSON: &str = "You";
const ROOM: &str = "Welcome";

impl With {
    /// The name of the adapter, and of the agent's entry in the demo.
    pub(crate) const fn adapter(self) -> &'static str {
        match self {
            Self::Echo => "echo",
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// What the agent is called; its handle is made of it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Echo => "Echo",
            Self::Openai => "Assistant",
            Self::Anthropic => "Claude",
            Self::Gemini => "Gemini",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::Echo => "Repeats what it is told, to whoever mentions it.",
            Self::Openai | Self::Anthropic | Self::Gemini => {
                "A language model. Answers questions and helps with texts."
            }
        }
    }
}

/// The adapter that plays the agent, made before anything else so that what it lacks is told first.
pub(crate) fn adapter(with: With) -> Result<BoxedAdapter> {
    check_model(with, &Env::of_process())?;
    Ok(registry::make(with.adapter(), &registry::Settings::new())?)
}

/// A model needs a key, or a server of its own and there a name.
fn check_model(with: With, env: &Env) -> Result<()> {
    let is_set = |name| env.get(name).is_some();
    let (fits, way_out) = match with {
        With::Echo => (true, ""),
        With::Openai => (
            is_set("OPENAI_API_KEY") || (is_set("OPENAI_BASE_URL") && is_set("OPENAI_MODEL")),
            "set OPENAI_API_KEY, or OPENAI_BASE_URL and OPENAI_MODEL for a model server of your own",
        ),
        With::Anthropic => {
            (is_set("ANTHROPIC_API_KEY") || is_set("ANTHROPIC_BASE_URL"), "set ANTHROPIC_API_KEY")
        }
        With::Gemini => (is_set("GEMINI_API_KEY") || is_set("GOOGLE_API_KEY"), "set GEMINI_API_KEY"),
    };
    if fits {
        return Ok(());
    }
    Err(Failure::usage(format!("--agent {}: no model to talk to; {way_out}", with.adapter())))
}

/// The demo of a platform and the agent of this run, with whatever was missing made. The demo's file is
/// brought up to date.
///
/// `is_new` says that the database was made just now: the keys of an older one open nothing in it.
pub(crate) async fn prepare(app: &App, data: &Path, with: With, is_new: bool) -> Result<(Demo, DemoAgent)> {
    let known = Demo::read(data)?.filter(|_| !is_new);
    let user = user(app, known.as_ref()).await.context("making the first person")?;
    let who = Principal::User(user.id);
    let known_agent = known.as_ref().and_then(|demo| demo.agents.get(with.adapter()));
    let (agent, agent_is_new) = agent(app, user.id, known_agent, with).await.context("making the agent")?;
    let known_room = known.as_ref().map(|demo| demo.room);
    let (room, room_is_new) = room(app, who, known_room).await.context("making the room")?;
    if agent_is_new || room_is_new {
        let member = AddParticipant { participant_id: agent.id.into(), role: Role::Member };
        app.add_participant(who, room, member, None).await.context("bringing the agent into the room")?;
    }
    let mut agents = known.map(|demo| demo.agents).unwrap_or_default();
    agents.insert(with.adapter().to_owned(), agent.clone());
    let demo = Demo { user, room, agents, adapter: with.adapter().to_owned() };
    demo.write(data)?;
    Ok((demo, agent))
}

/// The person of the file, as long as the key is theirs; else the first one there is, with a new key; else a
/// new one.
async fn user(app: &App, known: Option<&Demo>) -> Result<DemoUser> {
    if let Some(demo) = known
        && app.authenticate(&demo.user.key.api_key).await? == Some(Principal::User(demo.user.id))
    {
        return Ok(demo.user.clone());
    }
    if let Some(first) = app.users().await?.into_iter().next() {
        let key = app.issue_user_key(Some(first.id.to_string())).await?;
        return Ok(DemoUser { id: first.id, key });
    }
    let created = app.create_user(CreateUser { name: PERSON.to_owned() }).await?;
    Ok(DemoUser { id: created.user.id, key: created.credentials })
}

/// The agent of the file, as long as the key is its own; else the person's agent of that name, with a new
/// key; else a new one. Also whether it is new.
async fn agent(app: &App, owner: UserId, known: Option<&DemoAgent>, with: With) -> Result<(DemoAgent, bool)> {
    if let Some(agent) = known
        && app.authenticate(&agent.key.api_key).await? == Some(Principal::Agent { id: agent.id, owner })
    {
        return Ok((agent.clone(), false));
    }
    let who = Principal::User(owner);
    if let Some(id) = agent_named(app, who, with.name()).await? {
        let key = app.issue_agent_key(id).await?;
        return Ok((DemoAgent { id, key }, false));
    }
    let request = RegisterAgent { name: with.name().to_owned(), description: with.description().to_owned() };
    let issued = app.register_agent(who, request, None).await?;
    Ok((DemoAgent { id: issued.agent.id, key: issued.credentials }, true))
}

async fn agent_named(app: &App, who: Principal, name: &str) -> Result<Option<AgentId>> {
    let query = MyAgentsQuery::from_query(reader(&[("name", name), ("limit", "100")]))?;
    let found = app.my_agents(who, query).await?.data;
    Ok(found.into_iter().find(|agent| agent.name == name).map(|agent| agent.id))
}

/// The room of the file, as long as it is there; else the person's room of that title; else a new one. Also
/// whether it is new.
async fn room(app: &App, who: Principal, known: Option<ChatId>) -> Result<(ChatId, bool)> {
    if let Some(room) = known
        && app.my_chat(who, room, MyChatQuery::default()).await.is_ok()
    {
        return Ok((room, false));
    }
    let query = MyChatsQuery::from_query(reader(&[("limit", "100")]))?;
    let rooms = app.my_chats(who, query).await?.data;
    if let Some(room) = rooms.into_iter().find(|room| room.title.as_deref() == Some(ROOM)) {
        return Ok((room.id, false));
    }
    let request = CreateChat { title: Some(ROOM.to_owned()), task_id: None };
    Ok((app.create_my_chat(who, request, None).await?.id, true))
}

fn reader(pairs: &[(&str, &str)]) -> QueryReader {
    QueryReader::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
}
