//! A folder of tables, which are opened when they are needed, and the values of moves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tbgen::{Board, Metric, Table, TableFile, Value};
use tbindex::{Material, Position};

pub(crate) struct Folder {
    path: PathBuf,
    metric: Metric,
    open: BTreeMap<String, TableFile>,
}

/// A legal move and its value.
pub(crate) struct Choice {
    /// The move as UCI engines write it, `a1b2`.
    pub(crate) name: String,
    /// Its value for the side that makes it.
    pub(crate) value: Value,
    pub(crate) capture: bool,
    pub(crate) mates: bool,
    pub(crate) after: Board,
}

impl Folder {
    pub(crate) fn new(path: &Path, metric: Metric) -> Folder {
        Folder {
            path: path.to_owned(),
            metric,
            open: BTreeMap::new(),
        }
    }

    /// The value of a board.
    pub(crate) fn value(&mut self, board: &Board) -> Result<Value> {
        board.value(self.metric, |position| self.stored(position))
    }

    /// The value of a legal position in which no pawn can be captured en passant.
    fn stored(&mut self, position: &Position) -> Result<Value> {
        let material = position.material()?.normal();
        if material.piece_count() == 2 {
            return Ok(Value::DRAW);
        }
        let name = material.to_string();
        if !self.open.contains_key(&name) {
            let path = Table::path(&self.path, &material, self.metric);
            let file =
                TableFile::open(&path).with_context(|| format!("the table of {name} is needed"))?;
            self.open.insert(name.clone(), file);
        }
        Ok(self.open[&name].value(position)?)
    }

    /// All legal moves, the best first.
    pub(crate) fn choices(&mut self, board: &Board) -> Result<Vec<Choice>> {
        let mut all = Vec::new();
        for step in board.moves() {
            let child = self.value(&step.after)?;
            all.push(Choice {
                value: self.metric.after_move(child, step.zeroing),
                capture: step.capture,
                mates: child == Value::loss(0),
                name: step.name,
                after: step.after,
            });
        }
        // Of equal moves, mates come first, as a side that mates needn't capture.
        all.sort_by_key(|choice| (-choice.value.preference(), !choice.mates));
        Ok(all)
    }
}

/// The tables in a folder of a metric, those that others need first.
pub(crate) fn tables_in(folder: &Path, metric: Metric) -> Result<Vec<Material>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    let mut all = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|end| end == metric.extension())
        {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let material = super::parse_material(&name)
                .map_err(anyhow::Error::msg)
                .with_context(|| format!("{} is not named after a material", path.display()))?;
            all.push(material);
        }
    }
    all.sort_by_key(|material| (material.piece_count(), material.to_string()));
    Ok(all)
}
