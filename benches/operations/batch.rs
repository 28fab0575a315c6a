//! Batches beside their rivals: `batch/SIZE/PLACE/WORD/NUMBERING/OPERATION/CODE_BACKEND`, for five pieces. `tbindex bench`
//! measures the same in less time, the rivals in turn, and prints the ratios.

use criterion::{Criterion, Throughput};
use tbindex::Numbering;
use tbindex::batch::{Backend, BatchWord};

use crate::harness::{Arena, Operation, Plan, SizeClass, beyond_caches, contenders};
use crate::{contender, race};

fn of_size<W: BatchWord>(c: &mut Criterion, plan: &Plan, size: SizeClass) {
    let mut arena = Arena::<W>::new(plan.pieces, size.working_set(plan.memory_bytes));
    for in_place in [false, true] {
        let place = if in_place { "in_place" } else { "into" };
        for code in contenders(plan, size, in_place) {
            let count = arena.count(code.in_place);
            arena.check(code, count.min(1 << 16));
            let group = format!(
                "batch/{}/{place}/u{}/{}/{}",
                size.name(),
                W::BITS,
                code.numbering,
                code.operation.name()
            );
            let work = Throughput::Bytes((count * size_of::<W>()) as u64);
            let name = format!("{:?}_{}", code.code, code.backend).to_lowercase();
            race(c, group, work, [contender(name, || arena.run(code, count))]);
        }
    }
}

pub(crate) fn all(c: &mut Criterion) {
    let mut plan = Plan {
        backends: Backend::available().collect(),
        numberings: Numbering::ALL.to_vec(),
        pieces: 5,
        operations: Operation::ALL.to_vec(),
        memory_bytes: beyond_caches(),
    };
    for size in SizeClass::ALL {
        if size == SizeClass::Memory {
            // Beyond the caches the backends hardly differ.
            plan.backends = vec![Backend::detect()];
        }
        of_size::<u32>(c, &plan, size);
        of_size::<u64>(c, &plan, size);
    }
}
