//! What the command tells of itself: log lines, and spans in a build that has them.

use anyhow::Result;
use band::logging::LogSettings;

/// Set up for as long as a command runs.
#[derive(Debug)]
pub(crate) struct Telemetry {
    #[cfg(feature = "otel")]
    otel: Option<band::otel::Otel>,
}

impl Telemetry {
    /// As the environment says; `quiet` is a filter that holds where it says nothing.
    pub(crate) fn start(quiet: Option<&str>) -> Result<Self> {
        let mut settings = LogSettings::from_env()?;
        if settings == LogSettings::default() {
            settings.filter = quiet.map(str::to_owned);
        }
        #[cfg(feature = "otel")]
        {
            let otel = band::otel::Otel::from_env()?;
            match &otel {
                Some(otel) => otel.configure(&settings)?,
                None => settings.configure()?,
            }
            Ok(Self { otel })
        }
        #[cfg(not(feature = "otel"))]
        {
            settings.configure()?;
            Ok(Self {})
        }
    }

    /// Sends what is left.
    #[cfg_attr(not(feature = "otel"), expect(clippy::unused_async, reason = "there is nothing to send"))]
    pub(crate) async fn end(self) {
        #[cfg(feature = "otel")]
        if let Some(otel) = self.otel {
            otel.shutdown().await;
        }
    }
}
