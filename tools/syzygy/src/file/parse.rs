//! Opening: from bytes to sub-tables, with everything checked that later look-ups rely on.

use std::sync::Arc;

use cozy_chess::Color;

use super::bytes::{Bytes, Cursor, damaged};
use super::head::{Head, HeadContent, LEAF, MAPPED, SIDE_BLACK, WIDE_MAPS};
use super::{Coded, Content, Maps, SubTable, TableFile};
use crate::error::Error;
use crate::kind::Kind;
use crate::material::{ColoredPiece, MOST_PIECES, Material};
use crate::numbering::{Numbering, NumberingError};

const NOT_SYMMETRIC: u8 = 1;
const HAS_PAWNS: u8 = 2;

/// How many bits of a block are looked at together: 4 KB for each sub-table of what may be thousands of files.
const STRIDE_BITS: u32 = 11;

impl TableFile {
    pub(super) fn parse(name: Arc<str>, bytes: Bytes) -> Result<TableFile, Error> {
        if bytes.len() % 64 != 16 {
            let what = format!(
                "the file has {} bytes; it should have 16 more than a multiple of 64",
                bytes.len()
            );
            return Err(damaged(&name, bytes.len(), what));
        }
        // The checksum is no part of what follows.
        let body = &bytes[..bytes.len() - 16];
        let mut cursor = Cursor::new(&name, body);
        let magic = cursor.take(4, "the magic number")?;
        let kind = [Kind::Wdl, Kind::Dtz]
            .into_iter()
            .find(|kind| kind.magic() == magic);
        let kind = kind.ok_or_else(|| {
            let what = format!("the first bytes are {magic:02x?}, those of no table");
            cursor.damaged(4, what)
        })?;
        let layout = cursor.u8("the layout")?;
        let (material, numberings) = read_numberings(&mut cursor, kind, layout)?;
        cursor.align(2, "the padding before heads")?;

        let heads = numberings
            .iter()
            .map(|_| Head::read(&mut cursor, STRIDE_BITS));
        let heads: Vec<Head> = heads.collect::<Result<_, Error>>()?;
        let maps = match kind {
            Kind::Wdl => heads.iter().map(|_| None).collect(),
            Kind::Dtz => read_maps(&mut cursor, &heads)?,
        };
        let sub_tables = locate(&mut cursor, kind, material, numberings, heads, maps)?;
        Ok(TableFile {
            name,
            kind,
            material,
            sub_tables,
            bytes,
        })
    }
}

/// Reads the pieces of each sub-table, and returns their numberings in the order of the heads.
fn read_numberings(
    cursor: &mut Cursor<'_>,
    kind: Kind,
    layout: u8,
) -> Result<(Material, Vec<Numbering>), Error> {
    let files = if layout & HAS_PAWNS != 0 { 4 } else { 1 };
    let count = usize::from(layout >> 4);
    cursor.check((3..=MOST_PIECES).contains(&count), 1, || {
        format!("the layout says {count} pieces, not 3 to 7")
    })?;
    let both_sides = kind == Kind::Wdl && layout & NOT_SYMMETRIC != 0;
    let sides = if both_sides { 2 } else { 1 };
    let mut material = None;
    let mut numberings = Vec::with_capacity(files * sides);
    for file in 0..files {
        let at = cursor.at();
        let order = cursor.u8("the place of the leading group")?;
        // Whether there is a second place depends on the pieces, which come after it.
        let both_pawns = match material {
            Some(material) => both_have_pawns(material),
            None => {
                let pieces = cursor.peek(count + 1);
                pieces_have_both_pawns(layout, &pieces[..count.min(pieces.len())])
                    || pieces_have_both_pawns(layout, pieces.get(1..).unwrap_or(&[]))
            }
        };
        let order2 = if both_pawns {
            cursor.u8("the place of the second group")?
        } else {
            0xff
        };
        let codes = cursor.take(count, "the pieces")?;
        for side in 0..sides {
            let nibble = |byte: u8| byte >> (4 * side) & 15;
            let side_name = ["white", "black"][side];
            let pieces: Option<Vec<_>> = codes
                .iter()
                .map(|&code| ColoredPiece::from_code(nibble(code)))
                .collect();
            let wrong = |error: NumberingError| {
                let what = format!("the pieces of {side_name}'s sub-table are wrong: {error}");
                damaged(cursor.name, at, what)
            };
            let pieces = pieces.ok_or_else(|| wrong(NumberingError::Pieces))?;
            let own_file = (files == 4).then_some(file as u8);
            let numbering = Numbering::try_new(&pieces, nibble(order), nibble(order2), own_file)
                .map_err(wrong)?;
            let own = numbering.material();
            let expected = *material.get_or_insert(own);
            if own != expected {
                let what = format!("a sub-table is of {own}, those before it of {expected}");
                return Err(damaged(cursor.name, at, what));
            }
            numberings.push(numbering);
        }
    }
    let material = material.expect("there is a sub-table");
    if material.is_symmetric() == (layout & NOT_SYMMETRIC != 0) {
        let what = format!("the layout is {layout:#04x}, the pieces are {material}");
        return Err(damaged(cursor.name, 4, what));
    }
    Ok((material, numberings))
}

