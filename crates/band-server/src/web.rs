//! The page, embedded in the binary: plain files, no build step, nothing from elsewhere.

/// A file of the page.
#[derive(Debug)]
pub struct Asset {
    /// Its path, from the root: `/app.js`.
    pub path: &'static str,
    /// Its media type.
    pub content_type: &'static str,
    /// Its bytes.
    pub bytes: &'static [u8],
}

/// What the page may do: its own scripts and styles, its own platform, nothing else, and no text becomes code.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

/// Headers of every file of the page, beside its media type. The page is small and local: it is asked for
/// anew each time, so that it always fits the platform that serves it.
pub const HEADERS: [(&str, &str); 5] = [
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-cache"),
];

/// The file of a path; `/` is the page itself.
pub fn find(path: &str) -> Option<&'static Asset> {
    let path = if path == "/" { "/index.html" } else { path };
    ASSETS.iter().find(|asset| asset.path == path)
}

macro_rules! assets {
    ($($content_type:ident: $($name:literal)+;)+) => {
        &[$($(Asset {
            path: concat!("/", $name),
            content_type: $content_type,
            bytes: include_bytes!(concat!("../web/", $name)),
        },)+)+]
    };
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";
const JS: &str = "text/javascript; charset=utf-8";

/// All files of the page.
pub static ASSETS: &[Asset] = assets! {
    HTML: "index.html";
    CSS: "app.css";
    SVG: "icon.svg";
    JS: "api.js" "app.js" "avatar.js" "composer.js" "delivery.js" "dialogs.js" "dom.js" "drawers.js" "fold.js"
        "gate.js" "hash.js" "live.js" "mentions.js" "merge.js" "notices.js" "people.js" "phoenix.js" "prose.js"
        "rooms.js" "rows.js" "session.js" "shell_lines.js" "stamps.js" "steps.js" "store.js" "timeline.js";
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    fn text(asset: &Asset) -> &'static str {
        std::str::from_utf8(asset.bytes).unwrap()
    }

    #[test]
    fn every_file_of_the_page_is_embedded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_type().unwrap().is_file() && entry.file_name() != "package.json")
            .map(|entry| format!("/{}", entry.file_name().to_string_lossy()))
            .collect();
        assert_eq!(ASSETS.iter().map(|asset| asset.path.to_owned()).collect::<BTreeSet<_>>(), files);
    }

    #[test]
    fn every_module_imports_only_modules_of_the_page() {
        let modules: Vec<_> = ASSETS.iter().filter(|asset| asset.content_type == JS).collect();
        let imports = modules.iter().flat_map(|asset| text(asset).lines()).filter_map(|line| {
            line.split_once(" from \"").filter(|_| line.starts_with("import ") || line.starts_with("} from "))
        });
        let mut count = 0;
        for (_, rest) in imports {
            let name = rest.trim_end_matches("\";").strip_prefix('.').unwrap();
            assert!(find(name).is_some(), "{name} is not part of the page");
            count += 1;
        }
        assert!(count > modules.len());
    }

    #[test]
    fn the_page_has_no_inline_script_or_style_and_names_no_other_host() {
        let html = text(find("/").unwrap());
        for forbidden in ["<style", "style=", "onclick", "javascript:", "http:", "https:", "src=\"//"] {
            assert!(!html.contains(forbidden), "{forbidden}");
        }
        assert_eq!(html.matches("<script").count(), html.matches("<script type=\"module\" src=").count());
    }

    #[test]
    fn no_module_writes_markup() {
        let sinks = [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "setAttribute(\"style\"",
        ];
        for asset in ASSETS.iter().filter(|asset| asset.content_type == JS) {
            for sink in sinks {
                assert!(!text(asset).contains(sink), "{} uses {sink}", asset.path);
            }
        }
    }

    #[test]
    fn the_root_is_the_page_and_nothing_else_is_guessed() {
        assert_eq!(find("/").unwrap().path, "/index.html");
        for path in ["", "/../web.rs", "/tests/fold.test.js", "/package.json", "app.js", "/APP.JS"] {
            assert!(find(path).is_none(), "{path}");
        }
    }
}
