//! The HTTP client of adapters that talk to a model provider.

use std::sync::Arc;
use std::time::Duration;

use band::{Error, Result};
use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::BuilderVerifierExt;

/// How long a connection may take to open.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// A client; certificates are judged as the operating system does. Redirects
/// are not followed: a key must not go to another host.
pub(crate) fn client(encrypted: bool) -> Result<reqwest::Client> {
    let failed =
        |err: &dyn std::fmt::Display| Error::Config(format!("the HTTP client can't be set up: {err}"));
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|err| failed(&err))?;
    let tls = if encrypted {
        let mut tls = builder.with_platform_verifier().map_err(|err| failed(&err))?.with_no_client_auth();
        tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        tls
    } else {
        builder.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth()
    };
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_LIMIT)
        .build()
        .map_err(|err| failed(&err))
}
