//! TLS for both doors of a platform: rustls with ring, certificates judged as the operating system does.
//!
//! No process-wide crypto provider is installed: that is the program's choice, not a library's.

use std::sync::{Arc, Mutex, PoisonError};

use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::BuilderVerifierExt;

use crate::error::{Error, Result};

/// The configuration for encrypted connections, made on first use. A failure is not remembered.
pub(crate) fn verified() -> Result<Arc<ClientConfig>> {
    static SHARED: Mutex<Option<Arc<ClientConfig>>> = Mutex::new(None);
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(config) = shared.as_ref() {
        return Ok(Arc::clone(config));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map_err(|err| Error::Config(format!("TLS can't be set up with this system's certificates: {err}")))?
        .with_no_client_auth();
    Ok(Arc::clone(shared.insert(Arc::new(config))))
}

/// The configuration of the REST client: HTTP/2 where the server has it. Plain connections never look at
/// it, so they get one that trusts nobody and reads no certificates.
pub(crate) fn for_rest(encrypted: bool) -> Result<ClientConfig> {
    if encrypted {
        let mut config = ClientConfig::clone(&*verified()?);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        return Ok(config);
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|err| Error::Config(format!("TLS can't be set up: {err}")))?;
    Ok(config.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_connections_need_no_certificates() {
        let config = for_rest(false).unwrap();
        assert!(config.alpn_protocols.is_empty());
    }
}
