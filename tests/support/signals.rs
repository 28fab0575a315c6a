//! Signals that tests send to the programs.

/// The ones of these signals that a program notices which a test starts. In the background of some shells, and under
/// `nohup`, interrupts are ignored, by programs that were started there, too.
pub fn noticed<const N: usize>(signals: [(&'static str, i32); N]) -> Vec<(&'static str, i32)> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.map_or(0, |set| u64::from_str_radix(set.trim(), 16).unwrap());
    let is_noticed = |&(name, number): &(&str, i32)| {
        let noticed = ignored >> (number - 1) & 1 == 0;
        if !noticed {
            println!("SKIPPED: kill {name}, which is ignored where the test was started");
        }
        noticed
    };
    signals.into_iter().filter(is_noticed).collect()
}
