//! Agents come and go; the working indicator.

use band_core::platform::Principal;
use band_wire::phx::Topic;
use band_wire::rest::query::{AgentSort, DeleteAgentQuery, MyAgentsQuery, Order, Paging};
use band_wire::rest::{ActivityKind, ActivityReport, RegisterAgent, ReportActivity, Role};

use crate::site::{Site, agent, new_agent, payload};

fn registration(name: &str) -> RegisterAgent {
    RegisterAgent { name: name.to_owned(), description: "Answers questions".to_owned() }
}

fn list() -> MyAgentsQuery {
    MyAgentsQuery {
        paging: Paging::first(20),
        name: None,
        is_external: None,
        listed_in_directory: None,
        sort: AgentSort::default(),
        order: Order::Desc,
    }
}

#[tokio::test]
async fn a_registered_agent_has_a_key_a_handle_and_tells_its_owner() {
    let site = Site::new().await;
    let issued = site.app.register_agent(site.ann, registration("Weather Bot"), None).await.unwrap();
    assert_eq!(site.record.take_names(), [("agent_created", Topic::UserAgents(site.ann.user().unwrap()))]);
    let who = site.app.authenticate(&issued.credentials.api_key).await.unwrap().unwrap();
    let me = site.app.agent_me(who).await.unwrap();
    assert_eq!((me.id, me.handle.as_str()), (issued.agent.id, "ann/weather-bot"));
    assert_eq!(me.description.as_deref(), Some("Answers questions"));
    let flags: Vec<_> = me.feature_flags.unwrap().into_iter().collect();
    let wanted = [("ff_file_transfer", true), ("ff_idempotency_keys", true), ("ff_room_tasks", true)];
    assert_eq!(flags, wanted.map(|(name, on)| (name.to_owned(), on)));
}

#[tokio::test]
async fn a_name_is_unique_among_the_agents_of_an_owner() {
    let site = Site::new().await;
    let refusal =
        site.app.register_agent(site.ann, registration("Echo"), None).await.unwrap_err().into_refusal();
    assert_eq!(refusal.details.unwrap().into_map()["name"], ["has already been taken"]);
    site.refused((422, "validation_error"), site.app.register_agent(site.ann, registration("Echo"), None))
        .await;
    site.refused((403, "forbidden"), site.app.register_agent(site.echo, registration("Third"), None)).await;
    site.app.register_agent(site.bob, registration("Echo"), None).await.unwrap();
    let slug = site.app.register_agent(site.ann, registration("Echo!"), None).await.unwrap();
    let who = site.app.authenticate(&slug.credentials.api_key).await.unwrap().unwrap();
    assert_eq!(site.app.agent_me(who).await.unwrap().handle, "ann/echo-2");
}

#[tokio::test]
async fn agents_are_found_by_part_of_their_name_and_sorted() {
    let site = Site::new().await;
    for name in ["Über Echo", "Anchor"] {
        site.app.register_agent(site.ann, registration(name), None).await.unwrap();
    }
    let names = async |query: MyAgentsQuery| {
        let page = site.app.my_agents(site.ann, query).await.unwrap();
        assert_eq!(page.metadata.sortable_fields.len(), 3);
        page.data.into_iter().map(|agent| agent.name).collect::<Vec<_>>()
    };
    assert_eq!(names(list()).await, ["Anchor", "Über Echo", "Mate", "Echo"]);
    let by_name = MyAgentsQuery { sort: AgentSort::Name, order: Order::Asc, ..list() };
    assert_eq!(names(by_name.clone()).await, ["Anchor", "Echo", "Mate", "Über Echo"]);
    let part = MyAgentsQuery { name: Some("eCHO".to_owned()), ..by_name.clone() };
    assert_eq!(names(part).await, ["Echo", "Über Echo"]);
    let part = MyAgentsQuery { name: Some("ÜBER".to_owned()), ..by_name.clone() };
    assert_eq!(names(part).await, ["Über Echo"]);
    assert!(names(MyAgentsQuery { is_external: Some(false), ..list() }).await.is_empty());
    assert!(names(MyAgentsQuery { listed_in_directory: Some(true), ..list() }).await.is_empty());
    for (sort, order) in
        [(AgentSort::Name, Order::Asc), (AgentSort::Inserted, Order::Desc), (AgentSort::Updated, Order::Asc)]
    {
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let paging = Paging::Cursor { cursor, limit: 1 };
            let query = MyAgentsQuery { paging, sort, order, ..list() };
            let page = site.app.my_agents(site.ann, query).await.unwrap();
            seen.extend(page.data.into_iter().map(|agent| agent.name));
            cursor = page.metadata.page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, names(MyAgentsQuery { sort, order, ..list() }).await);
    }
}

