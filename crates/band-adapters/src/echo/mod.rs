//! Repeats what it is told: for first steps, drills and demos.

mod text;

use std::time::Duration;

use band::{AdapterResult, RawHistory, SimpleAdapter, Turn};

use self::text::{drill, without_mentions};

/// Answers `echo: ` and the text without its mentions, to whoever wrote it.
///
/// Two marks in the text make it a drill; they stay in the answer:
/// `[[sleep:MS]]` works that many milliseconds first, an hour at most; `[[fail]]` makes every attempt fail.
#[derive(Debug, Clone, Copy, Default)]
pub struct Echo;

impl SimpleAdapter for Echo {
    type Converter = RawHistory;

    async fn on_message(&self, turn: Turn) -> AdapterResult {
        let drill = drill(turn.text());
        if let Some(millis) = drill.sleep_millis {
            let nap = tokio::time::sleep(Duration::from_millis(millis));
            tokio::select! {
                () = nap => {}
                () = turn.cancelled() => return Err(band::Error::Cancelled.into()),
            }
        }
        if drill.fail {
            return Err("the message asked this turn to fail".into());
        }
        let rest = without_mentions(turn.text(), &turn.message.mentions());
        turn.reply(format!("echo: {rest}").trim_end()).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use band::FrameworkAdapter;
    use band::testing::FakeTools;

    use super::*;

    async fn answer(text: &str) -> Result<String, String> {
        let room = FakeTools::new();
        Echo.on_event(room.turn(text)).await.map_err(|err| err.to_string())?;
        let sent = room.sent();
        assert_eq!(sent[0].mentions, [FakeTools::ada()], "the answer is for whoever wrote");
        Ok(sent[0].content.clone())
    }

    #[tokio::test]
    async fn the_text_comes_back_without_its_mentions() {
        assert_eq!(answer("hello").await.unwrap(), "echo: hello");
        assert_eq!(
            answer("@[[00000000-0000-0000-0000-000000000001]] hello\nyou").await.unwrap(),
            "echo: hello\nyou"
        );
        assert_eq!(answer("@[[00000000-0000-0000-0000-000000000001]]").await.unwrap(), "echo:");
    }

    #[tokio::test(start_paused = true)]
    async fn a_sleep_mark_works_first_and_stays_in_the_text() {
        let before = tokio::time::Instant::now();
        assert_eq!(answer("wait [[sleep:1500]]").await.unwrap(), "echo: wait [[sleep:1500]]");
        assert_eq!(before.elapsed().as_millis(), 1500);
    }

    #[tokio::test]
    async fn a_fail_mark_fails_every_attempt() {
        for _ in 0..2 {
            assert_eq!(answer("[[fail]]").await.unwrap_err(), "the message asked this turn to fail");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_nap_ends_when_the_turn_is_asked_to_end() {
        let room = FakeTools::new();
        let turn = room.turn("[[sleep:60000]]");
        room.cancel();
        let err = Echo.on_event(turn).await.unwrap_err();
        assert_eq!(err.kind(), band::AdapterErrorKind::Cancelled);
        assert!(room.sent().is_empty());
    }
}
