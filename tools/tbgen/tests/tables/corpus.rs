//! The laws of the fuzz targets hold for their stored inputs and for changes of these.

use crate::corpora::holds;
use crate::laws;

crate::corpora! {
    checkpoints: laws::checkpoints::any_checkpoint_is_safe;
    packed: laws::packed::any_packed_file_is_safe;
    tables: laws::tables::any_table_is_safe;
}
