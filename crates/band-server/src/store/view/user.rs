//! People.

use band_core::platform::deletions::DeletionRow;
use band_core::platform::plan::User;
use band_wire::rest::DeletedResource;
use band_wire::{DeletionId, UserId};
use rusqlite::{Row, params};

use super::View;
use crate::store::{StoreError, column};

const USER: &str =
    "SELECT id, handle, email, first_name, last_name, is_admin, inserted_at, updated_at FROM users";

impl View<'_> {
    /// A bulk deletion of a person.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn deletion(self, user: UserId, deletion: DeletionId) -> Result<Option<DeletionRow>, StoreError> {
        let sql = "SELECT id, user_id, resource, force, results, inserted_at FROM deletions
            WHERE id = ?1 AND user_id = ?2";
        self.first(sql, params![deletion.uuid(), user.uuid()], |row| {
            Ok(DeletionRow {
                id: column::id(row, 0)?,
                user: column::id(row, 1)?,
                resource: column::parsed(row, 2, DeletedResource::parse)?,
                force: row.get(3)?,
                results: column::parsed(row, 4, |text| serde_json::from_str(text).ok())?,
                at: column::stamp(row, 5)?,
            })
        })
    }

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
