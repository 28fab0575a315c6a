//! Damaged files: an error that names the file and what is wrong, never a panic and never an endless loop.

use crate::any_bytes::opening_is_safe;
use crate::random::Random;
use crate::support::published;
use syzygy_tables::{Error, TableFile};

/// The whole of KRvK.rtbw, as the format's page prints it.
fn small_file() -> Vec<u8> {
    let mut bytes = vec![
        0x71, 0xe8, 0x23, 0x5d, 0x31, 0x00, 0xee, 0x66, 0x44, 0x00, 0x80, 0x04, 0x00, 0x06, 0x0f,
        0x00, 0x01, 0x00, 0x00, 0x00, 0x05, 0x01, 0x09, 0x00, 0x09, 0x00, 0x08, 0x00, 0x04, 0x00,
        0x00, 0x00, 0x0a, 0x00, 0x01, 0x10, 0x00, 0x07, 0x70, 0x00, 0x00, 0x00, 0x00, 0x02, 0x20,
        0x00, 0x06, 0x60, 0x00, 0x03, 0x30, 0x00, 0x05, 0x50, 0x00, 0x00, 0xf0, 0xff, 0x02, 0xf0,
        0xff, 0x04, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x63, 0x7a,
    ];
    bytes.resize(0x80, 0);
    // Not the published data, but as many values: 122 times 256, and 100 more.
    bytes.resize(0xc0, 0xff);
    let sum = syzygy_tables::checksum::checksum(&bytes);
    bytes.extend(sum);
    bytes
}

#[test]
fn every_byte_of_a_small_file_may_be_flipped() {
    let intact = small_file();
    TableFile::from_bytes("KRvK.rtbw", intact.clone())
        .unwrap()
        .verify()
        .unwrap();
    for at in 0..intact.len() {
        for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            let mut bytes = intact.clone();
            bytes[at] ^= flip;
            opening_is_safe(&bytes);
            if let Ok(file) = TableFile::from_bytes("KRvK.rtbw", bytes) {
                file.verify().unwrap_err();
            }
        }
    }
}

#[test]
fn a_file_may_be_cut_anywhere() {
    let intact = small_file();
    for len in 0..intact.len() {
        let error = TableFile::from_bytes("KRvK.rtbw", intact[..len].to_vec());
        match error {
            Err(error) => assert!(error.to_string().starts_with("KRvK.rtbw: "), "{error}"),
            Ok(file) => assert!(file.verify().is_err()),
        }
        opening_is_safe(&intact[..len]);
    }
}

/// The head of one sub-table, with symbols of the caller's.
fn with_symbols(symbols: &[(u16, u16)]) -> Result<TableFile, Error> {
    let mut bytes = small_file()[..0x0c].to_vec();
    bytes.extend([0x00, 0x06, 0x0f, 0x00, 0x01, 0, 0, 0, 1, 1, 0, 0]);
    bytes.extend((symbols.len() as u16).to_le_bytes());
    for &(x, y) in symbols {
        bytes.extend([x as u8, (x >> 8 | y << 4) as u8, (y >> 4) as u8]);
    }
    bytes.resize(bytes.len().next_multiple_of(2), 0);
    bytes.extend([0, 0, 0, 0, 0, 0x40, 0x63, 0x7a]);
    bytes.resize(bytes.len().next_multiple_of(64) + 64, 0);
    bytes.resize(bytes.len() + 16, 0);
    TableFile::from_bytes("KRvK.rtbw", bytes)
}

#[test]
fn symbols_that_can_not_be_are_named() {
    let leaf = (0, 0xfff);
    let error = |symbols: &[(u16, u16)]| with_symbols(symbols).unwrap_err().to_string();
    with_symbols(&[leaf]).unwrap();
    assert!(error(&[(0, 0)]).contains("contains itself"));
    assert!(error(&[(1, 2), (0, 2), leaf]).contains("contains itself"));
    assert!(error(&[(0, 7), leaf]).contains("made of 0 and 7"));
    assert!(error(&[(5, 0xfff)]).contains("more than 4"));
    // Doubling nine times is too long.
    let doubled: Vec<_> = std::iter::once(leaf)
        .chain((0..9).map(|i| (i, i)))
        .collect();
    with_symbols(&doubled[..9]).unwrap();
    assert!(error(&doubled).contains("more than 256"));
    // One more at a time is too deep, though short.
    let mut chain = vec![leaf];
    chain.extend((0..17).map(|i| (i, 0)));
    with_symbols(&chain[..17]).unwrap();
    assert!(error(&chain).contains("deep"));
    // The other way round, the deepest first.
    let deep: Vec<_> = (0..17).map(|i| (i + 1, 17)).chain([leaf]).collect();
    assert!(error(&deep).contains("deep"));
}

#[test]
fn fields_of_the_head_that_can_not_be_are_named() {
    for (at, value, message) in [
        (0, 0, "first bytes"),
        (4, 0x21, "layout says 2 pieces"),
        (4, 0x30, "layout is 0x30"),
        (5, 0x01, "places of the leading groups"),
        (6, 0x00, "pieces"),
        (0x0b, 5, "single value is 5"),
        (0x0d, 11, "2^11"),
        (0x0e, 0, "2^0"),
        (0x10, 0, "no blocks"),
        (0x13, 0xff, "the table of block lengths"),
        (0x14, 33, "33 bits"),
        (0x15, 6, "6 bits"),
        (0x16, 10, "lowest symbols"),
        (0x20, 0, "0 symbols"),
    ] {
        let mut bytes = small_file();
        bytes[at] = value;
        let error = TableFile::from_bytes("KRvK.rtbw", bytes)
            .unwrap_err()
            .to_string();
        assert!(error.contains(message), "byte {at:#x} = {value}: {error}");
    }
}

#[test]
fn damaged_published_files_do_no_harm() {
    let Some(folder) = published() else { return };
    for name in [
        "KPvK.rtbw",
        "KPvK.rtbz",
        "KRvK.rtbz",
        "KPPvK.rtbw",
        "KPvKP.rtbz",
    ] {
        let intact = std::fs::read(folder.join(name)).unwrap();
        let mut random = Random::new(1);
        for _ in 0..400 {
            let mut bytes = intact.clone();
            for _ in 0..3 {
                // Heads more often than data.
                let reach = [512, bytes.len()][random.bits(1) as usize];
                let at = random.bits(31) as usize % reach.min(bytes.len());
                bytes[at] = random.bits(8) as u8;
            }
            opening_is_safe(&bytes);
        }
    }
}
