//! A wake-up's messages: as many whole messages as fit, in order.
//!
//! A shown message counts as read and is not shown again, so it is either shown whole or waits for the next wake-up.
//! Only a message that is longer than the whole budget is announced by its first characters.

use std::fmt;

use super::budget::Unit;

/// Minimum length of an announcement, in characters; fewer would not show the topic.
const MIN_BEGINNING: usize = 200;

/// The maximum number of characters per unit: a token has four bytes.
const LETTERS_A_UNIT: usize = 4;

/// How many of the waiting messages are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShownMessages {
    /// The number of messages shown whole, starting with the first.
    pub whole: usize,
    /// The number of characters shown from the next message; `None` if that message waits.
    pub beginning: Option<usize>,
}

impl ShownMessages {
    /// Shows the first `whole` messages in full.
    pub fn whole(whole: usize) -> Self {
        Self {
            whole,
            beginning: None,
        }
    }

    fn beginning(letters: usize) -> Self {
        Self {
            whole: 0,
            beginning: Some(letters),
        }
    }

    /// The number of messages that count as read.
    pub fn count(self) -> usize {
        self.whole + usize::from(self.beginning.is_some())
    }
}

/// Messages waiting for a wake-up, in order.
pub trait Queue: fmt::Debug {
    /// The number of messages.
    fn len(&self) -> usize;
    /// Whether there are no messages.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The length of the first message, in characters.
    fn letters_of_first(&self) -> usize;
    /// Whether the first message is announced if it is too long to be shown whole. Otherwise, it waits for a wake-up
    /// with more room.
    fn is_announced(&self) -> bool;
    /// The text of the messages part.
    fn text(&self, shown: ShownMessages) -> String;
}

/// The messages that are shown regardless of the budget. If messages are announced, every wake-up shows at least one,
/// so that the queue always empties.
pub fn minimum_shown(queue: &dyn Queue) -> ShownMessages {
    if queue.is_empty() || !queue.is_announced() {
        ShownMessages::default()
    } else if queue.letters_of_first() <= MIN_BEGINNING {
        ShownMessages::whole(1)
    } else {
        ShownMessages::beginning(MIN_BEGINNING)
    }
}

/// Shows as many messages as fit into `room`, or else the start of the first message. Returns the selection and its
/// text; `None` if nothing fits.
pub(super) fn fitted(queue: &dyn Queue, unit: Unit, room: usize) -> Option<(ShownMessages, String)> {
    let fits = |shown: ShownMessages| {
        let text = queue.text(shown);
        (unit.measure(&text) <= room).then_some((shown, text))
    };
    let whole = (1..=queue.len())
        .map_while(|whole| fits(ShownMessages::whole(whole)))
        .last();
    if whole.is_some() || queue.is_empty() || !queue.is_announced() {
        return whole;
    }
    // The announcement must be shorter than the message.
    let mut most = queue
        .letters_of_first()
        .saturating_sub(1)
        .min(room.saturating_mul(LETTERS_A_UNIT));
    let mut best = None;
    let mut least = MIN_BEGINNING;
    while least <= most {
        let letters = least + (most - least) / 2;
        match fits(ShownMessages::beginning(letters)) {
            Some(found) => {
                best = Some(found);
                least = letters + 1;
            }
            None => most = letters - 1,
        }
    }
    best
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Messages with these lengths.
    #[derive(Debug)]
    pub(crate) struct Letters {
        pub(crate) messages: Vec<usize>,
        pub(crate) is_announced: bool,
    }

    impl Queue for Letters {
        fn len(&self) -> usize {
            self.messages.len()
        }

        fn letters_of_first(&self) -> usize {
            self.messages.first().copied().unwrap_or_default()
        }

        fn is_announced(&self) -> bool {
            self.is_announced
        }

        fn text(&self, shown: ShownMessages) -> String {
            let whole = self.messages.iter().take(shown.whole);
            let mut text: String = whole
                .map(|letters| format!("{}.", "m".repeat(*letters)))
                .collect();
            if let Some(letters) = shown.beginning {
                text.push_str(&format!("{} and more.", "m".repeat(letters)));
            }
            format!("{text}{} wait", self.len() - shown.count())
        }
    }

    fn letters() -> impl Strategy<Value = Letters> {
        let messages = proptest::collection::vec(1_usize..700, 0..12);
        (messages, any::<bool>()).prop_map(|(messages, is_announced)| Letters {
            messages,
            is_announced,
        })
    }

    proptest! {
        #[test]
        fn it_fits_and_one_more_would_not(queue in letters(), room in 0_usize..4_000) {
            let size = |shown: ShownMessages| Unit::Bytes.measure(&queue.text(shown));
            match fitted(&queue, Unit::Bytes, room) {
                Some((shown, text)) => {
                    prop_assert_eq!(&queue.text(shown), &text);
                    prop_assert!(text.len() <= room);
                    prop_assert!(shown.count() > 0);
                    match shown.beginning {
                        None if shown.whole < queue.len() => prop_assert!(size(ShownMessages::whole(shown.whole + 1)) > room),
                        None => {}
                        Some(letters) => {
                            prop_assert!(queue.is_announced && shown.whole == 0);
                            prop_assert!((MIN_BEGINNING..queue.messages[0]).contains(&letters));
                            prop_assert!(size(ShownMessages::whole(1)) > room);
                            prop_assert!(letters + 1 == queue.messages[0] || size(ShownMessages::beginning(letters + 1)) > room);
                        }
                    }
                }
                None if queue.messages.is_empty() => {}
                None => {
                    prop_assert!(size(ShownMessages::whole(1)) > room);
                    prop_assert!(!queue.is_announced || queue.messages[0] <= MIN_BEGINNING
                        || size(ShownMessages::beginning(MIN_BEGINNING)) > room);
                }
            }
        }

        #[test]
        fn where_messages_are_announced_each_is_shown_exactly_once(queue in letters(), room in 0_usize..2_000) {
            let mut queue = Letters { is_announced: true, ..queue };
            let all = queue.messages.len();
            let mut wake_ups = 0;
            while !queue.messages.is_empty() {
                let shown = fitted(&queue, Unit::Bytes, room).map_or_else(|| minimum_shown(&queue), |(shown, _)| shown);
                prop_assert!(shown.count() > 0);
                queue.messages.drain(..shown.count());
                wake_ups += 1;
            }
            prop_assert!(wake_ups <= all);
        }
    }
}