fn both_have_pawns(material: Material) -> bool {
    use cozy_chess::Piece::Pawn;
    material.count(Color::White, Pawn) > 0 && material.count(Color::Black, Pawn) > 0
}

fn pieces_have_both_pawns(layout: u8, codes: &[u8]) -> bool {
    let pieces: Option<Vec<_>> = codes
        .iter()
        .map(|&code| ColoredPiece::from_code(code & 15))
        .collect();
    let material = pieces.and_then(Material::of_pieces);
    layout & HAS_PAWNS != 0 && material.is_some_and(|(material, _)| both_have_pawns(material))
}

/// Reads where the maps of each sub-table are.
fn read_maps(cursor: &mut Cursor<'_>, heads: &[Head]) -> Result<Vec<Option<Maps>>, Error> {
    let mut maps = Vec::with_capacity(heads.len());
    for head in heads {
        if head.flags & MAPPED == 0 {
            maps.push(None);
            continue;
        }
        let wide = head.flags & WIDE_MAPS != 0;
        if wide {
            cursor.align(2, "the padding before a map")?;
        }
        let mut lists = [(0, 0); 4];
        for list in &mut lists {
            let what = "the length of a map";
            let count = match wide {
                true => cursor.u16(what)?,
                false => cursor.u8(what)?.into(),
            };
            *list = (cursor.at(), count);
            cursor.take(usize::from(count) << u8::from(wide), "a map")?;
        }
        maps.push(Some(Maps { wide, lists }));
    }
    cursor.align(2, "the padding after maps")?;
    Ok(maps)
}

/// Finds the index, the lengths and the data of each sub-table.
fn locate(
    cursor: &mut Cursor<'_>,
    kind: Kind,
    material: Material,
    numberings: Vec<Numbering>,
    heads: Vec<Head>,
    maps: Vec<Option<Maps>>,
) -> Result<Vec<SubTable>, Error> {
    let both_sides = kind == Kind::Wdl && !material.is_symmetric();
    let mut sub_tables = Vec::with_capacity(heads.len());
    for (i, ((numbering, head), maps)) in numberings.into_iter().zip(heads).zip(maps).enumerate() {
        let black = match kind {
            Kind::Wdl => both_sides && i % 2 == 1,
            Kind::Dtz => head.flags & SIDE_BLACK != 0,
        };
        if black && material.is_symmetric() {
            return Err(cursor.damaged(0, "a table of like sides has distances for black to move"));
        }
        let content = match head.content {
            // Readers do not agree on this byte, and it has to be 0.
            HeadContent::Single(_) if kind == Kind::Dtz => Content::Single(0),
            HeadContent::Single(value) => {
                let what = || format!("the single value is {value}, more than 4");
                cursor.check(value <= 4, 0, what)?;
                Content::Single(u16::from(value))
            }
            HeadContent::Coded(head) => {
                let mut leaves = head.code.symbols.iter().filter(|symbol| symbol.1 == LEAF);
                let too_great = kind == Kind::Wdl && leaves.any(|leaf| leaf.0 > 4);
                let what = || "a symbol has a value of more than 4".to_owned();
                cursor.check(!too_great, 0, what)?;
                Content::Coded(Coded {
                    head,
                    index_at: 0,
                    lengths_at: 0,
                    data_at: 0,
                })
            }
        };
        sub_tables.push(SubTable {
            numbering,
            side: if black { Color::Black } else { Color::White },
            flags: head.flags,
            maps,
            content,
        });
    }
    // Where so many entries begin, which are taken.
    let take = |cursor: &mut Cursor<'_>, count: u64, each: u64, what: &str| {
        let size = (count.checked_mul(each)).and_then(|size| usize::try_from(size).ok());
        let many = || cursor.damaged(0, format!("{what} has {count} entries, too many"));
        let (size, at) = (size.ok_or_else(many)?, cursor.at());
        cursor.take(size, what)?;
        Ok::<usize, Error>(at)
    };
    for sub_table in &mut sub_tables {
        let places = sub_table.numbering.len();
        if let Content::Coded(coded) = &mut sub_table.content {
            let entries = places.div_ceil(1 << coded.head.span_bits);
            coded.index_at = take(cursor, entries, 6, "the sparse index")?;
        }
    }
    for sub_table in &mut sub_tables {
        if let Content::Coded(coded) = &mut sub_table.content {
            let count = coded.head.lengths();
            coded.lengths_at = take(cursor, count, 2, "the table of block lengths")?;
        }
    }
    for sub_table in &mut sub_tables {
        if let Content::Coded(coded) = &mut sub_table.content {
            cursor.align(64, "the padding before data")?;
            let (count, block_bits) = (coded.head.blocks, coded.head.block_bits);
            coded.data_at = take(cursor, count, 1 << block_bits, "the data")?;
        }
    }
    Ok(sub_tables)
}
