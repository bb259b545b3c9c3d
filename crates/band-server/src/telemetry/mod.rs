//! Request ids and the request log.

mod request_id;
mod request_log;

pub(crate) use request_id::{RequestId, X_REQUEST_ID};
pub(crate) use request_log::record;
