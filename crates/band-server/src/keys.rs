//! Keys, and other secrets that are shown once and kept as keyed hashes.
//!
//! A key is looked up by its hash under the secret of the data folder. Whoever can time the look-up learns
//! about the order of hashes, which tells nothing of a key without the secret; so no comparison of keys
//! themselves takes place. Keys are random enough that a fast hash keeps them safe.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

/// Random characters of a key; each carries six bits.
const RANDOM: usize = 32;

/// The longest text that is looked at as a key.
const MAX_KEY: usize = 256;

/// The URL-safe alphabet of base 64.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// What a secret is for. The same text under another purpose has another hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A person's key: `band_u_…`.
    UserKey,
    /// An agent's key: `band_a_…`.
    AgentKey,
    /// A one-time link to sign in by.
    SignInLink,
    /// A session of a browser.
    Session,
}

impl Purpose {
    const fn prefix(self) -> &'static str {
        match self {
            Self::UserKey => "band_u_",
            Self::AgentKey => "band_a_",
            Self::SignInLink => "band_l_",
            Self::Session => "band_s_",
        }
    }

    /// Keys of people and of agents share a purpose: whose a key is stands in the store.
    const fn domain(self) -> &'static [u8] {
        match self {
            Self::UserKey | Self::AgentKey => b"key\0",
            Self::SignInLink => b"link\0",
            Self::Session => b"session\0",
        }
    }
}

/// The hash of a secret, as it is stored.
pub type KeyHash = [u8; 32];

/// A secret that was just made. Its text exists here alone.
pub struct NewKey {
    /// What its holder is shown, once.
    pub text: SecretString,
    /// What is stored.
    pub hash: KeyHash,
    /// Its first characters, for lists: kind and time, nothing secret.
    pub prefix: String,
}

impl fmt::Debug for NewKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewKey").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

/// Makes and hashes keys under the secret of a data folder.
#[derive(Clone)]
pub struct Keyring {
    secret: [u8; 32],
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyring([REDACTED])")
    }
}

impl Keyring {
    /// With the secret of a data folder.
    pub const fn new(secret: [u8; 32]) -> Self {
        Self { secret }
    }

    /// Makes a secret: `band_a_<unix seconds>_<32 random characters>`, or the like of its purpose.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn issue(&self, purpose: Purpose, unix_seconds: i64) -> Result<NewKey, getrandom::Error> {
        let mut random = [0; RANDOM];
        getrandom::fill(&mut random)?;
        let letters = random.iter().filter_map(|byte| ALPHABET.get(usize::from(byte & 63)));
        let prefix = format!("{}{unix_seconds}", purpose.prefix());
        let text = format!("{prefix}_{}", letters.map(|letter| char::from(*letter)).collect::<String>());
        let text = SecretString::from(text);
        let hash = self.digest(purpose, text.expose_secret());
        Ok(NewKey { text, hash, prefix })
    }

    /// The hash of a text that someone presents; none for what can't be a key.
    pub fn hash(&self, purpose: Purpose, text: &str) -> Option<KeyHash> {
        (!text.is_empty() && text.len() <= MAX_KEY).then(|| self.digest(purpose, text))
    }

    fn digest(&self, purpose: Purpose, text: &str) -> KeyHash {
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        hasher.update(purpose.domain()).update(text.as_bytes());
        *hasher.finalize().as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_796_000_000;

    fn ring() -> Keyring {
        Keyring::new([7; 32])
    }

    #[test]
    fn a_key_has_its_prefix_the_time_and_32_random_characters() {
        for (purpose, prefix) in [(Purpose::UserKey, "band_u_"), (Purpose::AgentKey, "band_a_")] {
            let key = ring().issue(purpose, NOW).unwrap();
            let text = key.text.expose_secret();
            let random = text.strip_prefix(&format!("{prefix}{NOW}_")).unwrap();
            assert_eq!(random.len(), 32);
            assert!(random.bytes().all(|byte| ALPHABET.contains(&byte)));
            assert_eq!(ring().hash(purpose, text), Some(key.hash));
        }
    }

    #[test]
    fn no_two_keys_are_alike() {
        let [one, two] = [(); 2].map(|()| ring().issue(Purpose::UserKey, NOW).unwrap());
        assert_ne!(one.hash, two.hash);
    }

    #[test]
    fn a_hash_depends_on_secret_and_purpose() {
        let hash = ring().hash(Purpose::Session, "x");
        assert_ne!(hash, Keyring::new([8; 32]).hash(Purpose::Session, "x"));
        assert_ne!(hash, ring().hash(Purpose::SignInLink, "x"));
        assert_eq!(ring().hash(Purpose::UserKey, "x"), ring().hash(Purpose::AgentKey, "x"));
    }

    #[test]
    fn what_can_not_be_a_key_has_no_hash() {
        assert_eq!(ring().hash(Purpose::UserKey, ""), None);
        assert_eq!(ring().hash(Purpose::UserKey, &"x".repeat(257)), None);
    }

    #[test]
    fn debug_output_shows_no_secret() {
        let key = ring().issue(Purpose::UserKey, NOW).unwrap();
        let shown = format!("{key:?} {:?}", ring());
        assert!(!shown.contains(key.text.expose_secret()), "{shown}");
        assert!(!shown.contains("7, 7"), "{shown}");
    }
}
