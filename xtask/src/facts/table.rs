//! Tables of a Markdown page.

/// One table.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The heading that it stands under, without its marks.
    pub(super) heading: String,
    /// The last line of text before it.
    pub(super) lead: String,
    /// The names of its columns.
    pub(super) columns: Vec<String>,
    /// Its rows.
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    /// The number of a column.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

/// All tables of a page, in their order.
pub(super) fn tables(page: &str) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut open: Option<Table> = None;
    let (mut heading, mut lead) = (String::new(), String::new());
    for line in page.lines().map(str::trim) {
        if let Some(row) = line.strip_prefix('|') {
            let row = cells(row.strip_suffix('|').unwrap_or(row));
            match &mut open {
                None => {
                    open = Some(Table {
                        heading: heading.clone(),
                        lead: lead.clone(),
                        columns: row,
                        rows: Vec::new(),
                    });
                }
                Some(table) => table.rows.extend((!is_rule(&row)).then_some(row)),
            }
            continue;
        }
        tables.extend(open.take());
        if line.starts_with('#') {
            heading = line.trim_start_matches('#').trim().to_owned();
            lead.clear();
        } else if !line.is_empty() {
            lead = line.to_owned();
        }
    }
    tables.extend(open);
    tables
}

/// The line of dashes under the names of the columns.
fn is_rule(row: &[String]) -> bool {
    row.iter().all(|cell| cell.trim_matches(['-', ':']).is_empty())
}

/// `\|` is a bar inside a cell.
fn cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in row.chars() {
        match (c, escaped) {
            ('|', false) => cells.push(String::new()),
            ('\\', false) => {}
            (c, _) => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(c);
                }
            }
        }
        escaped = c == '\\' && !escaped;
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// What stands in backticks.
pub(super) fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// All numbers of three digits: statuses.
pub(super) fn statuses(text: &str) -> Vec<u16> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter(|word| word.len() == 3)
        .filter_map(|word| word.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_with_what_stands_before_it() {
        let page = "# One\n\n## Two\n\nlead\n\n| A | B |\n|---|:-:|\n| `x` | y\\|z |\n| u |  |\n\nafter\n";
        let tables = tables(page);
        assert_eq!(tables.len(), 1);
        assert_eq!((tables[0].heading.as_str(), tables[0].lead.as_str()), ("Two", "lead"));
        assert_eq!(tables[0].column("B"), Some(1));
        assert_eq!(tables[0].rows, [vec!["`x`", "y|z"], vec!["u", ""]]);
    }

    #[test]
    fn names_and_statuses_are_picked_out() {
        assert_eq!(quoted("`a`, or `b c` and d"), ["a", "b c"]);
        assert_eq!(statuses("401 403, 422 (not 1000)"), [401, 403, 422]);
    }
}
