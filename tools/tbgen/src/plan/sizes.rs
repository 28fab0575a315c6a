//! Sizes in bytes, as people write and read them.

/// Reads a size such as `300M` or `2G`, in bytes; the letters stand for powers of 1024.
///
/// # Errors
/// If it is no such size, or too large.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u64 = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return Err("expected a size such as 300M or 2G".to_owned()),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| "expected a size such as 300M or 2G".to_owned())?;
    number
        .checked_mul(factor)
        .ok_or_else(|| "the size is too large".to_owned())
}

/// A number of bytes that is needed, as people read it: in whole mebibytes, of which so many are enough.
#[must_use]
pub fn at_least(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}

/// A number of bytes as people read it, rounded up, in the units in which they give sizes.
#[must_use]
pub fn mebibytes(bytes: u64) -> String {
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    match mebibytes {
        less if less < 1.0 => format!("{} KiB", bytes.div_ceil(1024)),
        few if few < 10.0 => format!("{:.1} MiB", (10.0 * few).ceil() / 10.0),
        some if some < 100_000.0 => at_least(bytes),
        many => format!("{:.0} GiB", (many / 1024.0).ceil()),
    }
}
