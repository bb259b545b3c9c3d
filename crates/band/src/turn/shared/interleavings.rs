//! The numbers of a turn's sends, in many orders of its tools' steps.

use shuttle::thread;

use super::*;
use crate::sync::model::orders;

#[test]
fn no_two_messages_that_were_stored_have_the_same_number() {
    orders(|| {
        let sends = Arc::new(Sends::default());
        let send = |is_stored: [bool; 2]| {
            let sends = Arc::clone(&sends);
            thread::spawn(move || {
                is_stored.map(|is_stored| {
                    let number = sends.next();
                    if !is_stored {
                        sends.give_back(number);
                    }
                    is_stored.then_some(number)
                })
            })
        };
        let threads = [send([true, false]), send([false, true]), send([true, true])];
        let stored = threads.map(|thread| thread.join().unwrap());
        let mut stored: Vec<u32> = stored.into_iter().flatten().flatten().collect();
        stored.sort_unstable();
        let all = stored.len();
        stored.dedup();
        assert_eq!(stored.len(), all, "{stored:?}");
    });
}
