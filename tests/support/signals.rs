//! Signals that tests send to the programs.

use std::process::{Child, Command};

/// Sends a signal, by the name that `kill` takes, such as `-TERM`, to a program that is held. Where the system tells, it
/// returns when the program has noticed the signal: its first thread, which gets it, is asleep again.
///
/// # Panics
/// If the signal can't be sent.
#[cfg(unix)]
pub fn send(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([name, &id]).status();
    assert!(sent.expect("kill can be started").success());
    let status = |name: &str| {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.map_or(String::new(), |value| value.trim().to_owned())
    };
    // First it is taken, and then the thread that took it runs until its handler ends.
    while status("ShdPnd:").contains(|digit| digit != '0') {
        std::thread::yield_now();
    }
    while status("State:").starts_with(['R', 'D']) {
        std::thread::yield_now();
    }
}

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
