//! Draws a scene: `terminal-svg SCENE BUGLE` plays a script from `scripts/scenes` with the program at the path
//! `BUGLE` and prints the picture.

use std::path::Path;
use std::process::ExitCode;

use bugle_testkit::pictures::{Scene, draw};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scene, bugle] = arguments.as_slice() else {
        eprintln!("usage: terminal-svg SCENE BUGLE");
        return ExitCode::from(2);
    };
    let drawn = Scene::read(Path::new(scene)).and_then(|scene| scene.play(Path::new(bugle)));
    match drawn {
        Ok(recording) => {
            print!("{}", draw(&recording));
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
