//! The numbers as text, in Prometheus' exposition format 0.0.4.

use std::fmt::Write;

use super::histogram::Histogram;
use super::{Metrics, Numbers, OUTCOMES, get};

/// What the text is, for an HTTP header.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The numbers of several agents, each with a name that tells it apart in the label `agent`.
pub fn render<'a>(agents: impl IntoIterator<Item = (&'a str, &'a Metrics)>) -> String {
    let agents: Vec<(String, &Numbers)> =
        agents.into_iter().map(|(name, metrics)| (escaped(name), &*metrics.0)).collect();
    let mut page = Page { text: String::new(), agents };
    page.counter("turns_started", "Turns that began.", |numbers| get(&numbers.turns_started));
    page.outcomes();
    page.histogram("turn_duration_seconds", "How long turns took.", |numbers| &numbers.turn_seconds);
    page.histogram("claim_duration_seconds", "How long claims took to be answered.", |numbers| {
        &numbers.claim_seconds
    });
    page.gauge("rooms", "Rooms that are open.", |numbers| get(&numbers.rooms));
    page.gauge("queue_depth", "Messages that wait for their turn.", |numbers| get(&numbers.queued));
    page.gauge("acks_owed", "Marks that the platform is still owed.", |numbers| get(&numbers.acks_owed));
    page.gauge("connected", "Whether the socket is open.", |numbers| get(&numbers.connected));
    page.counter("reconnects", "Connections made again after the first.", |numbers| get(&numbers.reconnects));
    page.counter("events_dropped", "Events dropped because a queue was full.", |numbers| {
        get(&numbers.dropped)
    });
    page.counter("frames_malformed", "Frames and events that could not be read.", |numbers| {
        get(&numbers.malformed)
    });
    page.text
}

struct Page<'a> {
    text: String,
    agents: Vec<(String, &'a Numbers)>,
}

impl Page<'_> {
    fn counter(&mut self, name: &str, help: &str, value: impl Fn(&Numbers) -> u64) {
        self.values(&format!("band_{name}_total"), "counter", help, value);
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Fn(&Numbers) -> u64) {
        self.values(&format!("band_{name}"), "gauge", help, value);
    }

    fn values(&mut self, name: &str, kind: &str, help: &str, value: impl Fn(&Numbers) -> u64) {
        self.head(name, kind, help);
        for (agent, numbers) in &self.agents {
            line(&mut self.text, name, &format!("agent=\"{agent}\""), value(numbers));
        }
    }

    fn outcomes(&mut self) {
        let name = "band_turns_total";
        self.head(name, "counter", "Turns that ended, by outcome.");
        for (agent, numbers) in &self.agents {
            for ((_, outcome), count) in OUTCOMES.iter().zip(&numbers.turns_ended) {
                let labels = format!("agent=\"{agent}\",outcome=\"{outcome}\"");
                line(&mut self.text, name, &labels, get(count));
            }
        }
    }

    fn histogram(&mut self, name: &str, help: &str, histogram: impl Fn(&Numbers) -> &Histogram) {
        let name = format!("band_{name}");
        self.head(&name, "histogram", help);
        for (agent, numbers) in &self.agents {
            let (histogram, labels) = (histogram(numbers), format!("agent=\"{agent}\""));
            let mut all = 0;
            for (bound, count) in histogram.cumulative() {
                let bound = if bound.is_infinite() { "+Inf".to_owned() } else { bound.to_string() };
                line(&mut self.text, &format!("{name}_bucket"), &format!("{labels},le=\"{bound}\""), count);
                all = count;
            }
            line(&mut self.text, &format!("{name}_sum"), &labels, histogram.seconds());
            line(&mut self.text, &format!("{name}_count"), &labels, all);
        }
    }

    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a text can't fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }
}

fn line(text: &mut String, name: &str, labels: &str, value: impl std::fmt::Display) {
    let _ = writeln!(text, "{name}{{{labels}}} {value}");
}

/// A label's value may hold anything but these three as they are.
fn escaped(name: &str) -> String {
    name.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::TurnOutcome;
    use super::*;

    #[test]
    fn each_number_has_its_help_its_type_and_a_line_for_each_agent() {
        let (one, two) = (Metrics::default(), Metrics::default());
        one.turn_started();
        one.turn_ended(TurnOutcome::Processed, Duration::from_millis(20));
        two.connected(false);
        let text = render([("a", &one), ("b \"\n", &two)]);
        for line in [
            "# TYPE band_turns_started_total counter",
            "band_turns_started_total{agent=\"a\"} 1",
            "band_turns_total{agent=\"a\",outcome=\"processed\"} 1",
            "band_turn_duration_seconds_bucket{agent=\"a\",le=\"0.01\"} 0",
            "band_turn_duration_seconds_bucket{agent=\"a\",le=\"0.025\"} 1",
            "band_turn_duration_seconds_bucket{agent=\"a\",le=\"+Inf\"} 1",
            "band_turn_duration_seconds_sum{agent=\"a\"} 0.02",
            "band_turn_duration_seconds_count{agent=\"a\"} 1",
            "band_connected{agent=\"b \\\"\\n\"} 1",
        ] {
            assert!(text.lines().any(|have| have == line), "{line}\n{text}");
        }
        let heads = text.lines().filter(|line| line.starts_with("# TYPE")).count();
        assert_eq!(heads, 11, "each name once");
    }
}
