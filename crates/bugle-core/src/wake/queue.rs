//! The messages of a wake-up: told in their order, as many of them whole as there is room for.
//!
//! What is told counts as read, and is told to nobody again. So a message is shown whole, or it waits for the next
//! wake-up; only one that is longer than all the room there is is announced with its beginning instead.

use std::fmt;

use super::budget::Unit;

/// A message is announced with so many letters at least: with fewer it cannot be told what it is about.
const LEAST_BEGINNING: usize = 200;

/// No letter is smaller than this part of a unit: a token is made of four bytes.
const LETTERS_A_UNIT: usize = 4;

/// How much of the messages that wait is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Told {
    /// So many of them are shown whole: the first ones.
    pub whole: usize,
    /// Of the one behind those, so many letters are shown; nothing if it waits with the others.
    pub beginning: Option<usize>,
}

impl Told {
    /// The first ones, whole.
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

    /// How many count as read with this.
    pub fn count(self) -> usize {
        self.whole + usize::from(self.beginning.is_some())
    }
}

/// Messages that wait to be told, in order, as they are written into a wake-up.
pub trait Queue: fmt::Debug {
    /// How many there are.
    fn len(&self) -> usize;
    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// How many letters the first one has.
    fn letters_of_first(&self) -> usize;
    /// Whether the first one is announced with its beginning if it is too long to be shown whole. Where it is not, it waits
    /// for a wake-up that has more room for it.
    fn is_announced(&self) -> bool;
    /// The part of the wake-up that tells so much.
    fn text(&self, told: Told) -> String;
}

/// What is told however little room there is. Where messages are announced, that is never nothing: so every wake-up gets
/// on, and what waits comes to an end.
pub fn least_told(queue: &dyn Queue) -> Told {
    if queue.is_empty() || !queue.is_announced() {
        Told::default()
    } else if queue.letters_of_first() <= LEAST_BEGINNING {
        Told::whole(1)
    } else {
        Told::beginning(LEAST_BEGINNING)
    }
}

/// The most that can be told in so much room, and how; nothing if there is too little for anything.
pub(super) fn fitted(queue: &dyn Queue, unit: Unit, room: usize) -> Option<(Told, String)> {
    let told = |told: Told| {
        let text = queue.text(told);
        (unit.measure(&text) <= room).then_some((told, text))
    };
    let whole = (1..=queue.len())
        .map_while(|whole| told(Told::whole(whole)))
        .last();
    if whole.is_some() || queue.is_empty() || !queue.is_announced() {
        return whole;
    }
    // A message that is announced is longer than its beginning.
    let mut most = queue
        .letters_of_first()
        .saturating_sub(1)
        .min(room.saturating_mul(LETTERS_A_UNIT));
    let mut best = None;
    let mut least = LEAST_BEGINNING;
    while least <= most {
        let letters = least + (most - least) / 2;
        match told(Told::beginning(letters)) {
            Some(fits) => {
                best = Some(fits);
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

    /// Messages of so many letters each.
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

        fn text(&self, told: Told) -> String {
            let shown = self.messages.iter().take(told.whole);
            let mut text: String = shown
                .map(|letters| format!("{}.", "m".repeat(*letters)))
                .collect();
            if let Some(letters) = told.beginning {
                text.push_str(&format!("{} and more.", "m".repeat(letters)));
            }
            format!("{text}{} wait", self.len() - told.count())
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
            let size = |told: Told| Unit::Bytes.measure(&queue.text(told));
            match fitted(&queue, Unit::Bytes, room) {
                Some((told, text)) => {
                    prop_assert_eq!(&queue.text(told), &text);
                    prop_assert!(text.len() <= room);
                    prop_assert!(told.count() > 0);
                    match told.beginning {
                        None if told.whole < queue.len() => prop_assert!(size(Told::whole(told.whole + 1)) > room),
                        None => {}
                        Some(letters) => {
                            prop_assert!(queue.is_announced && told.whole == 0);
                            prop_assert!((LEAST_BEGINNING..queue.messages[0]).contains(&letters));
                            prop_assert!(size(Told::whole(1)) > room);
                            prop_assert!(letters + 1 == queue.messages[0] || size(Told::beginning(letters + 1)) > room);
                        }
                    }
                }
                None if queue.messages.is_empty() => {}
                None => {
                    prop_assert!(size(Told::whole(1)) > room);
                    prop_assert!(!queue.is_announced || queue.messages[0] <= LEAST_BEGINNING
                        || size(Told::beginning(LEAST_BEGINNING)) > room);
                }
            }
        }

        #[test]
        fn where_messages_are_announced_none_is_told_twice_and_all_are(queue in letters(), room in 0_usize..2_000) {
            let mut queue = Letters { is_announced: true, ..queue };
            let all = queue.messages.len();
            let mut wake_ups = 0;
            while !queue.messages.is_empty() {
                let told = fitted(&queue, Unit::Bytes, room).map_or_else(|| least_told(&queue), |(told, _)| told);
                prop_assert!(told.count() > 0);
                queue.messages.drain(..told.count());
                wake_ups += 1;
            }
            prop_assert!(wake_ups <= all);
        }
    }
}
