//! Facts of the page on the socket.

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use super::table::{Table, quoted, statuses, tables};

/// The column with the rules of the validator.
const RULE: &str = "Rule [core]";

/// The rules of each event's fields, in the page's order.
///
/// `S` a string, `B` a boolean, `O` an object, `A` an array, `W` one of these words; with nothing after it the
/// field is required, `?` may be absent or null, `~` may be absent but not null, `!` must be there but may be
/// null. `any` is not looked at, `lenient` is repaired.
pub(super) fn events(page: &str) -> Result<Value> {
    let mut events = Map::new();
    for table in tables(page).iter().filter(|table| table.column(RULE).is_some()) {
        let mut names: Vec<String> = quoted(&table.lead).into_iter().map(str::to_owned).collect();
        for row in &table.rows {
            names = named(table, row).unwrap_or(names);
            for event in &names {
                let fields = events.entry(event.clone()).or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(fields) = fields {
                    fields.extend(rules(table, row)?);
                }
            }
        }
    }
    if events.len() < 10 {
        bail!("only {} events have rules", events.len());
    }
    Ok(events.into())
}

/// The event of a row, in the table that has a column for it.
fn named(table: &Table, row: &[String]) -> Option<Vec<String>> {
    let cell = row.get(table.column("Event")?)?;
    if cell.contains("nested") {
        return Some(Vec::new());
    }
    let names: Vec<String> = quoted(cell).into_iter().map(str::to_owned).collect();
    (!names.is_empty()).then_some(names)
}

fn rules(table: &Table, row: &[String]) -> Result<Vec<Value>> {
    let cell = |name: &str| table.column(name).and_then(|column| row.get(column));
    let (Some(fields), Some(rule)) = (cell("Field"), cell(RULE)) else { return Ok(Vec::new()) };
    let words: Vec<&str> = match rule.split('(').next() {
        Some(words) if words.starts_with("required") => quoted(words),
        _ => Vec::new(),
    };
    let mut out = Vec::new();
    // A cell may give each field its own rule: `id` S, `status` S.
    for (field, own) in each(fields) {
        let code = code(own.unwrap_or(rule));
        let Some(code) = code else { bail!("no rule is known for {rule:?} of {fields:?}") };
        if code != "none" {
            out.push(json!({"field": field, "rule": code, "words": words}));
        }
    }
    Ok(out)
}

/// The fields of a cell, each with the rule that follows it in the cell, if one does.
fn each(cell: &str) -> Vec<(String, Option<&str>)> {
    let parts: Vec<&str> = cell.split('`').collect();
    let mut fields = Vec::new();
    for pair in parts.get(1..).unwrap_or_default().chunks(2) {
        let [names, after @ ..] = pair else { continue };
        let own = after.first().map(|text| text.trim_matches([' ', ','])).filter(|text| *text == "S");
        let stem = names.rfind('.').map_or("", |at| names.get(..=at).unwrap_or_default());
        for (index, name) in names.split(['/', ',']).map(str::trim).enumerate() {
            let field = if index == 0 { name.to_owned() } else { format!("{stem}{name}") };
            fields.push((field, own));
        }
    }
    fields
}

/// The short form of a rule.
fn code(rule: &str) -> Option<&'static str> {
    const FORMS: &[(&str, &str)] = &[
        ("S!n", "S!"),
        ("S?", "S?"),
        ("S~", "S~"),
        ("S", "S"),
        ("B?", "B?"),
        ("B~", "B~"),
        ("object or null or absent", "O?"),
        ("array or null or absent", "A?"),
        ("optional array, null rejected", "A~"),
        ("required,", "W"),
        ("any", "any"),
        ("lenient", "lenient"),
        ("–", "none"),
    ];
    let rule = rule.trim_start_matches(['`', '*']);
    FORMS.iter().find(|(form, _)| rule.starts_with(form)).map(|(_, code)| *code)
}

/// Topics with their events, refused upgrades, reserved events.
pub(super) fn socket(page: &str) -> Result<Value> {
    let tables = tables(page);
    let find = |heading: &str, column: &str| {
        tables.iter().find(|table| table.heading.starts_with(heading) && table.column(column).is_some())
    };
    let (Some(topics), Some(refusals), Some(reserved)) =
        (find("3.", "Topic"), find("1.5", "Status"), find("2.2", "Event"))
    else {
        bail!("the page on the socket has lost a section");
    };
    let topics: Vec<Value> = topics.rows.iter().filter_map(|row| topic(row)).collect();
    let refusals: Vec<Value> = refusals.rows.iter().filter_map(|row| refusal(row)).collect();
    let reserved = reserved.rows.iter().filter_map(|row| quoted(row.first()?).first().copied());
    Ok(json!({"refusals": refusals, "reserved": reserved.collect::<Vec<_>>(), "topics": topics}))
}

fn topic(row: &[String]) -> Option<Value> {
    let pattern = *quoted(row.first()?).first()?;
    let events: Vec<&str> = quoted(row.get(2)?).into_iter().filter(|name| !name.is_empty()).collect();
    Some(json!({"events": events, "topic": pattern}))
}

fn refusal(row: &[String]) -> Option<Value> {
    let status = *statuses(row.first()?).first()?;
    let code = *quoted(row.get(1)?).first()?;
    Some(json!({"code": code, "status": status}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_from_their_cells() {
        let page = "`a`, `b` (one rule)\n\n| Field | Rule [core] |\n|---|---|\n| `x.y/z`, `w` | `S~` **omit** |\n\
                    | `m` | required, exactly `p` / `q` (not `r`) |\n\n| Event | Field | Rule [core] |\n|---|---|---|\n\
                    | `c` | `id` S, `status` S | |\n| | `t` | S? |\n";
        let table = &tables(page)[0];
        let found = rules(table, &table.rows[0]).unwrap();
        let fields: Vec<&str> = found.iter().filter_map(|rule| rule["field"].as_str()).collect();
        assert_eq!(fields, ["x.y", "x.z", "w"]);
        assert_eq!(found[0]["rule"], "S~");
        let found = rules(table, &table.rows[1]).unwrap();
        assert_eq!(found[0]["words"], json!(["p", "q"]));
        let table = &tables(page)[1];
        assert_eq!(named(table, &table.rows[0]).unwrap(), ["c"]);
        assert_eq!(rules(table, &table.rows[0]).unwrap().len(), 2);
        assert_eq!(named(table, &table.rows[1]), None);
    }
}
