//! People.

use band_core::platform::plan::User;
use band_wire::UserId;
use rusqlite::{Row, params};

use super::View;
use crate::store::{StoreError, column};

const USER: &str =
    "SELECT id, handle, email, first_name, last_name, is_admin, inserted_at, updated_at FROM users";

impl View<'_> {
    /// One person.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn user(self, user: UserId) -> Result<Option<User>, StoreError> {
        self.first(&format!("{USER} WHERE id = ?1"), params![user.uuid()], read)
    }

    /// All people, the first one first.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn users(self) -> Result<Vec<User>, StoreError> {
        self.list(&format!("{USER} ORDER BY inserted_at, id"), &[], read)
    }

    /// The person with a handle.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn user_by_handle(self, handle: &str) -> Result<Option<User>, StoreError> {
        self.first(&format!("{USER} WHERE handle = ?1"), params![handle], read)
    }

    /// Whether nobody has been added yet.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn has_no_users(self) -> Result<bool, StoreError> {
        Ok(!self.exists("SELECT 1 FROM users", &[])?)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<User> {
    Ok(User {
        id: column::id(row, 0)?,
        handle: row.get(1)?,
        email: row.get(2)?,
        first_name: row.get(3)?,
        last_name: row.get(4)?,
        is_admin: row.get(5)?,
        inserted_at: column::stamp(row, 6)?,
        updated_at: column::stamp(row, 7)?,
    })
}
