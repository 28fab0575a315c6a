//! Theorems about instructions: each method of the vectors is what its trait says, on the processor at hand.
//!
//! A processor can't be run on symbols, so it is run on numbers. This is why they suffice, for each form of method:
//!
//! - *Bytes and numbers of 16 bits* are small. All bytes are tried in every place, and all pairs of numbers of 16
//!   bits in every operation on two of them.
//! - *Places*: where bits, bytes or words change places or are copied, each bit of the result is one bit of the
//!   operands or zero, so a single bit in each place shows all of it. Pairs of bits, and all bits but one or two,
//!   show that bits do not meet: in products that serve as shifts, the images of single bits are disjoint, and a
//!   sum of disjoint words has no carries.
//! - *Bit by bit*: each bit of the result is a function of the bits at its place. All combinations of these are
//!   tried at each place, with all combinations of other bits that are alike, and with single bits in other places.
//! - *Order*: comparisons and minima compare bit strings from the highest
//!   bit on. This is an order, that is, transitive, so it is the order of numbers if each is less than the next
//!   one. For 30 bits all neighbours are tried. For more, those that differ by a carry of every length, with one,
//!   two, all or none of the bits above, as the higher bits are equal and can't matter.
//! - *Sorting*: a network of exchanges sorts everything if it sorts zeros and ones.
//! - *Lanes* are alike and do not see each other: every operand is tried in every lane, beside others.
//!
//! Behaviour of an instruction beyond what its form allows (a bit that matters only together with three certain others)
//! would be a fault of the processor, which no sample excludes.

mod bitbases;
mod bytes;
mod exhaustive;
mod lanes;
mod words;

use tbindex::batch::Backend;
use tbindex::dispatch;
use tbindex::proofs::bitbases::HasBoards;
use tbindex::proofs::{Isa, Lanes};

use self::exhaustive::{all_neighbours, all_of_16, all_sums_of_16};
use self::words::Checks;
pub(crate) use self::words::mixed;
use crate::Theorem;
use crate::theorem::Outcome;

const METHOD: &str = "bytes exhaustively, bits alone and in pairs, neighbours";

/// All of them.
pub(crate) fn theorems() -> Vec<Theorem> {
    let mut all = Vec::new();
    for name in Backend::NAMES {
        type Proof = fn(Backend) -> Result<String, String>;
        let mut add = |subject: &str, quick, statement: &str, run: Proof| {
            let statement = format!("{statement}, on {name}.");
            let run = move || match name.parse::<Backend>() {
                Err(error) => Outcome::Skipped(error.to_string()),
                Ok(backend) => run(backend).into(),
            };
            let subject = format!("{subject}-{name}");
            all.push(Theorem::new(subject, statement, METHOD, quick, run));
        };
        add(
            "lanes",
            true,
            "Each method of `Lanes` on words of 32 and 64 bits does what the trait says",
            |backend| dispatch!(backend, isa => of_lanes(isa)),
        );
        add(
            "bytes",
            true,
            "Each method of `Bytes` does what the trait says",
            |backend| dispatch!(backend, isa => of_bytes(isa)),
        );
        add(
            "bitbase-lanes-sample",
            true,
            "Each method of the lanes of bitbases does what the trait says, for one bit and some pairs",
            |backend| dispatch!(backend, isa => of_bitbases(isa, 101)),
        );
        add(
            "bitbase-lanes",
            false,
            "Each method of the lanes of bitbases does what the trait says, for one bit and all pairs",
            |backend| dispatch!(backend, isa => of_bitbases(isa, 1)),
        );
        add(
            "products",
            false,
            "Operations on numbers of 16 and of 8 bits do what the trait says for all operands",
            |backend| dispatch!(backend, isa => of_products(isa)),
        );
        add(
            "order",
            false,
            "Each of 2^30 words is less than the next",
            |backend| dispatch!(backend, isa => of_order(isa)),
        );
    }
    all
}

fn of_lanes<I: Isa>(isa: I) -> Result<String, String> {
    let mut checks = Checks::default();
    lanes::check::<u32, I::Of<u32>>(isa, &mut checks);
    lanes::check::<u64, I::Of<u64>>(isa, &mut checks);
    lanes::check_lines(isa, &mut checks);
    checks.outcome()
}

fn of_bytes<I: Isa>(isa: I) -> Result<String, String> {
    let mut checks = Checks::default();
    bytes::check::<I::Bytes>(isa, &mut checks);
    checks.outcome()
}

fn of_bitbases<I: HasBoards>(isa: I, step: usize) -> Result<String, String> {
    let mut checks = Checks::default();
    bitbases::check::<I::Boards>(isa, &mut checks, step);
    checks.outcome()
}

#[inline(always)]
fn of_products<I: Isa>(isa: I) -> Result<String, String> {
    type Of<I> = <I as Isa>::Of<u32>;
    let product = |a: u16, b: u16| u32::from(a) * u32::from(b);
    let (min, high) = (Lanes::min_of_16, Lanes::high_product_of_16);
    let (low, sum) = (Lanes::low_product_of_16, Lanes::sum_of_products_of_8);
    all_of_16::<Of<I>>(isa, "min_of_16", min, |a, b| (true, a.min(b)))?;
    all_of_16::<Of<I>>(isa, "high_product_of_16", high, |a, b| {
        (true, (product(a, b) >> 16) as u16)
    })?;
    all_of_16::<Of<I>>(isa, "low_product_of_16", low, |a, b| {
        (true, product(a, b) as u16)
    })?;
    all_of_16::<Of<I>>(isa, "sum_of_products_of_8", sum, |a, b| {
        let product = |up: u32| i32::from((a >> up) as u8) * i32::from((b >> up) as u8 as i8);
        let sum = product(0) + product(8);
        (i32::from(sum as i16) == sum, sum as u16)
    })?;
    for (is_upper, others) in [
        (false, [0, 0]),
        (true, [0, 0]),
        (false, [-32768, 32767]),
        (true, [21845, -3]),
    ] {
        all_sums_of_16::<Of<I>>(isa, is_upper, others)?;
    }
    Ok("8 times 2^32 pairs of operands".to_owned())
}

#[inline(always)]
fn of_order<I: Isa>(isa: I) -> Result<String, String> {
    all_neighbours::<I::Of<u32>>(isa)?;
    Ok("2^30 neighbours".to_owned())
}
