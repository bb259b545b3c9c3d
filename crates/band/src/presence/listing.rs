//! The list of the agent's rooms, while it is asked for.

use std::pin::Pin;

use band_wire::ChatId;

use crate::rest::RestClient;

/// Why there is no list stands in the log.
type Listed = Result<Vec<ChatId>, ()>;

/// At most one request for the list.
#[derive(Default)]
pub(crate) struct Listing(Option<Pin<Box<dyn Future<Output = Listed> + Send>>>);

impl Listing {
    /// Asks for the list; what was asked before does not count any more.
    pub(crate) fn ask(&mut self, rest: RestClient) {
        self.0 = Some(Box::pin(async move {
            let chats = rest.all_chats().await.map_err(|err| {
                tracing::warn!(target: "band.presence", %err, "the agent's rooms could not be listed");
            })?;
            Ok(chats.into_iter().map(|chat| chat.id).collect())
        }));
    }

    /// The answer, once; never when nothing is asked. May be dropped and called again.
    pub(crate) async fn answer(&mut self) -> Listed {
        match &mut self.0 {
            Some(asked) => {
                let rooms = asked.await;
                self.0 = None;
                rooms
            }
            None => std::future::pending().await,
        }
    }
}
