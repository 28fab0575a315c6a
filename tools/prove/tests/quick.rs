//! The theorems that take a moment, proved with all other tests.

#[test]
fn quick_theorems_hold() {
    let selection = prove::Selection {
        quick: true,
        only: None,
    };
    let records = prove::run(&selection);
    assert!(!records.is_empty());
    let failed: Vec<_> = records.iter().filter(|record| record.failed()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}
