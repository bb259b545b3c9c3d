//! What an adapter says when it could not do its part.

use std::fmt;

use crate::error::{DeliveryError, Error};

/// Why an adapter did not finish. Every error converts into it with `?`, a plain text too.
///
/// Its text goes to the failed mark and to the logs; the room only sees a generic notice.
pub struct AdapterError {
    kind: AdapterErrorKind,
    source: Box<dyn std::error::Error + Send + Sync>,
}

/// What an [`AdapterError`] means for the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdapterErrorKind {
    /// The turn failed.
    Failed,
    /// The turn failed, and the room knows: nothing more is said of it, there or in the log.
    AlreadyReported,
    /// The adapter did not take the message: it stays open, and no attempt is charged.
    NotAccepted,
    /// The platform has stopped the agent in this room: the message stays open.
    Stopped,
    /// The turn ended because it was asked to.
    Cancelled,
}

impl AdapterError {
    /// The adapter did not take the message; it will be served again, and no attempt is charged.
    pub fn not_accepted(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { kind: AdapterErrorKind::NotAccepted, source: why.into() }
    }

    /// The turn failed, and [`Turn::fail`](crate::Turn::fail) has told the room why: the message is marked as failed,
    /// and the log says so at DEBUG alone. Where the room could not be told, it gets the generic notice all the same.
    ///
    /// ```
    /// use band::{AdapterError, AdapterResult, AgentFailure, Turn};
    ///
    /// async fn on_message(turn: Turn) -> AdapterResult {
    ///     let Err(err) = "7".parse::<u8>() else { return Ok(()) };
    ///     turn.fail(AgentFailure::new("my-model", "the model is away")).await?;
    ///     Err(AdapterError::already_reported(err))
    /// }
    /// ```
    pub fn already_reported(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { kind: AdapterErrorKind::AlreadyReported, source: why.into() }
    }

    /// The failed delivery, if this is one and no failure of the adapter's provider.
    pub fn delivery(&self) -> Option<&Error> {
        self.source.downcast_ref::<DeliveryError>().map(|failed| &failed.0)
    }

    /// The SDK's error in it, or this error as it was.
    pub(crate) fn into_error(self) -> Result<Error, Self> {
        let Self { kind, source } = self;
        match source.downcast::<Error>() {
            Ok(err) => Ok(*err),
            Err(source) => Err(Self { kind, source }),
        }
    }

    /// What it means for the message.
    pub const fn kind(&self) -> AdapterErrorKind {
        self.kind
    }
}

impl<E: Into<Box<dyn std::error::Error + Send + Sync>>> From<E> for AdapterError {
    fn from(source: E) -> Self {
        let source = source.into();
        let kind = match sdk_error(&*source) {
            Some(Error::Stopped { .. }) => AdapterErrorKind::Stopped,
            Some(Error::Cancelled) => AdapterErrorKind::Cancelled,
            _ => AdapterErrorKind::Failed,
        };
        Self { kind, source }
    }
}

fn sdk_error<'a>(source: &'a (dyn std::error::Error + Send + Sync + 'static)) -> Option<&'a Error> {
    let delivery = source.downcast_ref::<DeliveryError>().map(|failed| &failed.0);
    delivery.or_else(|| source.downcast_ref::<Error>())
}

/// The whole chain of causes, joined by colons.
impl fmt::Display for AdapterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = self.source.to_string();
        f.write_str(&said)?;
        let mut cause = self.source.source();
        while let Some(deeper) = cause {
            let text = deeper.to_string();
            if !said.contains(&text) {
                write!(f, ": {text}")?;
            }
            said = text;
            cause = deeper.source();
        }
        Ok(())
    }
}

impl fmt::Debug for AdapterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AdapterError({:?}, {self})", self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_error_and_any_text_converts_and_keeps_its_causes() {
        fn read() -> Result<(), AdapterError> {
            "x".parse::<u8>()?;
            Ok(())
        }
        let failed = read().unwrap_err();
        assert_eq!(failed.kind(), AdapterErrorKind::Failed);
        assert_eq!(failed.to_string(), "invalid digit found in string");
        assert_eq!(AdapterError::from("no model").to_string(), "no model");
    }

    #[test]
    fn what_the_sdk_refuses_keeps_its_meaning() {
        assert_eq!(AdapterError::from(Error::Cancelled).kind(), AdapterErrorKind::Cancelled);
        let refused = AdapterError::from(DeliveryError(crate::ApiError::new(403, "no").into()));
        assert_eq!(refused.delivery().and_then(Error::status), Some(403));
        assert_eq!(refused.to_string(), "status_code: 403, message: no");
        let stopped = Error::Stopped { room: band_wire::Id::new(uuid::Uuid::nil()) };
        assert_eq!(AdapterError::from(DeliveryError(stopped)).kind(), AdapterErrorKind::Stopped);
        assert!(AdapterError::from("the model is away").delivery().is_none());
        assert_eq!(AdapterError::not_accepted("busy").kind(), AdapterErrorKind::NotAccepted);
        assert_eq!(AdapterError::already_reported("told").kind(), AdapterErrorKind::AlreadyReported);
    }
}
