//! Changes of a file's bytes, as a few bytes describe them.

use std::path::Path;

/// Bytes after the changes that a script describes, each in eight of its bytes. If the damage is `blind`, no change
/// chooses a value, so that no chance makes a checksum right; and there are at most eight changes.
pub fn damaged(whole: &[u8], script: &[u8], blind: bool) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for &[kind, low, middle, high, a, b, c, d] in script.as_chunks().0.iter().take(8) {
        if bytes.is_empty() {
            break;
        }
        let place = u32::from_le_bytes([low, middle, high, 0]) as usize;
        // Headers more often than what is behind them.
        let reach = if kind & 0x80 != 0 {
            bytes.len().min(512)
        } else {
            bytes.len()
        };
        let at = place % reach;
        let length = usize::from(u16::from_le_bytes([a, b])) % (bytes.len() - at + 1);
        let to = (usize::from(u16::from_le_bytes([c, d])) * bytes.len()) >> 16;
        match kind % if blind { 8 } else { 12 } {
            0 | 1 => bytes[at] ^= 1 << (a % 8),
            2 => bytes[at..at + length].fill(0),
            3 => bytes[at..at + length].fill(0xff),
            4 => bytes.truncate(at),
            5 => drop(bytes.drain(at..at + length)),
            6 => {
                let stretch = bytes[at..at + length].to_vec();
                bytes.splice(to..to, stretch);
            }
            7 => {
                let to = to.min(bytes.len() - length);
                bytes.copy_within(at..at + length, to);
            }
            8 | 9 => bytes[at] = a,
            10 => write(&mut bytes, at, &[a, b]),
            _ => write(&mut bytes, at, &[a, b, c, d]),
        }
    }
    bytes
}

fn write(bytes: &mut [u8], at: usize, value: &[u8]) {
    for (byte, &value) in bytes[at..].iter_mut().zip(value) {
        *byte = value;
    }
}

/// The number that some bytes are, the lowest first; those past the end are 0.
pub fn number(bytes: &[u8], at: usize, length: usize) -> usize {
    let low_first = bytes.iter().skip(at).take(length).rev();
    low_first.fold(0, |number, &byte| number << 8 | usize::from(byte))
}

/// The result, after a check that an error names the file.
pub fn named<T, E: std::fmt::Display>(read: Result<T, E>, path: &Path) -> Option<T> {
    read.map_err(|error| {
        let error = error.to_string();
        assert!(error.contains(path.to_str().expect("ASCII")), "{error}");
    })
    .ok()
}
