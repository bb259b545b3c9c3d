use band_wire::{AgentId, Stamp};
use proptest::prelude::*;
use uuid::Uuid;

proptest! {
    #[test]
    fn any_text_is_a_stamp_or_an_error(text in ".*|[0-9T:.Z+ -]{0,40}") {
        if let Ok(stamp) = text.parse::<Stamp>() {
            prop_assert_eq!(stamp.to_string().parse::<Stamp>().ok(), Some(stamp));
        }
    }

    #[test]
    fn a_stamp_survives_its_text_and_its_number(micros in -300_000_000_000_000_000_i64..300_000_000_000_000_000) {
        let stamp = Stamp::from_micros(micros);
        if stamp.as_micros() == micros {
            prop_assert_eq!(stamp.to_string().parse::<Stamp>().ok(), Some(stamp));
        }
    }

    #[test]
    fn a_stamp_of_our_age_sorts_like_its_text(a in 0_i64..4_000_000_000_000_000, b in 0_i64..4_000_000_000_000_000) {
        let (a, b) = (Stamp::from_micros(a), Stamp::from_micros(b));
        prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
    }

    #[test]
    fn an_id_survives_its_text(number in any::<u128>(), text in ".*") {
        let id = AgentId::new(Uuid::from_u128(number));
        prop_assert_eq!(id.to_string().parse(), Ok(id));
        let _ = text.parse::<AgentId>();
    }
}
