//! The mailbox, in many orders of its threads' steps.

use std::sync::Arc;
use std::time::Duration;

use band_core::room::Member;
use band_wire::Id;
use futures_util::FutureExt;
use shuttle::future::block_on;
use shuttle::thread;
use uuid::Uuid;

use super::*;
use crate::sync::model::orders;

const PUT: u128 = 3;

fn left(n: u128) -> News {
    News::Left(Box::new(Member {
        id: Id::new(Uuid::from_u128(n)),
        kind: band_wire::rest::SenderType::User.into(),
        name: None,
        handle: None,
        description: None,
    }))
}

fn number(news: News) -> u128 {
    let News::Left(member) = news else { panic!("nobody puts that") };
    member.id.uuid().as_u128()
}

#[test]
fn what_several_threads_put_is_taken_once_and_in_the_order_of_each() {
    orders(|| {
        let mailbox = Arc::new(Mailbox::default());
        let put = |first: u128| {
            let mailbox = Arc::clone(&mailbox);
            thread::spawn(move || (first..first + PUT).for_each(|n| mailbox.news(left(n))))
        };
        let threads = [put(0), put(100)];
        let mut taken = Vec::new();
        while taken.len() < 2 * PUT as usize {
            taken.extend(block_on(mailbox.take()).news.into_iter().map(number));
        }
        for thread in threads {
            thread.join().unwrap();
        }
        let of = |hundred: u128| taken.iter().copied().filter(move |n| n / 100 == hundred);
        assert!(of(0).eq(0..PUT) && of(1).eq(100..100 + PUT), "{taken:?}");
    });
}

#[test]
fn a_close_is_seen_after_all_that_was_put_before_it_and_says_whose_end_it_is() {
    orders(|| {
        let mailbox = Arc::new(Mailbox::default());
        let closer = Arc::clone(&mailbox);
        let closer = thread::spawn(move || {
            closer.news(left(0));
            closer.close_for_good(None);
        });
        let other = Arc::clone(&mailbox);
        let other = thread::spawn(move || other.resync());
        let mut seen = 0;
        loop {
            let mail = block_on(mailbox.take());
            seen += mail.news.len();
            if mail.close.is_some() {
                break;
            }
        }
        assert_eq!(seen, 1);
        assert!(mailbox.is_agents_end());
        closer.join().unwrap();
        other.join().unwrap();
    });
}

#[test]
fn of_two_ends_the_sooner_one_holds() {
    orders(|| {
        let mailbox = Arc::new(Mailbox::default());
        let start = Instant::now();
        let close = |seconds| {
            let mailbox = Arc::clone(&mailbox);
            thread::spawn(move || mailbox.close(Some(start + Duration::from_secs(seconds))))
        };
        let threads = [close(5), close(60), close(20)];
        for thread in threads {
            thread.join().unwrap();
        }
        let end = block_on(mailbox.take()).close.flatten();
        assert_eq!(end, Some(start + Duration::from_secs(5)));
    });
}

#[test]
fn a_look_that_is_given_up_takes_nothing_with_it() {
    orders(|| {
        let mailbox = Arc::new(Mailbox::default());
        let sender = Arc::clone(&mailbox);
        let sender = thread::spawn(move || (0..PUT).for_each(|n| sender.news(left(n))));
        let mut taken = Vec::new();
        while taken.len() < PUT as usize {
            let at_once = mailbox.take().now_or_never();
            let mail = at_once.unwrap_or_else(|| block_on(mailbox.take()));
            taken.extend(mail.news.into_iter().map(number));
        }
        assert!(taken.iter().copied().eq(0..PUT), "{taken:?}");
        sender.join().unwrap();
    });
}
