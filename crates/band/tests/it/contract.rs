//! What the runtime promises to adapters and hosts.

use std::sync::{Arc, Mutex};

use band::{
    AdapterResult, AgentInput, Capability, ControlMessage, EffectiveFeatures, Emit, Error, Features,
    HistoryConverter, Identity, ModelCatalog, ModelChoice, ModelSelection, PlatformConnection, Preprocessor,
    RawHistory, RoomContext, SimpleAdapter, Supported, Turn,
};
use serde_json::json;

use crate::platform::{Platform, ada, room};
use crate::scene::{Book, Puppet, builder_of};

/// Notes every hook; takes messages that begin with "control" as control.
#[derive(Default)]
struct Noting {
    notes: Mutex<Vec<String>>,
    selection: ModelSelection,
    features: Features,
}

impl Noting {
    fn note(&self, text: impl Into<String>) {
        self.notes.lock().unwrap().push(text.into());
    }

    fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap().clone()
    }
}

impl SimpleAdapter for Noting {
    type Converter = RawHistory;

    async fn on_message(&self, turn: Turn) -> AdapterResult {
        let history = turn.history.len();
        self.note(format!("turn {}, history {history}, first {}", turn.text(), turn.is_bootstrap));
        turn.reply("ok").await?;
        Ok(())
    }

    fn supported(&self) -> Supported {
        Supported {
            emit: Emit::Usage | Emit::Thoughts,
            capabilities: Capability::Files | Capability::Contacts,
        }
    }

    fn features(&self) -> Features {
        self.features.clone()
    }

    fn apply_effective_features(&self, features: &EffectiveFeatures) {
        self.note(format!("features {:?} {:?}", features.emit, features.capabilities));
    }

    async fn on_started(&self, _: &Identity, _: &PlatformConnection) -> AdapterResult {
        self.note("started");
        Ok(())
    }

    fn model_selection(&self) -> ModelSelection {
        self.selection.clone()
    }

    async fn list_models(&self) -> AdapterResult<Option<ModelCatalog>> {
        self.note("models");
        let big = ModelChoice { id: "big".to_owned(), ..ModelChoice::default() };
        Ok(Some(ModelCatalog { models: vec![big], current_model: None }))
    }

    async fn try_handle_control(&self, control: &ControlMessage) -> AdapterResult<bool> {
        Ok(control.message.content.starts_with("control"))
    }
}

/// What a model is given of the past, as many words of each entry as are wanted.
#[derive(Clone, Copy, Default)]
struct Words(usize);

impl HistoryConverter for Words {
    type Output = Vec<String>;

    fn convert(&self, history: RawHistory, _: &Identity) -> AdapterResult<Vec<String>> {
        let shortened = history.items.iter().map(|item| {
            let words: Vec<&str> = item.content.split(' ').take(self.0).collect();
            words.join(" ")
        });
        Ok(shortened.collect())
    }
}

/// Changes its converter while it runs.
#[derive(Default)]
struct Changing {
    converter: Mutex<Words>,
    seen: Mutex<Vec<Vec<String>>>,
}

impl SimpleAdapter for Changing {
    type Converter = Words;

    fn converter(&self) -> Words {
        *self.converter.lock().unwrap()
    }

    async fn on_message(&self, turn: Turn<Vec<String>>) -> AdapterResult {
        self.seen.lock().unwrap().push(turn.history.clone());
        *self.converter.lock().unwrap() = Words(2);
        turn.reply("ok").await?;
        Ok(())
    }
}

#[tokio::test]
async fn the_converter_of_the_past_may_change_while_the_agent_runs() {
    let platform = Platform::start(&[1, 2]).await;
    for n in [1, 2] {
        let id = platform.store(n, "one two three");
        platform.settle(n, id);
    }
    let changing = Arc::new(Changing::default());
    let running = builder_of(&platform, Arc::clone(&changing)).build().unwrap().start().await.unwrap();
    for n in [1, 2] {
        let id = platform.say(n, "hi").await;
        platform.stands(n, id, "processed").await;
    }
    assert_eq!(*changing.seen.lock().unwrap(), [vec![""], vec!["one two"]]);
    running.stop(None).await.unwrap();
}

/// Drops what says "drop", shouts the rest.
struct Dropping;

impl Preprocessor for Dropping {
    async fn process(
        &self,
        context: &RoomContext,
        mut input: AgentInput,
    ) -> AdapterResult<Option<AgentInput>> {
        assert_eq!(context.room(), input.room);
        assert_eq!(context.participants().len(), 2);
        let past = context.history_before(input.message.id).await?;
        assert!(past.items.iter().all(|item| item.id != input.message.id));
        input.message.content = input.message.content.to_uppercase();
        Ok((input.message.content != "DROP").then_some(input))
    }
}

