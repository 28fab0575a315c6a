//! The records of a checkpoint: their kinds, and their places.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tbindex::Color;

use crate::storage::record_file::{RecordError, RecordFile, Span, Subject};
use crate::table::value::{Metric, Value};

/// The outcome for the winner's or the loser's positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Found {
    Won,
    Lost,
}

/// A ply of the side whose wins are being found, and the outcome of the positions that are found in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ply {
    #[serde(serialize_with = "put_color", deserialize_with = "take_color")]
    pub(crate) winner: Color,
    pub(crate) found: Found,
    pub(crate) plies: u16,
}

impl Ply {
    /// The side to move.
    pub(crate) fn side(self) -> Color {
        match self.found {
            Found::Won => self.winner,
            Found::Lost => !self.winner,
        }
    }

    pub(crate) fn value(self, metric: Metric) -> Value {
        match self.found {
            Found::Won => metric.win(self.plies),
            Found::Lost => metric.loss(self.plies),
        }
    }

    /// The helpmates of a ply with a side to move that have several solutions.
    pub(crate) fn several(self) -> Ply {
        Ply {
            winner: !self.side(),
            found: Found::Lost,
            ..self
        }
    }
}

fn put_color<S: Serializer>(color: &Color, to: S) -> Result<S::Ok, S::Error> {
    (*color == Color::Black).serialize(to)
}

fn take_color<'de, D: Deserializer<'de>>(from: D) -> Result<Color, D::Error> {
    bool::deserialize(from).map(|black| Color::ALL[usize::from(black)])
}

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    /// Positions.
    Found,
    /// A ply is complete.
    Ply,
    /// A half is complete.
    Half,
    /// A solved slice.
    Solved,
}

/// A record: what it is of, and where it is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(super) kind: Kind,
    pub(crate) ply: Ply,
    /// The number of the slice.
    pub(super) slice: u32,
    /// The number of the file, if the checkpoint has several.
    pub(super) file: u32,
    pub(super) span: Span,
}

impl Place {
    pub(super) fn new((kind, ply, slice): (Kind, Ply, u32), file: u32, span: Span) -> Place {
        Place {
            kind,
            ply,
            slice,
            file,
            span,
        }
    }

    pub(crate) fn ends_half(self) -> bool {
        self.kind == Kind::Half
    }

    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.span.length)
    }

    /// A number that grows while a part is solved, if the record completes something.
    pub(crate) fn order(&self) -> Option<u64> {
        let ends = matches!(self.kind, Kind::Ply | Kind::Half);
        let (plies, all) = (u64::from(self.ply.plies), u64::from(self.ends_half()));
        ends.then_some(1 + ((self.ply.winner as u64) << 32 | plies << 1 | all))
    }
}

/// Opens a file with a number, or begins it, and returns where all its records are, up to one that is none of so many slices,
/// which are solved or not.
pub(crate) fn open_records(
    (path, number): (&Path, u32),
    subject: &Subject,
    (slices, solved): (usize, bool),
    stop: &AtomicBool,
) -> Result<(RecordFile, Vec<Place>), RecordError> {
    let (mut records, mut all) = (RecordFile::open(path, subject)?, Vec::new());
    records.scan(stop, |span, value| {
        let of = postcard::take_from_bytes(value);
        let place = of.map(|(of, _)| Place::new(of, number, span));
        let ours = place.ok().filter(|place| is_of(place, slices, solved));
        all.extend(ours);
        ours.is_some()
    })?;
    Ok((records, all))
}

/// Whether a record is one of so many slices, which are solved or not.
pub(super) fn is_of(place: &Place, slices: usize, solved: bool) -> bool {
    (place.slice as usize) < slices && (place.kind == Kind::Solved) == solved
}
