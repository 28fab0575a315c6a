//! Laws of reductions and of writers of index files, for any indices.

use std::collections::BTreeSet;

use tbindex::batch::Backend;
use tbindex::store::{
    Contents, IndexFile, IndexWriter, Method, Overwrite, Reduction, StoreErrorKind, StoredWord,
    Target, unwatched,
};
use tbindex::{Color, Equivalence, Layout, Material, Numbering};

/// Materials with and without pawns and like pieces, for both words.
const MATERIALS: [&str; 8] = [
    "KvK",
    "KRvK",
    "KRRvK",
    "KPPvKP",
    "KQRvKRN",
    "KQRBvKRN",
    "KRRPPvKPP",
    "KQQPPvKPPPP",
];

/// How many indices all batches of an input have at most.
const MOST: usize = 100_000;

/// Batches of indices of so many pieces, each described by four bytes: how its indices follow one another, how many they
/// are, and where they begin. One kind has indices that are out of range.
fn batches<W: StoredWord>(pieces: usize, bytes: &[u8]) -> Vec<Vec<W>> {
    let bits = 6 * pieces as u32;
    let mut left = MOST;
    let mut batch = |&[kind, count, low, high]: &[u8; 4]| {
        // Few of them, or about a power of two.
        let count = match count {
            0..128 => usize::from(count),
            _ => (1 << ((count - 128) / 8)) + usize::from(count % 8),
        };
        let count = count.min(left);
        left -= count;
        let begin = u64::from(u16::from_le_bytes([low, high]));
        // Spreads the small numbers that bytes are over all indices.
        let spread = |x: u64| x.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits);
        let first = spread(begin);
        let index = |k: u64| match kind % 8 {
            0 | 1 => spread(begin << 20 | k),
            2 => first + k,
            3 => first.saturating_sub(k),
            4 => first,
            5 => begin + k / 3,
            6 => spread(k % 7),
            _ if kind == 255 => first | 1 << bits,
            _ => begin.wrapping_mul(k),
        };
        let kept = if kind == 255 { !0 } else { (1 << bits) - 1 };
        (0..count as u64)
            .map(|k| W::truncate((index(k) & kept).into()))
            .collect()
    };
    bytes.as_chunks().0.iter().map(&mut batch).collect()
}

/// Whether an index has bits above its digits.
fn is_out_of_range<W: StoredWord>(layout: Layout<W>, index: W) -> bool {
    let masks = layout.masks();
    index & (masks.low | masks.high) != index
}

/// A law of a material in a numbering, given three more choices and the bytes that describe the batches.
type Law = fn(Material, Numbering, [u8; 3], &[u8]);

/// A law for any bytes, in the word that the material takes.
fn holds(bytes: &[u8], narrow: Law, wide: Law) {
    let Some((&[material, choices @ ..], rest)) = bytes.split_first_chunk::<4>() else {
        return;
    };
    let numbering = Numbering::ALL[usize::from(material >> 7)];
    let material = MATERIALS[usize::from(material) % MATERIALS.len()];
    let material: Material = material.parse().expect("a material");
    let law = if material.piece_count() <= 5 {
        narrow
    } else {
        wide
    };
    law(material, numbering, choices, rest);
}

/// A reduction gives the set of the canonical forms, and names an index that is out of range.
pub fn reduction_agrees_with_a_tree(bytes: &[u8]) {
    holds(
        bytes,
        reduction_of_word_agrees::<u32>,
        reduction_of_word_agrees::<u64>,
    );
}

fn reduction_of_word_agrees<W: StoredWord>(
    material: Material,
    numbering: Numbering,
    [how, expected, foreign]: [u8; 3],
    rest: &[u8],
) {
    let folder = tempfile::tempdir().expect("a folder");
    let same = Equivalence::<W>::try_new(material, numbering).expect("at most 10 pieces");
    let pieces = material.piece_count();
    let reduction = Reduction {
        memory: Reduction::LEAST_MEMORY << (how & 3),
        threads: 1 + usize::from(how >> 2 & 3),
        method: match how >> 4 & 3 {
            // The bitmap of more pieces takes long to read.
            0 if pieces < 5 => Method::Bitmap,
            1 if pieces < 5 => Method::Auto,
            _ => Method::Sort,
        },
        temp: Some(folder.path().to_owned()),
        ..Reduction::default()
    };
    // A reducer that is told to expect little sorts little at once, so that there are runs and merges.
    let expected = [
        None,
        Some(0),
        Some(1000),
        Some(20_000),
        Some(MOST as u64),
        Some(u64::MAX),
    ][usize::from(expected) % 6];
    let mut reducer = match reduction.reducer(same.clone(), expected) {
        Ok(reducer) => reducer,
        Err(error) => {
            let kind = error.kind;
            let too_little = matches!(
                kind,
                StoreErrorKind::TooLittleMemory { .. } | StoreErrorKind::TooLittleSpace { .. }
            );
            return assert!(too_little, "{error}");
        }
    };
    let mut tree = BTreeSet::new();
    let mut read = 0;
    for (k, batch) in batches::<W>(pieces, rest).iter().enumerate() {
        let numbering = Numbering::ALL[usize::from(foreign >> (k % 8) & 1)];
        let layout = Layout::<W>::new(same.layout().pieces(), numbering);
        let pushed = reducer.push(numbering, batch);
        if let Some(&first) = batch.iter().find(|&&index| is_out_of_range(layout, index)) {
            let error = pushed.expect_err("an index is out of range").to_string();
            return assert!(
                error.contains(&format!("{first:#o} at position")),
                "{error}"
            );
        }
        pushed.expect("indices in range");
        let canonical =
            |&index: &W| same.canonical(layout.convert(same.layout().numbering(), index));
        tree.extend(batch.iter().map(canonical));
        read += batch.len() as u64;
    }
    let mut reduced: Vec<W> = Vec::new();
    let mut take = |some: &[W]| {
        reduced.extend_from_slice(some);
        Ok(())
    };
    let summary = reducer
        .finish(&mut take, &mut unwatched)
        .expect("a folder with room");
    assert_eq!((summary.read, summary.count), (read, tree.len() as u64));
    assert!(reduced.iter().eq(&tree), "{reduction:?} {expected:?}");
    let left = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 0, "temporary files are left");
}

