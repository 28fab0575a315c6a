//! The materials that a material turns into: captures, promotions, and the order in which tables are made.
//!
//! A table of one material is computed from the tables of every material that a capture or a
//! promotion leads to. Tables are kept for one of a material and its twin with exchanged colours,
//! the [normal](Material::normal) one, so a conversion may also exchange the colours.

use super::{Color, Material, Piece, PieceType};

/// A move that changes the material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conversion {
    /// A piece is taken, en passant included, and nothing promotes.
    Capture {
        /// The piece that is taken; never a king.
        captured: Piece,
    },
    /// A pawn promotes, perhaps taking a piece as it does.
    Promotion {
        /// The side of the pawn.
        by: Color,
        /// The type that it becomes: a queen, rook, bishop or knight.
        to: PieceType,
        /// The piece that it takes; never a king, and never a pawn, which can't stand on a last rank.
        captured: Option<PieceType>,
    },
}

impl Conversion {
    /// The side that makes the move.
    pub(crate) fn mover(self) -> Color {
        match self {
            Conversion::Capture { captured } => !captured.color,
            Conversion::Promotion { by, .. } => by,
        }
    }

    /// The piece that is taken, if any.
    #[must_use]
    pub fn captured(self) -> Option<Piece> {
        match self {
            Conversion::Capture { captured } => Some(captured),
            Conversion::Promotion { by, captured, .. } => {
                captured.map(|kind| Piece::new(!by, kind))
            }
        }
    }
}

/// The types that a pawn may become.
pub(crate) const PROMOTIONS: [PieceType; 4] = [
    PieceType::Queen,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Knight,
];

/// # Conversions
impl Material {
    /// The material after a conversion, with the colours as they were, or `None` if the pieces that it
    /// takes or promotes are not there, or if it takes a king or makes one.
    ///
    /// ```
    /// use tbindex::{Color, Conversion, Material, Piece, PieceType};
    /// let material: Material = "KPvKR".parse()?;
    /// let takes = Conversion::Promotion {
    ///     by: Color::White,
    ///     to: PieceType::Queen,
    ///     captured: Some(PieceType::Rook),
    /// };
    /// assert_eq!(material.after(takes).map(|m| m.to_string()).as_deref(), Some("KQvK"));
    /// # Ok::<(), tbindex::MaterialError>(())
    /// ```
    #[must_use]
    pub fn after(self, conversion: Conversion) -> Option<Material> {
        let mut pieces: Vec<Piece> = self.name_order().collect();
        let mut take = |piece: Piece| {
            let place = pieces.iter().position(|&p| p == piece)?;
            Some(pieces.swap_remove(place))
        };
        if let Some(captured) = conversion.captured() {
            if captured.kind == PieceType::King {
                return None;
            }
            take(captured)?;
        }
        if let Conversion::Promotion { by, to, captured } = conversion {
            if !PROMOTIONS.contains(&to) || captured == Some(PieceType::Pawn) {
                return None;
            }
            take(Piece::new(by, PieceType::Pawn))?;
            pieces.push(Piece::new(by, to));
        }
        Material::from_pieces(pieces).ok()
    }

    /// Every conversion that a legal move of this material can be, with the material that it leads to and
    /// the colours as they were: white's moves come first, and captures before promotions.
    #[must_use]
    pub fn conversions(self) -> Vec<(Conversion, Material)> {
        let mut all = Vec::new();
        for by in Color::ALL {
            let victims = || {
                let kinds = PieceType::ALL.into_iter().skip(1);
                kinds.filter(move |&kind| self.count(Piece::new(!by, kind)) > 0)
            };
            all.extend(victims().map(|kind| Conversion::Capture {
                captured: Piece::new(!by, kind),
            }));
            for to in PROMOTIONS {
                let others = victims().filter(|&kind| kind != PieceType::Pawn);
                let taken = std::iter::once(None).chain(others.map(Some));
                all.extend(taken.map(|captured| Conversion::Promotion { by, to, captured }));
            }
        }
        all.into_iter()
            .filter_map(|conversion| Some((conversion, self.after(conversion)?)))
            .collect()
    }

    /// The normal one of this material and its twin with exchanged colours: the one that has a table. White is at
    /// least as strong as black there: it has more pieces, or as many and, in the order of a name, more of the
    /// first type in which the sides differ, or exactly the same.
    ///
    /// ```
    /// # use tbindex::Material;
    /// let material: Material = "KNvKR".parse()?;
    /// assert_eq!(material.normal().to_string(), "KRvKN");
    /// # Ok::<(), tbindex::MaterialError>(())
    /// ```
    #[must_use]
    pub fn normal(self) -> Material {
        let strength = |color: Color| {
            let counts = PieceType::ALL.map(|kind| self.count(Piece::new(color, kind)));
            (counts.iter().sum::<usize>(), counts)
        };
        if strength(Color::White) >= strength(Color::Black) {
            self
        } else {
            self.swap_colors()
        }
    }

    /// The normal materials on whose tables this one's depends, directly or through others. They come in
    /// an order in which they can be made: each after the materials that it depends on. Bare kings are among
    /// them; the material itself is not.
    ///
    /// ```
    /// # use tbindex::Material;
    /// let material: Material = "KQvKR".parse()?;
    /// let below: Vec<String> = material.below().iter().map(|m| m.to_string()).collect();
    /// assert_eq!(below, ["KvK", "KRvK", "KQvK"]);
    /// # Ok::<(), tbindex::MaterialError>(())
    /// ```
    #[must_use]
    pub fn below(self) -> Vec<Material> {
        let mut found: Vec<Material> = Vec::new();
        let mut open = vec![self.normal()];
        while let Some(material) = open.pop() {
            for (_, next) in material.conversions() {
                let next = next.normal();
                if !found.contains(&next) {
                    found.push(next);
                    open.push(next);
                }
            }
        }
        // A capture takes a piece away; a promotion keeps the number and takes a pawn away.
        let pawns = |m: Material| {
            let pawn = |color| m.count(Piece::new(color, PieceType::Pawn));
            pawn(Color::White) + pawn(Color::Black)
        };
        found.sort_unstable_by_key(|m| (m.piece_count(), pawns(*m), *m));
        found
    }
}
