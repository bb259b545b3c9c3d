//! The route table: method, path, kind of caller, handler.

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use http::Method;

use super::caller::{Kind, authenticate};
use super::context::Context;
use super::envelope::envelope;
use super::problem::Problem;
use super::{about, admin, agent, auth, files, human, tasks};
use crate::{socket, web};

/// One line of the table.
#[derive(Debug)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, its parameters in braces.
    pub path: &'static str,
    /// Who may call.
    pub kind: Kind,
    handler: MethodRouter<Context>,
}

/// All routes but the files of the page, which anyone may read.
pub fn table() -> Vec<Route> {
    use Kind::{Admin, Anyone};
    let mut table = vec![
        get(Anyone, "/api/version", about::version),
        get(Anyone, "/api/v1/health", about::health),
        post(Anyone, "/api/v1/auth/sign-in", auth::sign_in),
        post(Anyone, "/api/v1/auth/sign-out", auth::sign_out),
        get(Anyone, "/api/v1/socket/websocket", socket::upgrade),
        get(Anyone, "/api/v1/socket", socket::upgrade),
        post(Admin, "/api/v1/admin/users", admin::create_user),
        post(Admin, "/api/v1/admin/agents", admin::create_agent),
        post(Admin, "/api/v1/admin/sign-in-links", admin::create_sign_in_link),
    ];
    table.extend(of_agents());
    table.extend(contacts_of_agents());
    table.extend(of_people());
    table.extend(contacts_of_people());
    table.extend(controls());
    table.extend(memories());
    table.extend(kept_in_rooms());
    table.extend(changes_of_rooms());
    table
}

fn of_agents() -> [Route; 17] {
    use Kind::Agent;
    [
        get(Agent, "/api/v1/agent/me", agent::me),
        get(Agent, "/api/v1/agent/peers", agent::peers),
        get(Agent, "/api/v1/agent/chats", agent::list),
        post(Agent, "/api/v1/agent/chats", agent::create),
        get(Agent, "/api/v1/agent/chats/{chat_id}", agent::show),
        get(Agent, "/api/v1/agent/chats/{chat_id}/participants", agent::participants),
        post(Agent, "/api/v1/agent/chats/{chat_id}/participants", agent::add),
        delete(Agent, "/api/v1/agent/chats/{chat_id}/participants/{id}", agent::remove),
        get(Agent, "/api/v1/agent/chats/{chat_id}/messages", agent::messages),
        post(Agent, "/api/v1/agent/chats/{chat_id}/messages", agent::send),
        get(Agent, "/api/v1/agent/chats/{chat_id}/messages/next", agent::next),
        post(Agent, "/api/v1/agent/chats/{chat_id}/messages/{id}/processing", agent::processing),
        post(Agent, "/api/v1/agent/chats/{chat_id}/messages/{id}/processed", agent::processed),
        post(Agent, "/api/v1/agent/chats/{chat_id}/messages/{id}/failed", agent::failed),
        post(Agent, "/api/v1/agent/chats/{chat_id}/events", agent::create_event),
        get(Agent, "/api/v1/agent/chats/{chat_id}/context", agent::context),
        post(Agent, "/api/v1/agent/chats/{chat_id}/activity", agent::activity),
    ]
}

fn contacts_of_agents() -> [Route; 5] {
    use Kind::Agent;
    [
        get(Agent, "/api/v1/agent/contacts", agent::contacts),
        post(Agent, "/api/v1/agent/contacts/add", agent::add_contact),
        post(Agent, "/api/v1/agent/contacts/remove", agent::remove_contact),
        get(Agent, "/api/v1/agent/contacts/requests", agent::contact_requests),
        post(Agent, "/api/v1/agent/contacts/requests/respond", agent::respond_contact),
    ]
}

fn contacts_of_people() -> [Route; 9] {
    use Kind::Human;
    use human::contacts;
    [
        get(Human, "/api/v1/me/contacts", contacts::contacts),
        post(Human, "/api/v1/me/contacts/resolve", contacts::resolve),
        post(Human, "/api/v1/me/contacts/remove", agent::remove_contact),
        get(Human, "/api/v1/me/contacts/requests", contacts::received_requests),
        post(Human, "/api/v1/me/contacts/requests", contacts::ask),
        get(Human, "/api/v1/me/contacts/requests/sent", contacts::sent_requests),
        delete(Human, "/api/v1/me/contacts/requests/{id}", contacts::cancel),
        post(Human, "/api/v1/me/contacts/requests/{id}/approve", contacts::approve),
        post(Human, "/api/v1/me/contacts/requests/{id}/reject", contacts::reject),
    ]
}

