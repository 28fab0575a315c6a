//! Any bytes as two sets: operations on slices and on files agree with those on trees.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use tbindex_fuzz::set_laws;

fuzz_target!(|bytes: &[u8]| {
    let pair = set_laws::sets_of(bytes);
    set_laws::slices_agree_with_trees(&pair[0], &pair[1]);
    let any: Vec<u32> = bytes.iter().map(|&byte| byte.into()).collect();
    set_laws::any_slices_are_safe(&any, &pair[0]);
    // Files are synced, which takes its time: few inputs, and short ones.
    if bytes.first() == Some(&0) && bytes.len() < 300 {
        static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
        let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a folder"));
        set_laws::files_agree_with_slices(folder.path(), &pair);
    }
});
