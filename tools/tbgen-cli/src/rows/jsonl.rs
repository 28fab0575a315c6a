//! JSON lines: an object in each line, of which a field has a FEN, and labels are fields.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value as Json;
use serde_json::value::RawValue;
use tbgen::Evaluation;
use tbindex::Rights;

use super::item::{Content, Input, Next, Stream, content};
use super::row::Column;

/// Lines that stay as they are, but for labels: these are replaced, or added at the end of the object.
pub(crate) struct Jsonl<'a> {
    /// The field of the FEN.
    pub(crate) fen: &'a str,
    pub(crate) labels: &'a [Column],
}

/// The fields of an object in order, with their values as they are written in its line.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Fields<'a> {
    fn of(line: &'a str) -> Result<Fields<'a>, String> {
        serde_json::from_str(line).map_err(|error| {
            let column = error.column();
            format!("the line is no JSON object: the error is at column {column}")
        })
    }

    /// The value of a field. Of two fields of one name, a reader may take either.
    fn get(&self, name: &str) -> Result<Option<&'a str>, String> {
        let mut found = self.0.iter().filter(|(field, _)| field == name);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(format!("there is more than one field {name:?}")),
            (found, None) => Ok(found.map(|(_, value)| value.get())),
        }
    }
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Fields<'de>, D::Error> {
        from.deserialize_map(Fields(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Fields<'de> {
    type Value = Fields<'de>;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Fields<'de>, A::Error> {
        while let Some(field) = map.next_entry()? {
            self.0.push(field);
        }
        Ok(self)
    }
}

impl Stream for Jsonl<'_> {
    type Item = String;

    fn read(&self, input: &mut Input) -> Next<String> {
        input.line()
    }

    fn content(&self, line: &String, rights: Rights) -> Option<Content> {
        if line.trim().is_empty() {
            return None;
        }
        let name = self.fen;
        let fen = Fields::of(line).and_then(|fields| {
            for (label, _) in self.labels {
                fields.get(label)?;
            }
            let fen = fields.get(name)?;
            let fen = fen.ok_or_else(|| format!("there is no field {name:?}: name it by --column"));
            serde_json::from_str::<Option<String>>(fen?)
                .map_err(|_| format!("the field {name:?} is no text"))
        });
        fen.transpose().map(|fen| content(&fen?, rights))
    }

    fn write(&self, line: &String, label: Option<Evaluation>, out: &mut Vec<u8>) -> bool {
        let (mut line, mut changed) = (line.clone(), false);
        for &(name, of) in self.labels {
            let Some(number) = label.map(of) else {
                continue;
            };
            let old = Fields::of(&line).and_then(|fields| fields.get(name));
            let new = Json::from(number).to_string();
            match old.unwrap_or_default() {
                Some(old) => {
                    changed |= !["null", &new].contains(&old);
                    // The value is a part of the line.
                    let begin = old.as_ptr().addr() - line.as_ptr().addr();
                    line.replace_range(begin..begin + old.len(), &new);
                }
                None if number.is_none() => {}
                None => {
                    let end = line.rfind('}').unwrap_or(line.len());
                    line.insert_str(end, &format!(",\"{name}\":{new}"));
                }
            }
        }
        out.extend_from_slice(line.as_bytes());
        if label.is_some() && !line.ends_with(['\n', '\r']) {
            out.push(b'\n');
        }
        changed
    }
}