fn controls() -> [Route; 10] {
    use Kind::Human;
    use human::control::{executions, interrupt, play, stop};
    [
        get(Human, "/api/v1/me/agents/{id}/executions", executions),
        post(Human, "/api/v1/me/agents/{id}/executions/{execution_id}/interrupt", interrupt::everywhere),
        post(Human, "/api/v1/me/agents/{id}/executions/{execution_id}/stop", stop::everywhere),
        post(Human, "/api/v1/me/agents/{id}/executions/{execution_id}/play", play::everywhere),
        post(Human, "/api/v1/me/chats/{chat_id}/agents/interrupt", interrupt::room),
        post(Human, "/api/v1/me/chats/{chat_id}/agents/stop", stop::room),
        post(Human, "/api/v1/me/chats/{chat_id}/agents/play", play::room),
        post(Human, "/api/v1/me/chats/{chat_id}/agents/{id}/interrupt", interrupt::agent),
        post(Human, "/api/v1/me/chats/{chat_id}/agents/{id}/stop", stop::agent),
        post(Human, "/api/v1/me/chats/{chat_id}/agents/{id}/play", play::agent),
    ]
}

fn memories() -> [Route; 11] {
    use Kind::{Agent, Human};
    use agent::memories as of_agents;
    use human::memories as of_people;
    [
        get(Agent, "/api/v1/agent/memories", of_agents::list),
        post(Agent, "/api/v1/agent/memories", of_agents::store),
        get(Agent, "/api/v1/agent/memories/{id}", of_agents::show),
        post(Agent, "/api/v1/agent/memories/{id}/supersede", of_agents::supersede),
        post(Agent, "/api/v1/agent/memories/{id}/archive", of_agents::archive),
        get(Human, "/api/v1/me/memories", of_people::list),
        get(Human, "/api/v1/me/memories/{id}", of_people::show),
        delete(Human, "/api/v1/me/memories/{id}", of_people::remove),
        post(Human, "/api/v1/me/memories/{id}/supersede", of_people::supersede),
        post(Human, "/api/v1/me/memories/{id}/archive", of_people::archive),
        post(Human, "/api/v1/me/memories/{id}/restore", of_people::restore),
    ]
}

/// Files and the task board, the same on both sides.
fn kept_in_rooms() -> [Route; 20] {
    use Kind::{Agent, Human};
    [
        put(Agent, "/api/v1/agent/chats/{chat_id}/files", files::upload),
        get(Agent, "/api/v1/agent/chats/{chat_id}/files", files::list),
        get(Agent, "/api/v1/agent/chats/{chat_id}/files/{id}", files::download),
        get(Agent, "/api/v1/agent/chats/{chat_id}/tasks", tasks::list),
        post(Agent, "/api/v1/agent/chats/{chat_id}/tasks", tasks::create),
        get(Agent, "/api/v1/agent/chats/{chat_id}/tasks/{id}", tasks::show),
        post(Agent, "/api/v1/agent/chats/{chat_id}/tasks/{id}", tasks::update),
        get(Agent, "/api/v1/agent/chats/{chat_id}/tasks/{id}/history", tasks::history),
        get(Agent, "/api/v1/agent/chats/{chat_id}/board", tasks::board),
        put(Agent, "/api/v1/agent/chats/{chat_id}/board", tasks::set_board),
        put(Human, "/api/v1/me/chats/{chat_id}/files", files::upload),
        get(Human, "/api/v1/me/chats/{chat_id}/files", files::list),
        get(Human, "/api/v1/me/chats/{chat_id}/files/{id}", files::download),
        get(Human, "/api/v1/me/chats/{chat_id}/tasks", tasks::list),
        post(Human, "/api/v1/me/chats/{chat_id}/tasks", tasks::create),
        get(Human, "/api/v1/me/chats/{chat_id}/tasks/{id}", tasks::show),
        post(Human, "/api/v1/me/chats/{chat_id}/tasks/{id}", tasks::update),
        get(Human, "/api/v1/me/chats/{chat_id}/tasks/{id}/history", tasks::history),
        get(Human, "/api/v1/me/chats/{chat_id}/board", tasks::board),
        put(Human, "/api/v1/me/chats/{chat_id}/board", tasks::set_board),
    ]
}

fn changes_of_rooms() -> [Route; 9] {
    use Kind::{Agent, Human};
    use human::deletions;
    [
        patch(Agent, "/api/v1/agent/chats/{chat_id}", agent::rename),
        post(Agent, "/api/v1/agent/delegation/token", agent::delegation),
        patch(Human, "/api/v1/me/chats/{chat_id}", human::rename),
        delete(Human, "/api/v1/me/chats/{chat_id}", human::delete_chat),
        post(Human, "/api/v1/me/chats/{chat_id}/archive", human::archive),
        post(Human, "/api/v1/me/chats/{chat_id}/unarchive", human::unarchive),
        post(Human, "/api/v1/me/chats/bulk-delete", deletions::chats),
        post(Human, "/api/v1/me/agents/bulk-delete", deletions::agents),
        get(Human, "/api/v1/me/bulk-deletions/{id}", deletions::show),
    ]
}