#[tokio::test]
async fn a_deleted_agent_is_gone_everywhere() {
    let site = Site::new().await;
    let key = site.keys["Echo"].clone();
    assert_eq!(site.app.authenticate(&key).await.unwrap(), Some(site.echo));
    let backstage = site.app.create_agent_chat(site.echo, Default::default(), None).await.unwrap().id;
    let echo = agent(site.echo);
    let plain = DeleteAgentQuery { force: false };
    let force = DeleteAgentQuery { force: true };
    site.refused((422, "validation_error"), site.app.delete_agent(site.ann, echo, plain)).await;
    site.refused((403, "forbidden"), site.app.delete_agent(site.bob, echo, force)).await;
    site.refused((403, "forbidden"), site.app.delete_agent(site.echo, echo, force)).await;
    let deleted = site.app.delete_agent(site.ann, echo, force).await.unwrap();
    assert_eq!(deleted.executions_deleted, 2);
    assert_eq!(site.record.revoked(), [echo]);
    let names = site.record.take_names();
    let removed = names.iter().filter(|(event, _)| *event == "room_removed").count();
    assert_eq!(removed, 2);
    assert_eq!(names.last().unwrap().0, "agent_deleted");
    assert_eq!(site.app.authenticate(&key).await.unwrap(), None, "the key at hand is forgotten too");
    site.refused((404, "not_found"), site.app.delete_agent(site.ann, echo, force)).await;
    site.refused((404, "not_found"), site.app.agent_me(site.echo)).await;
    site.refused((404, "not_found"), site.app.next_message(site.echo, site.room)).await;
    site.refused((404, "not_found"), site.app.my_chat(site.ann, backstage, Default::default())).await;
    let seen = site.app.agent_participants(site.mate, site.room).await.unwrap();
    assert_eq!(seen.len(), 2);
    site.app.register_agent(site.ann, registration("Echo"), None).await.expect("the name is free again");
}

#[tokio::test]
async fn an_agent_that_was_never_anywhere_is_deleted_without_force() {
    let site = Site::new().await;
    let issued = site.app.create_agent(new_agent("ann", "Idle")).await.unwrap();
    let plain = DeleteAgentQuery { force: false };
    assert_eq!(site.app.delete_agent(site.ann, issued.agent.id, plain).await.unwrap().executions_deleted, 0);
}

#[tokio::test]
async fn messages_of_a_deleted_agent_keep_its_name() {
    let site = Site::new().await;
    let id = site.send(site.echo, site.ann, "hi").await.unwrap().id;
    site.app.delete_agent(site.ann, agent(site.echo), DeleteAgentQuery { force: true }).await.unwrap();
    let query = band_wire::rest::query::MyMessagesQuery {
        paging: Paging::first(20),
        types: None,
        since: None,
        anchor: None,
    };
    let page = site.app.my_messages(site.ann, site.room, query).await.unwrap();
    let message = page.data.iter().find(|message| message.id == id).unwrap();
    assert_eq!(message.sender_name.as_deref(), Some("Echo"));
}

fn working(name: Option<&str>) -> ReportActivity {
    let activity =
        name.map(|name| ActivityReport { kind: ActivityKind::ToolCall, name: Some(name.to_owned()) });
    ReportActivity { working: true, activity }
}

async fn report(site: &Site, who: Principal, body: ReportActivity) -> bool {
    site.app.report_activity(who, site.room, body).await.unwrap().working
}

