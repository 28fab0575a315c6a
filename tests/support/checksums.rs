//! Files that lie, with every checksum made right again.

/// The bytes of an index file with every checksum made right that can be found: of the blocks that the
/// table names, of the table, of the header.
pub fn with_right_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() < 256 {
        return bytes;
    }
    let number = |bytes: &[u8], at: usize| -> Option<usize> {
        let eight = bytes.get(at..)?.first_chunk()?;
        usize::try_from(u64::from_le_bytes(*eight)).ok()
    };
    let table = number(&bytes, 64).filter(|&at| at <= bytes.len());
    if let Some(table) = table {
        for entry in (table..bytes.len().saturating_sub(31)).step_by(32) {
            let length = number(&bytes, entry + 16).map_or(0, |length| length & 0xffff_ffff);
            let block = number(&bytes, entry).and_then(|at| bytes.get(at..)?.get(..length));
            if let Some(checksum) = block.map(crc32fast::hash) {
                bytes[entry + 24..entry + 28].copy_from_slice(&checksum.to_le_bytes());
            }
        }
        let checksum = crc32fast::hash(&bytes[table..]);
        bytes[84..88].copy_from_slice(&checksum.to_le_bytes());
    }
    let checksum = crc32fast::hash(&bytes[..252]);
    bytes[252..256].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The bytes with some of them replaced, and every checksum made right again.
pub fn forged(bytes: &[u8], at: usize, field: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + field.len()].copy_from_slice(field);
    with_right_checksums(&bytes)
}
