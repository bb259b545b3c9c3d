//! One idea a file, one screen a function.

use super::{SourceFile, note};

/// A file has at most this many lines.
const FILE_LINES: usize = 700;
/// Half of all files have fewer lines than this.
const MEDIAN_LINES: usize = 200;
/// A function has at most this many lines of code.
const FUNCTION_LINES: usize = 70;

/// Length of a file and of each function in it.
pub(super) fn check_file(file: &SourceFile, masked: &str, found: &mut Vec<String>) {
    let lines = file.text.lines().count();
    if lines > FILE_LINES {
        found.push(note(&file.path, 1, &format!("{lines} lines, at most {FILE_LINES}: split it by concern")));
    }
    for function in functions(masked) {
        if function.lines > FUNCTION_LINES {
            let what = format!("fn {} has {} lines, at most {FUNCTION_LINES}", function.name, function.lines);
            found.push(note(&file.path, function.line, &what));
        }
    }
}

/// The median over all files.
pub(super) fn check_median(files: &[&SourceFile], found: &mut Vec<String>) {
    let mut lengths: Vec<usize> = files.iter().map(|file| file.text.lines().count()).collect();
    lengths.sort_unstable();
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or_default();
    if median >= MEDIAN_LINES {
        found.push(note(
            ".",
            1,
            &format!("the median file has {median} lines, it should be below {MEDIAN_LINES}"),
        ));
    }
}

struct Function {
    name: String,
    line: usize,
    lines: usize,
}

/// Every function with a body. Lines that are blank or only comment do not count.
fn functions(masked: &str) -> Vec<Function> {
    let mut functions = Vec::new();
    for (start, _) in masked.match_indices("fn ") {
        let (before, after) = masked.split_at(start);
        if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let name: String = after.chars().skip(3).take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let Some(body) = body(after).filter(|_| !name.is_empty()) else { continue };
        let lines = body.lines().filter(|line| !line.trim().is_empty()).count();
        functions.push(Function { name, line: before.matches('\n').count() + 1, lines });
    }
    functions
}

/// From `fn` to the brace that closes the body; none for a declaration or a pointer type.
fn body(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut brackets = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            ';' if depth == 0 && brackets == 0 => return None,
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets = brackets.checked_sub(1)?,
            '{' => depth += 1,
            '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return text.get(..=at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    fn found_in(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        check_file(&file("a.rs", text), text, &mut found);
        found
    }

    fn function_of(lines: usize) -> String {
        format!("struct S;\n\nfn long() {{\n{}}}\n", "    go();\n".repeat(lines - 2))
    }

    #[test]
    fn a_function_fits_a_screen() {
        assert!(found_in(&function_of(FUNCTION_LINES)).is_empty());
        assert_eq!(found_in(&function_of(FUNCTION_LINES + 1)), ["a.rs:3: fn long has 71 lines, at most 70"]);
    }

    #[test]
    fn blank_lines_and_declarations_do_not_count() {
        let blank = "\n".repeat(200);
        assert!(
            found_in(&format!("fn a() {{{blank}}}\ntrait T {{ fn b(&self, x: [u8; 3]); }}\n")).is_empty()
        );
    }

    #[test]
    fn a_long_file_is_named() {
        let found = found_in(&"\n".repeat(FILE_LINES + 1));
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("a.rs:1: 701 lines"));
    }

    #[test]
    fn the_median_is_held() {
        let long = file("a.rs", &"\n".repeat(300));
        let short = file("b.rs", "\n");
        let mut found = Vec::new();
        check_median(&[&short, &short, &long], &mut found);
        assert!(found.is_empty());
        check_median(&[&short, &long, &long], &mut found);
        assert_eq!(found.len(), 1);
    }
}
