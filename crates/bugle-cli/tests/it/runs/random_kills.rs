//! Commands of every kind, killed at random moments. `BUGLE_KILLS=7000` sets the number of kills.

use crate::support::kills::counting_run;
use crate::support::random_kills::{BATCH, Batch, Killer, Series};

const USUAL: usize = 180;

#[test]
fn kills_at_random_moments_lose_nothing_and_repeat_nothing() {
    let wanted = std::env::var("BUGLE_KILLS").ok();
    let wanted = wanted.map_or(USUAL, |number| number.parse().unwrap());
    let mut killer = Killer::new(wanted);
    let mut kinds = Series(1);
    while killer.killed + killer.lived < wanted {
        let mut batch = Batch::new(counting_run());
        for index in 0..BATCH {
            batch.suffer(index, kinds.below(5), &mut |sandbox, arguments, input| {
                killer.run(sandbox, arguments, input)
            });
        }
        batch.over();
    }
    println!("killed: {}; lived: {}", killer.killed, killer.lived);
    assert!(
        killer.killed > wanted / 4 && killer.lived > wanted / 20,
        "{} {}",
        killer.killed,
        killer.lived
    );
}
