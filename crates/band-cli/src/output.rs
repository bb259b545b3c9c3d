//! Variables, as shell lines or as JSON.

use clap::ValueEnum;
use serde_json::{Map, Value};

use crate::shell::export;

/// What a command that prints variables writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// Lines for a POSIX shell: eval "$(band env)"
    #[default]
    Shell,
    /// One JSON object
    Json,
}

/// The socket of a platform, by its address.
pub(crate) fn socket_url(base_url: &str) -> String {
    base_url.replacen("http", "ws", 1) + band_wire::phx::SOCKET_PATH
}

/// Variables in their order.
#[derive(Default)]
pub(crate) struct Variables(Vec<(&'static str, String)>);

impl Variables {
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.0.push((name, value.into()));
    }

    /// The addresses of a platform: `BAND_REST_URL` and `BAND_WS_URL`.
    pub(crate) fn set_addresses(&mut self, base_url: &str) {
        self.set("BAND_REST_URL", base_url);
        self.set("BAND_WS_URL", socket_url(base_url));
    }

    /// The text to print. `comment` goes above shell lines; JSON has no place for it.
    pub(crate) fn render(&self, output: Output, comment: Option<&str>) -> String {
        match output {
            Output::Shell => {
                let comment = comment.map(|text| format!("# {text}"));
                let lines = self.0.iter().map(|(name, value)| export(name, value));
                comment.into_iter().chain(lines).collect::<Vec<_>>().join("\n")
            }
            Output::Json => {
                let object: Map<_, _> = self
                    .0
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), Value::from(value.as_str())))
                    .collect();
                format!("{:#}", Value::Object(object))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_say_the_same() {
        let mut variables = Variables::default();
        variables.set_addresses("http://127.0.0.1:4000");
        variables.set("BAND_API_KEY", "it's");
        assert_eq!(
            variables.render(Output::Shell, Some("Ann")),
            "# Ann\nexport BAND_REST_URL=http://127.0.0.1:4000\n\
             export BAND_WS_URL=ws://127.0.0.1:4000/api/v1/socket/websocket\nexport BAND_API_KEY='it'\\''s'"
        );
        let json: Value = serde_json::from_str(&variables.render(Output::Json, Some("Ann"))).unwrap();
        assert_eq!(json["BAND_WS_URL"], "ws://127.0.0.1:4000/api/v1/socket/websocket");
        assert_eq!(json["BAND_API_KEY"], "it's");
    }
}
