//! Screenshots as PNG files.

use std::path::Path;

use serde_json::{Value, json};

use super::{Browser, base64};

impl Browser {
    /// Takes a screenshot of the whole page, including the parts outside the window.
    #[track_caller]
    pub fn screenshot(&mut self, file: &Path) {
        let size = self.call("Page.getLayoutMetrics", &json!({}))["cssContentSize"].clone();
        let clip = json!({ "x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1 });
        self.capture(
            &json!({ "format": "png", "captureBeyondViewport": true, "clip": clip }),
            file,
        );
    }

    /// Takes a screenshot of the window.
    #[track_caller]
    pub fn screenshot_window(&mut self, file: &Path) {
        self.capture(&json!({ "format": "png" }), file);
    }

    #[track_caller]
    fn capture(&mut self, options: &Value, file: &Path) {
        let picture = self.call("Page.captureScreenshot", options);
        let bytes = base64::decoded(picture["data"].as_str().unwrap_or_default()).unwrap();
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(file, bytes).unwrap();
    }
}
