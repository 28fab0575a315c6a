//! The theorems that take a moment, proved with all other tests.

#[test]
fn quick_theorems_hold() {
    let selection = prove::Selection {
        quick: true,
        only: None,
    };
    assert!(prove::run(&selection), "one is printed as FAILED");
}