#[tokio::test]
async fn a_working_agent_is_shown_to_people_until_it_stops() {
    let site = Site::new().await;
    assert!(report(&site, site.echo, working(None)).await);
    assert!(report(&site, site.echo, working(None)).await);
    let [started] = site.record.take().try_into().unwrap();
    assert_eq!((started.event, started.topic), ("agent_activity_started", Topic::RoomActivity(site.room)));
    let here = site.app.working(site.room).await.unwrap();
    assert_eq!(here["working_agents"][0]["agent_id"], agent(site.echo).to_string());
    assert_eq!(here["working_agents"][0]["execution_id"], payload(&started)["execution_id"]);
    assert!(report(&site, site.echo, working(Some("search"))).await);
    assert_eq!(payload(&site.record.take()[0])["activity"]["name"], "search");
    assert!(!report(&site, site.echo, ReportActivity { working: false, activity: None }).await);
    assert_eq!(site.record.take()[0].event, "agent_activity_stopped");
    assert!(site.app.working(site.room).await.unwrap()["working_agents"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn activity_elsewhere_is_not_found() {
    let site = Site::new().await;
    let call = site.app.report_activity(site.far, site.room, working(None));
    let refusal = call.await.unwrap_err().into_refusal();
    assert_eq!((refusal.status, refusal.message.as_ref()), (404, "No active execution"));
    site.refused((403, "forbidden"), site.app.report_activity(site.ann, site.room, working(None))).await;
}

#[tokio::test]
async fn an_agent_that_leaves_is_not_shown_as_working() {
    let site = Site::new().await;
    report(&site, site.echo, working(None)).await;
    site.record.take();
    site.app.remove_participant(site.ann, site.room, site.echo.participant()).await.unwrap();
    let names: Vec<_> = site.record.take_names().into_iter().map(|(event, _)| event).collect();
    assert!(names.contains(&"agent_activity_stopped"));
    let back = crate::site::adding(site.echo, Role::Member);
    site.app.add_participant(site.ann, site.room, back, None).await.unwrap();
    report(&site, site.echo, working(None)).await;
    site.record.take();
    site.app.delete_agent(site.ann, agent(site.echo), DeleteAgentQuery { force: true }).await.unwrap();
    let names: Vec<_> = site.record.take_names().into_iter().map(|(event, _)| event).collect();
    assert!(names.contains(&"agent_activity_stopped"));
}

#[tokio::test]
async fn a_report_lapses_by_itself() {
    let site = Site::new().await;
    tokio::time::pause();
    report(&site, site.echo, working(None)).await;
    let stopped = async {
        loop {
            let pushed = site.record.pushed.notified();
            if site.record.take().iter().any(|push| push.event == "agent_activity_stopped") {
                return;
            }
            pushed.await;
        }
    };
    stopped.await;
}

#[tokio::test]
async fn an_agent_whose_leaving_was_not_stored_is_still_shown_as_working() {
    let site = Site::new().await;
    report(&site, site.echo, working(None)).await;
    site.record.take();
    let raw = rusqlite::Connection::open(site.dir.database()).unwrap();
    // Whoever leaves now leaves a reference to nobody, which only the commit finds.
    raw.execute_batch(
        "CREATE TABLE lost (id BLOB REFERENCES users (id) DEFERRABLE INITIALLY DEFERRED);
         CREATE TRIGGER lose AFTER DELETE ON participants BEGIN INSERT INTO lost VALUES (x'00'); END;",
    )
    .unwrap();
    let shown = async || {
        let here = site.app.working(site.room).await.unwrap();
        here["working_agents"].as_array().unwrap().len()
    };
    let (echo, force) = (site.echo.participant(), DeleteAgentQuery { force: true });
    let removed = site.app.remove_participant(site.ann, site.room, echo).await;
    assert_eq!((crate::site::status(&removed), shown().await), (500, 1));
    let deleted = site.app.delete_agent(site.ann, agent(site.echo), force).await;
    assert_eq!((crate::site::status(&deleted), shown().await), (500, 1));
    assert!(site.record.take().is_empty());
    raw.execute_batch("DROP TRIGGER lose").unwrap();
    site.app.remove_participant(site.ann, site.room, echo).await.unwrap();
    assert_eq!(shown().await, 0);
    assert!(site.record.take_names().iter().any(|(event, _)| *event == "agent_activity_stopped"));
}
