//! Logging and a host that has its own.

use std::sync::{Arc, Mutex};

use band::logging::{LogLevel, LogSettings};
use tracing_subscriber::Registry;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl<S: tracing::Subscriber> Layer<S> for Heard {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        self.0.lock().unwrap().push(event.metadata().target().to_owned());
    }
}

#[test]
fn what_the_host_has_set_up_stays_as_it_is() {
    let heard = Heard::default();
    tracing::subscriber::set_global_default(Registry::default().with(heard.clone())).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut settings = LogSettings::from(&band::config::Env::default()).unwrap();
    (settings.log_level, settings.log_file) = (LogLevel::Error, Some(folder.path().join("band.log")));
    settings.configure().unwrap();
    tracing::info!(target: "host", "one");
    tracing::info!(target: "band.agent", "two");
    assert_eq!(*heard.0.lock().unwrap(), ["host", "band.agent"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("band.log")).unwrap(), "");
}