fn of_people() -> [Route; 14] {
    use Kind::Human;
    [
        get(Human, "/api/v1/me/profile", human::profile),
        put(Human, "/api/v1/me/profile", human::update_profile),
        get(Human, "/api/v1/me/agents", human::agents),
        post(Human, "/api/v1/me/agents/register", human::register_agent),
        delete(Human, "/api/v1/me/agents/{id}", human::delete_agent),
        get(Human, "/api/v1/me/peers", human::peers),
        get(Human, "/api/v1/me/chats", human::chats),
        post(Human, "/api/v1/me/chats", human::create_chat),
        get(Human, "/api/v1/me/chats/{chat_id}", human::chat),
        get(Human, "/api/v1/me/chats/{chat_id}/messages", human::messages),
        post(Human, "/api/v1/me/chats/{chat_id}/messages", human::send),
        get(Human, "/api/v1/me/chats/{chat_id}/participants", human::participants),
        post(Human, "/api/v1/me/chats/{chat_id}/participants", human::add_participant),
        delete(Human, "/api/v1/me/chats/{chat_id}/participants/{id}", human::remove_participant),
    ]
}

/// The router of a platform: the table, the page, and the envelope around all of it.
pub(crate) fn router(context: Context) -> Router {
    let mut router = Router::new();
    for route in table() {
        let check = from_fn_with_state((context.clone(), route.kind), authenticate);
        router = router.route(route.path, route.handler.route_layer(check));
    }
    router.fallback(page).layer(from_fn(envelope)).with_state(context)
}

/// What no route takes: a file of the page, or nothing.
async fn page(request: Request) -> Response {
    let path = request.uri().path();
    if path.starts_with("/api/") {
        return Problem::not_found().into_response();
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return http::StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    web::serve(path, request.headers())
}

fn get<H: Handler<T, Context>, T: 'static>(kind: Kind, path: &'static str, handler: H) -> Route {
    Route { method: Method::GET, path, kind, handler: on(MethodFilter::GET, handler) }
}

fn post<H: Handler<T, Context>, T: 'static>(kind: Kind, path: &'static str, handler: H) -> Route {
    Route { method: Method::POST, path, kind, handler: on(MethodFilter::POST, handler) }
}

fn put<H: Handler<T, Context>, T: 'static>(kind: Kind, path: &'static str, handler: H) -> Route {
    Route { method: Method::PUT, path, kind, handler: on(MethodFilter::PUT, handler) }
}

fn patch<H: Handler<T, Context>, T: 'static>(kind: Kind, path: &'static str, handler: H) -> Route {
    Route { method: Method::PATCH, path, kind, handler: on(MethodFilter::PATCH, handler) }
}

fn delete<H: Handler<T, Context>, T: 'static>(kind: Kind, path: &'static str, handler: H) -> Route {
    Route { method: Method::DELETE, path, kind, handler: on(MethodFilter::DELETE, handler) }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::Arc;

    use axum::body::Body;
    use http::StatusCode;
    use hyper::service::Service;
    use hyper_util::service::TowerToHyperService;
    use secrecy::SecretString;
    use tokio_util::sync::CancellationToken;

    use super::super::AdminToken;
    use super::*;
    use crate::app::App;
    use crate::server::Peer;
    use crate::socket::Switchboard;
    use crate::store::DataDir;

    #[tokio::test]
    async fn administration_is_for_this_machine_alone() {
        let temp = tempfile::tempdir().unwrap();
        let board = Arc::new(Switchboard::new(1).0);
        let app = App::open(&DataDir::open(temp.path()).unwrap(), board.clone()).await.unwrap();
        let token = AdminToken::new(SecretString::from("s3cret"));
        let router =
            TowerToHyperService::new(router(Context::new(app, board, token, &CancellationToken::new())));
        let call = async |peer: Option<&str>| {
            let mut request = Request::post("/api/v1/admin/users")
                .header("authorization", "Bearer s3cret")
                .header("content-type", "application/json")
                .body(Body::from(r#"{"user":{"name":"Ann"}}"#))
                .unwrap();
            if let Some(peer) = peer {
                request.extensions_mut().insert(Peer(peer.parse::<SocketAddr>().unwrap()));
            }
            router.call(request).await.unwrap().status()
        };
        for peer in ["127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
            assert_eq!(call(Some(peer)).await, StatusCode::CREATED, "{peer}");
        }
        for peer in [Some("10.0.0.7:1"), Some("[2001:db8::1]:1"), None] {
            assert_eq!(call(peer).await, StatusCode::NOT_FOUND, "{peer:?}");
        }
    }

    #[test]
    fn no_line_is_there_twice_and_paths_tell_who_may_call() {
        let table = table();
        let mut lines: Vec<String> =
            table.iter().map(|route| format!("{} {}", route.method, route.path)).collect();
        lines.sort();
        let all = lines.len();
        lines.dedup();
        assert_eq!(lines.len(), all);
        for route in table {
            let expected = match route.path {
                path if path.starts_with("/api/v1/agent/") => Kind::Agent,
                path if path.starts_with("/api/v1/me/") => Kind::Human,
                path if path.starts_with("/api/v1/admin/") => Kind::Admin,
                _ => Kind::Anyone,
            };
            assert_eq!(route.kind, expected, "{}", route.path);
        }
    }
}
