//! Batches give the answers of the single prober.
