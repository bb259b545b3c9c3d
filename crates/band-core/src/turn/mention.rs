//! Whom a message that an agent sends is for.

use band_wire::{AgentId, ParticipantId};

use crate::room::Member;

/// Why a message can't be addressed. The texts go to models: each lists the handles that would do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MentionError {
    /// A message needs someone to be for.
    #[error("At least one mention is required{}", hint(handles))]
    Missing {
        /// Those that would do.
        handles: Vec<String>,
    },
    /// Nobody in the room has that id, handle or name.
    #[error("Unknown participant '{identifier}'. Available handles: {}", list(handles))]
    Unknown {
        /// As it was given, without `@`.
        identifier: String,
        /// Those that would do.
        handles: Vec<String>,
    },
    /// Several in the room have that name.
    #[error("Several participants are called '{name}'. Use one of their handles: {}", list(handles))]
    Ambiguous {
        /// As it was given.
        name: String,
        /// Theirs.
        handles: Vec<String>,
    },
    /// The agent named itself and nobody else.
    #[error("cannot_mention_self: a message is for others. Available handles: {}", list(handles))]
    OnlySelf {
        /// Those that would do.
        handles: Vec<String>,
    },
}

/// Whom a message is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addressed {
    /// Each once, in the order they were named.
    pub to: Vec<Member>,
    /// The agent had named itself beside others, and was left out.
    pub self_dropped: bool,
}

/// Finds those whom `identifiers` name: by id, else by handle (with or without `@`, whatever the case), else
/// by a name that only one of them has.
///
/// # Errors
/// Nobody is named, someone is not in the room, a name is not unique, or the agent names only itself.
pub fn address<I: AsRef<str>>(
    identifiers: &[I],
    members: &[Member],
    me: AgentId,
) -> Result<Addressed, MentionError> {
    let me = ParticipantId::from(me);
    let handles = || {
        let others = members.iter().filter(|member| member.id != me);
        others.filter_map(|member| member.handle.clone()).collect::<Vec<_>>()
    };
    let mut to: Vec<Member> = Vec::with_capacity(identifiers.len());
    let mut self_dropped = false;
    for identifier in identifiers {
        let member = find(identifier.as_ref(), members, handles)?;
        if member.id == me {
            self_dropped = true;
        } else if to.iter().all(|known| known.id != member.id) {
            to.push(member.clone());
        }
    }
    match (to.is_empty(), self_dropped) {
        (false, _) => Ok(Addressed { to, self_dropped }),
        (true, true) => Err(MentionError::OnlySelf { handles: handles() }),
        (true, false) => Err(MentionError::Missing { handles: handles() }),
    }
}

fn find<'m>(
    identifier: &str,
    members: &'m [Member],
    handles: impl Fn() -> Vec<String>,
) -> Result<&'m Member, MentionError> {
    match seek(identifier, members) {
        Found::One(member) => Ok(member),
        Found::Nobody => {
            Err(MentionError::Unknown { identifier: bare(identifier).to_owned(), handles: handles() })
        }
        Found::Several(handles) => {
            Err(MentionError::Ambiguous { name: bare(identifier).to_owned(), handles })
        }
    }
}

/// Whom an identifier names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<'m> {
    /// This one.
    One(&'m Member),
    /// Nobody of them.
    Nobody,
    /// It is a name that several have: their handles.
    Several(Vec<String>),
}

/// Finds whom an identifier names: by id, else by handle (with or without `@`, whatever the case), else by a
/// name that only one has.
pub fn seek<'m>(identifier: &str, members: &'m [Member]) -> Found<'m> {
    let wanted = bare(identifier);
    if wanted.is_empty() {
        return Found::Nobody;
    }
    let by_id = wanted.parse().ok().and_then(|id: ParticipantId| members.iter().find(|m| m.id == id));
    let folded = wanted.to_lowercase();
    let has_handle = |m: &&Member| m.handle.as_deref().is_some_and(|handle| fold(handle) == folded);
    if let Some(member) = by_id.or_else(|| members.iter().find(has_handle)) {
        return Found::One(member);
    }
    let has_name = |m: &&Member| m.name.as_deref().is_some_and(|name| name.trim().to_lowercase() == folded);
    let named: Vec<&Member> = members.iter().filter(has_name).collect();
    match named.as_slice() {
        [] => Found::Nobody,
        [member] => Found::One(member),
        several => Found::Several(several.iter().filter_map(|member| member.handle.clone()).collect()),
    }
}

fn bare(identifier: &str) -> &str {
    identifier.trim().trim_start_matches('@').trim()
}

fn fold(handle: &str) -> String {
    bare(handle).to_lowercase()
}

fn list(handles: &[String]) -> String {
    let quoted: Vec<String> = handles.iter().map(|handle| format!("'{handle}'")).collect();
    format!("[{}]", quoted.join(", "))
}

fn hint(handles: &[String]) -> String {
    if handles.is_empty() {
        return String::new();
    }
    format!(". Available handles: {}. Use participant handles from the list.", list(handles))
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use band_wire::rest::SenderType;
    use uuid::Uuid;

    use super::*;

    fn member(n: u128, handle: &str, name: &str) -> Member {
        Member {
            id: Id::new(Uuid::from_u128(n)),
            kind: SenderType::User.into(),
            name: Some(name.to_owned()),
            handle: Some(handle.to_owned()),
            description: None,
        }
    }

    fn room() -> Vec<Member> {
        vec![
            member(1, "ada", "Ada"),
            member(2, "bob", "Bob"),
            member(3, "bob/two", "Bob"),
            member(9, "ada/me", "Me"),
        ]
    }

    fn to(identifiers: &[&str]) -> Result<Vec<u128>, String> {
        let me = Id::new(Uuid::from_u128(9));
        address(identifiers, &room(), me)
            .map(|found| found.to.iter().map(|member| member.id.uuid().as_u128()).collect())
            .map_err(|err| err.to_string())
    }

    #[test]
    fn people_are_found_by_id_handle_or_unique_name() {
        let id = Uuid::from_u128(2).to_string();
        assert_eq!(to(&["@ADA", &id, "bob/two", "ada"]), Ok(vec![1, 2, 3]));
        assert_eq!(to(&["Ada", "ada/me"]), Ok(vec![1]));
    }

    #[test]
    fn each_refusal_says_who_would_do() {
        let all = "['ada', 'bob', 'bob/two']";
        let table = [
            (
                &[] as &[&str],
                format!(
                    "At least one mention is required. Available handles: {all}. Use participant handles from \
                     the list."
                ),
            ),
            (&["@eve"], format!("Unknown participant 'eve'. Available handles: {all}")),
            (&["ada", " "], format!("Unknown participant ''. Available handles: {all}")),
            (&["bob", "Bob "], String::new()),
            (&["ME"], format!("cannot_mention_self: a message is for others. Available handles: {all}")),
        ];
        for (identifiers, expected) in table {
            let said = to(identifiers).err().unwrap_or_default();
            assert_eq!(said, expected, "{identifiers:?}");
        }
        let twins = [member(1, "a/x", "Twin"), member(2, "a/y", "Twin")];
        let err = address(&["twin"], &twins, Id::new(Uuid::from_u128(9))).unwrap_err();
        assert_eq!(
            err.to_string(),
            "Several participants are called 'twin'. Use one of their handles: ['a/x', 'a/y']"
        );
    }
}
