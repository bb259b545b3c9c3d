//! People of the site.

use band_wire::rest::{Issues, UpdateProfile, UserDetails};
use band_wire::{Stamp, UserId};

use super::plan::{Plan, User, Write};
use super::{Refusal, handles, text};

/// The longest first or last name, in characters.
const MAX_NAME: usize = 100;

/// A person to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewUser {
    /// First name, then the rest.
    pub name: String,
    /// Made from the handle when there is none.
    pub email: Option<String>,
    /// Whether they administer the site.
    pub is_admin: bool,
}

/// Plans a new person. `handle_taken` says which handles are in use.
///
/// # Errors
/// 422 when the name is blank, too long, or of several lines.
pub fn add(
    id: UserId,
    request: &NewUser,
    now: Stamp,
    handle_taken: impl FnMut(&str) -> bool,
) -> Result<Plan<User>, Refusal> {
    let name = request.name.trim();
    let mut issues = Issues::new();
    check_name("/user/name", name, &mut issues);
    if !text::has_visible(name) {
        issues.add("/user/name", "can't be blank");
    }
    if !issues.is_empty() {
        return Err(Refusal::invalid(issues));
    }
    let handle = handles::unique(&handles::slug(name, "user"), handle_taken);
    let (first, last) = name.split_once(char::is_whitespace).unwrap_or((name, ""));
    let last = Some(last.trim()).filter(|last| !last.is_empty());
    let user = User {
        id,
        email: request.email.clone().unwrap_or_else(|| format!("{handle}@localhost")),
        handle,
        first_name: Some(first.to_owned()),
        last_name: last.map(str::to_owned),
        is_admin: request.is_admin,
        inserted_at: now,
        updated_at: now,
    };
    Ok(Plan { writes: vec![Write::AddUser(user.clone())], pushes: Vec::new(), answer: user })
}

/// Plans a change of names. What is absent stays; a blank name is taken away.
///
/// # Errors
/// 422 when a name is too long or of several lines.
pub fn update(user: User, request: UpdateProfile, now: Stamp) -> Result<Plan<User>, Refusal> {
    let mut issues = Issues::new();
    for (field, name) in [("first_name", &request.first_name), ("last_name", &request.last_name)] {
        check_name(&format!("/user/{field}"), name.as_deref().unwrap_or_default(), &mut issues);
    }
    if !issues.is_empty() {
        return Err(Refusal::invalid(issues));
    }
    let merge = |new: Option<String>, old: Option<String>| match new {
        Some(name) => Some(name.trim().to_owned()).filter(|name| !name.is_empty()),
        None => old,
    };
    let user = User {
        first_name: merge(request.first_name, user.first_name.clone()),
        last_name: merge(request.last_name, user.last_name.clone()),
        updated_at: now,
        ..user
    };
    let write = Write::NameUser {
        user: user.id,
        first_name: user.first_name.clone(),
        last_name: user.last_name.clone(),
        at: now,
    };
    Ok(Plan { writes: vec![write], pushes: Vec::new(), answer: user })
}

fn check_name(pointer: &str, name: &str, issues: &mut Issues) {
    if name.chars().count() > MAX_NAME {
        issues.add(pointer, format!("should be at most {MAX_NAME} character(s)"));
    }
    if name.contains(char::is_control) {
        issues.add(pointer, "must not contain control characters");
    }
}

/// A person as they see themselves.
pub fn details(user: &User) -> UserDetails {
    UserDetails {
        id: user.id,
        email: user.email.clone(),
        handle: user.handle.clone(),
        role: if user.is_admin { "admin" } else { "user" }.to_owned(),
        first_name: user.first_name.clone(),
        last_name: user.last_name.clone(),
        listed_in_directory: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::test_site::{at, user_id};

    fn added(name: &str) -> Result<User, Refusal> {
        let request = NewUser { name: name.to_owned(), email: None, is_admin: false };
        add(user_id(1), &request, at(1), |handle| handle == "taken").map(|plan| plan.answer)
    }

    #[test]
    fn a_name_gives_handle_mail_and_both_names() {
        let ann = added(" Ann  Lee Wu ").unwrap();
        assert_eq!((ann.first_name.as_deref(), ann.last_name.as_deref()), (Some("Ann"), Some("Lee Wu")));
        assert_eq!((ann.handle.as_str(), ann.email.as_str()), ("ann-lee-wu", "ann-lee-wu@localhost"));
        assert_eq!(added("Taken").unwrap().handle, "taken-2");
        assert_eq!(added("日本").unwrap().handle, "user");
    }

    #[test]
    fn blank_long_and_broken_names_are_refused() {
        for name in ["", "\u{200b}", "a\nb", &"x".repeat(101)] {
            assert_eq!(added(name).unwrap_err().status, 422, "{name:?}");
        }
    }

    #[test]
    fn what_is_absent_stays_and_blank_takes_away() {
        let ann = added("Ann Lee").unwrap();
        let request = UpdateProfile { first_name: Some(" Anna ".to_owned()), last_name: None };
        let anna = update(ann, request, at(2)).unwrap().answer;
        assert_eq!(anna.full_name(), "Anna Lee");
        let request = UpdateProfile { first_name: None, last_name: Some(" ".to_owned()) };
        let anna = update(anna, request, at(3)).unwrap().answer;
        assert_eq!((anna.full_name().as_str(), anna.last_name), ("Anna", None));
    }

    #[test]
    fn a_person_without_names_is_called_by_the_handle() {
        let ann = User { first_name: None, last_name: None, ..added("Ann").unwrap() };
        assert_eq!(ann.full_name(), "ann");
    }
}