/// A writer takes indices in any slices as long as they are as its contents say, and its file has exactly these; after any
/// others there is no file.
pub fn writer_writes_what_it_takes(bytes: &[u8]) {
    holds(
        bytes,
        writer_of_word_writes::<u32>,
        writer_of_word_writes::<u64>,
    );
}

fn writer_of_word_writes<W: StoredWord>(
    material: Material,
    numbering: Numbering,
    [told, how, side]: [u8; 3],
    rest: &[u8],
) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    let same = Equivalence::<W>::try_new(material, numbering).expect("at most 10 pieces");
    let bit = |byte: u8, number: u8| byte >> number & 1 != 0;
    let contents = Contents {
        side: [None, Some(Color::White), Some(Color::Black)][usize::from(side) % 3],
        canonical: bit(told, 0),
        sorted: bit(told, 1),
        distinct: bit(told, 2),
        ..Contents::new(material, numbering)
    };
    let mut batches = batches::<W>(material.piece_count(), rest);
    if bit(how, 0) {
        batches
            .iter_mut()
            .flatten()
            .for_each(|index| *index = same.canonical(*index));
    }
    if bit(how, 1) {
        // All of them in order, each once, in slices as they were.
        let lengths: Vec<usize> = batches.iter().map(Vec::len).collect();
        let all: BTreeSet<W> = batches.concat().into_iter().collect();
        let mut all = all.into_iter();
        let slices = lengths
            .iter()
            .map(|&length| all.by_ref().take(length).collect());
        batches = slices.collect();
    }
    let compact = bit(how, 2);
    let target = Target {
        compact,
        ..Target::plain(&path, Overwrite::Refuse)
    };
    let created = IndexWriter::<W>::create(&target, contents, Backend::detect());
    let can_be = !(contents.distinct || compact) || contents.sorted;
    assert_eq!(created.is_ok(), can_be, "{created:?}");
    let Ok(mut writer) = created else { return };
    let observing = bit(how, 3);
    if observing {
        writer = writer.observing();
    }
    let mut all: Vec<W> = Vec::new();
    let is_as_told = |all: &[W]| {
        all.iter()
            .all(|&index| !is_out_of_range(same.layout(), index))
            && (!contents.sorted || all.is_sorted())
            && (!contents.distinct || all.is_sorted_by(|a, b| a < b))
    };
    for batch in &batches {
        let written = writer.write(batch);
        all.extend_from_slice(batch);
        assert_eq!(written.is_ok(), is_as_told(&all), "{written:?}");
        if written.is_err() {
            break;
        }
    }
    let finished = writer.finish();
    assert_eq!(finished.is_ok(), is_as_told(&all), "{finished:?}");
    assert_eq!(path.exists(), finished.is_ok());
    let Ok(header) = finished else { return };
    let file = IndexFile::open(&path, Backend::detect()).expect("a file");
    assert_eq!(header.count, all.len() as u64);
    let (reader, mut read) = (file.reader().expect("its word"), vec![W::ZERO; all.len()]);
    reader.read_into(0, &mut read).expect("whole blocks");
    assert!(read == all);

    let canonical = all.iter().all(|&index| same.canonical(index) == index);
    let distinct = all.is_sorted_by(|a, b| a < b);
    let told = Contents {
        canonical: contents.canonical || observing && canonical,
        sorted: contents.sorted || observing && all.is_sorted(),
        distinct: contents.distinct || observing && distinct,
        ..contents
    };
    assert_eq!((header.contents, header.compact), (told, compact));
    assert_eq!(*file.header(), header);
    let verified = file.verify(1 + usize::from(side) % 2, &mut unwatched);
    assert_eq!(
        verified.is_ok(),
        !header.contents.canonical || canonical,
        "{verified:?}"
    );
}
