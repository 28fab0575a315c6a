//! Boards of any size.

use tbindex::fairy::Grid;

fn sizes() -> impl Iterator<Item = Grid> {
    (1..=64).flat_map(|width| {
        (1..=(256 / u16::from(width)).min(64) as u8).map(move |height| Grid::new(width, height))
    })
}

#[test]
fn sizes_read_back_and_wrong_ones_are_refused() {
    for grid in sizes() {
        assert_eq!(grid.to_string().parse(), Ok(grid));
    }
    let refuse = |texts: &[&str], expected: &str| {
        for text in texts {
            let error = text.parse::<Grid>().unwrap_err().to_string();
            let start = format!("{text:?} is not a size of a board: expected {expected}");
            assert!(error.starts_with(&start), "{error}");
        }
    };
    refuse(
        &["17x16", "0x4", "4x0", "65x1", "300x1", "99999x1"],
        "1 to 256 squares",
    );
    refuse(
        &["", "8", "8x", "x8", "+8x8", "8x8x1", "axb"],
        "files x ranks",
    );
}