#[tokio::test]
async fn a_dropped_message_counts_as_handled_without_a_turn_and_leaves_the_past_owed() {
    let platform = Platform::start(&[1]).await;
    let noting = Arc::new(Noting::default());
    let agent = builder_of(&platform, Arc::clone(&noting)).preprocessor(Dropping).build().unwrap();
    let running = agent.start().await.unwrap();
    let dropped = platform.say(1, "drop").await;
    platform.stands(1, dropped, "processed").await;
    let kept = platform.say(1, "keep").await;
    platform.stands(1, kept, "processed").await;
    assert_eq!(noting.notes()[2..], ["turn KEEP, history 1, first true"]);
    assert!(platform.events().is_empty(), "the room heard of no missing reply");
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_message_taken_as_control_gets_no_turn_and_leaves_the_past_owed() {
    let platform = Platform::start(&[1]).await;
    let noting = Arc::new(Noting::default());
    let running = builder_of(&platform, Arc::clone(&noting)).build().unwrap().start().await.unwrap();
    let control = platform.say(1, "control it").await;
    platform.stands(1, control, "processed").await;
    let message = platform.say(1, "hi").await;
    platform.stands(1, message, "processed").await;
    assert_eq!(noting.notes()[2..], ["turn hi, history 1, first true"]);
    assert!(platform.events().is_empty());
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn hooks_of_a_start_come_in_order_and_files_are_dropped_unless_they_are_served() {
    for (flags, held) in [
        (json!(null), "features {Thoughts, Usage} {Contacts, Files}"),
        (json!({ "ff_file_transfer": true }), "features {Thoughts, Usage} {Contacts, Files}"),
        (json!({}), "features {Thoughts, Usage} {Contacts}"),
    ] {
        let platform = Platform::start(&[]).await;
        platform.set_me("feature_flags", flags);
        let noting = Arc::new(Noting {
            selection: ModelSelection { model: Some("big".to_owned()), reasoning_effort: None },
            features: Features::new().capabilities(Capability::Files | Capability::Contacts),
            ..Noting::default()
        });
        let running = builder_of(&platform, Arc::clone(&noting)).build().unwrap().start().await.unwrap();
        assert_eq!(noting.notes(), [held, "started", "models"]);
        running.stop(None).await.unwrap();
    }
}

#[tokio::test]
async fn a_model_that_is_not_advertised_ends_the_start() {
    let platform = Platform::start(&[]).await;
    let selection = ModelSelection { model: Some("huge".to_owned()), reasoning_effort: None };
    let noting = Noting { selection, ..Noting::default() };
    let err = builder_of(&platform, noting).build().unwrap().start().await.unwrap_err();
    assert!(matches!(err, Error::ModelSelection(_)));
    assert_eq!(err.to_string(), "model \"huge\" is not advertised; available: big");
    assert_eq!(platform.count("socket"), 0);
}

#[tokio::test]
async fn what_an_adapter_does_not_support_is_told_when_the_agent_is_built() {
    let platform = Platform::start(&[]).await;
    let noting = Noting { features: Features::new().emit(Emit::ToolCalls), ..Noting::default() };
    let err = builder_of(&platform, noting).build().unwrap_err();
    let text = "Noting does not support emit kind(s): tool_calls; supported: thoughts, usage";
    assert_eq!(err.to_string(), text);
}

#[tokio::test]
async fn who_comes_and_goes_is_told_to_the_host() {
    let platform = Platform::start(&[1]).await;
    let book = Arc::new(Book::default());
    let (came, went) = (Arc::clone(&book), Arc::clone(&book));
    let agent = builder_of(&platform, Puppet(Arc::clone(&book)))
        .on_participant_added(move |room, who| {
            came.note(format!("{} came to {room}", who.name.unwrap_or_default()));
            async { Err("is only logged") }
        })
        .on_participant_removed(move |room, who| {
            went.note(format!("{} left {room}", who.name.unwrap_or_default()));
            async { Ok::<(), String>(()) }
        })
        .build()
        .unwrap();
    let running = agent.start().await.unwrap();
    let topic = format!("room_participants:{}", room(1));
    let grace = json!({ "id": ada(), "type": "User", "name": "Grace", "handle": "grace" });
    platform.push(&topic, "participant_added", grace.clone()).await;
    book.saw(&format!("Grace came to {}", room(1))).await;
    platform.push(&topic, "participant_removed", grace).await;
    book.saw(&format!("Grace left {}", room(1))).await;
    running.stop(None).await.unwrap();
}
