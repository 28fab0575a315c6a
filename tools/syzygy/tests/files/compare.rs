//! A small run of `compare.py`: published tables as python-chess and shakmaty-syzygy see them.

use std::path::Path;
use std::process::Command;

use crate::support::published;

#[test]
fn other_probers_agree() {
    let Some(folder) = published() else {
        return;
    };
    // The examples are built with the tests, beside their folder.
    let own = std::env::current_exe().unwrap();
    let examples = own.parent().and_then(Path::parent).unwrap();
    let examples = examples.join("examples");
    if !examples.join("probe").exists() {
        println!("SKIPPED: the examples are not built");
        return;
    }
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compare.py");
    let run = Command::new(&python)
        .arg(script)
        .arg(&folder)
        .args(["--positions", "50", "--examples"])
        .arg(examples)
        .output();
    match run {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            println!("{text}");
            assert!(
                output.status.success(),
                "{text}\n{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Err(error) => println!("SKIPPED: {}: {error}", python.display()),
    }
}
