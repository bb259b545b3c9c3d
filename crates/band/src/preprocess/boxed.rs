//! The boxed twin.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use super::{Preprocessor, RoomContext};
use crate::adapter::AdapterResult;
use crate::turn::AgentInput;

type Processed<'a> = Pin<Box<dyn Future<Output = AdapterResult<Option<AgentInput>>> + Send + 'a>>;

/// Any preprocessor, by its trait alone.
pub(crate) struct BoxedPreprocessor(Box<dyn DynPreprocessor>);

impl BoxedPreprocessor {
    pub(crate) fn new(preprocessor: impl Preprocessor) -> Self {
        Self(Box::new(preprocessor))
    }
}

impl fmt::Debug for BoxedPreprocessor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BoxedPreprocessor")
    }
}

trait DynPreprocessor: Send + Sync {
    fn process<'a>(&'a self, context: &'a RoomContext, input: AgentInput) -> Processed<'a>;
}

impl<P: Preprocessor> DynPreprocessor for P {
    fn process<'a>(&'a self, context: &'a RoomContext, input: AgentInput) -> Processed<'a> {
        Box::pin(Preprocessor::process(self, context, input))
    }
}

impl Preprocessor for BoxedPreprocessor {
    async fn process(&self, context: &RoomContext, input: AgentInput) -> AdapterResult<Option<AgentInput>> {
        self.0.process(context, input).await
    }
}
