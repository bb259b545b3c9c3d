//! One turn: effects, the verdict, and how a room is shown to a model.

mod judge;
mod ledger;
mod mention;
mod text;

pub use band_wire::tools::Effect;
pub use judge::{
    Cancel, Circumstances, Ending, GIVEN_UP, INTERNAL_FAILURE, MISSING_REPLY, Outcome, Ruling, SILENT,
    UNKNOWN_ERROR, judge,
};
pub use ledger::{Ledger, Verdict};
pub use mention::{Addressed, Found, MentionError, address, seek};
pub use text::{mention_name, one_line, shorten, show_mentions, speaker, speaker_line, update_line};
