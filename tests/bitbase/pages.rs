//! Memory that goes back to the system.

use std::ops::Range;

use tbindex::bitbase::{Bitbase, Domain, Row};
use tbindex::proofs::whole_pages;

/// Empties every page of a range, as the system does, whose pages have so many rows.
fn system_releases(rows: &mut [Row], range: Range<usize>, page: usize) {
    rows[range.start / page * page..range.end.next_multiple_of(page)].fill(Row::EMPTY);
}

#[test]
fn pages_of_any_size_leave_what_is_beside_the_range() {
    // Slices of 512 bytes, of 32 KiB and of 2 MiB, on pages of 4, 16 and 64 KiB.
    for slice in [8, 512, 32_768] {
        for page in [64, 256, 1024] {
            for number in 0..8 {
                let range = number * slice..(number + 1) * slice;
                let mut rows = vec![!Row::EMPTY; 8 * slice.max(page)];
                let whole = whole_pages(&range, page);
                if !whole.is_empty() {
                    system_releases(&mut rows, whole, page);
                }
                let mut beside = rows[..range.start].iter().chain(&rows[range.end..]);
                assert!(
                    beside.all(|row| *row == !Row::EMPTY),
                    "slice {number} of {slice} rows, pages of {page}"
                );
            }
        }
    }
}

#[test]
fn a_slice_that_is_released_leaves_the_others() {
    let domain = Domain::try_new("KQRvKR".parse().unwrap(), &[]).unwrap();
    let rows = domain.rows();
    let mut set = Bitbase::try_new(&domain).unwrap();
    for slice in [0, 1, 77, domain.slices() - 1] {
        set.rows_mut().fill(!Row::EMPTY);
        set.release_slice(slice);
        for (k, row) in set.rows().iter().enumerate() {
            assert_eq!(row.is_empty(), k / rows == slice, "row {k} of {slice}");
        }
    }
}
