//! Between columns and the types of the domain.

use band_wire::{Id, Stamp};
use rusqlite::Row;
use rusqlite::types::Type;
use uuid::Uuid;

/// Reads an id.
pub(super) fn id<M>(row: &Row<'_>, column: usize) -> rusqlite::Result<Id<M>> {
    row.get::<_, Uuid>(column).map(Id::new)
}

/// Reads an id that may be missing.
pub(super) fn opt_id<M>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Id<M>>> {
    Ok(row.get::<_, Option<Uuid>>(column)?.map(Id::new))
}

/// Reads a point in time.
pub(super) fn stamp(row: &Row<'_>, column: usize) -> rusqlite::Result<Stamp> {
    row.get(column).map(Stamp::from_micros)
}

/// Reads a point in time that may be missing.
pub(super) fn opt_stamp(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Stamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Stamp::from_micros))
}

/// Reads a text that one of our own words or formats must fit.
pub(super) fn parsed<T>(
    row: &Row<'_>,
    column: usize,
    parse: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    parse(text).ok_or_else(|| {
        let text = format!("unknown value {text:?}");
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, text.into())
    })
}

/// A point in time as it is stored.
pub(super) fn micros(stamp: Option<Stamp>) -> Option<i64> {
    stamp.map(Stamp::as_micros)
}
