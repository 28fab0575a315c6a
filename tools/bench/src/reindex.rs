//! Whole tables from one order to another, beside memcpy and the loop over rank and unrank.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tbindex::batch::Backend;
use tbindex::bitbase::{Domain, Man, Slot};
use tbindex::order::{Order, Reindexing, Scheme};
use tbindex::{
    Compact, Dense, Diagonal, Kings, Layout, Material, Numbering, Orbit, Rules, Square, Triangle,
};

/// An order of the material's positions, and its slots one at a time. Squares are in the order of its men.
struct Numbered {
    name: &'static str,
    order: Order,
    rank: Rank,
    unrank: Unrank,
}

type Rank = Box<dyn Fn(&[Square]) -> Option<u64> + Sync>;
type Unrank = Box<dyn Fn(u64, &mut [Square]) + Sync>;

/// How fast a table moves from one order to another.
#[derive(Debug)]
pub struct Row {
    /// The order that is left.
    pub from: &'static str,
    /// The order that is made.
    pub to: &'static str,
    /// Entries of the target for each second.
    pub entries_per_second: f64,
    /// How many times the throughput of memcpy, and of the loop, this is.
    pub versus: [f64; 2],
}

/// The slots that are compared with the loop and that it is timed for.
const SAMPLE: usize = 1 << 18;

/// The runs of which the fastest counts.
const RUNS: usize = 5;

/// Measures all pairs of orders of a material, on one thread. `progress` is called with the name of the current
/// measurement.
///
/// # Errors
/// If the material has pawns or more than five pieces, no thread can be started, or the loop has other entries.
pub fn measure(
    material: Material,
    backend: Backend,
    progress: &mut impl FnMut(&str),
) -> Result<Vec<Row>> {
    ensure!(
        !material.has_pawns() && material.piece_count() <= 5,
        "{material} has pawns or more than 5 pieces: expected a material of up to 5 pieces without pawns"
    );
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let all = orders(material)?;
    let mut rows = Vec::new();
    for from in &all {
        progress(&format!("entries of {}", from.name));
        let mut squares = vec![Square::A1; from.order.men().len()];
        let source: Vec<u8> = (0..from.order.size())
            .map(|slot| {
                (from.unrank)(slot, &mut squares);
                entry(from.order.men(), &squares)
            })
            .collect();
        for to in &all {
            progress(&format!("{} to {}", from.name, to.name));
            rows.push(pool.install(|| measure_pair(from, to, backend, &source))?);
        }
    }
    Ok(rows)
}

/// An entry that is the same for all images of a position and all exchanges of like men.
fn entry(men: &[Man], squares: &[Square]) -> u8 {
    let ring = |square: Square| {
        let [file, rank] = [square.file() as u8, square.rank() as u8].map(|x| x.min(7 - x));
        file.max(rank) * 4 + file.min(rank)
    };
    let men = men.iter().zip(squares);
    men.fold(0u8, |sum, (man, &square)| {
        let weight = man.piece().map_or(0, |piece| {
            2 * (6 * piece.color as u8 + piece.kind as u8) + 1
        });
        sum.wrapping_add(weight.wrapping_mul(ring(square)))
    })
}

fn measure_pair(from: &Numbered, to: &Numbered, backend: Backend, source: &[u8]) -> Result<Row> {
    let way = Reindexing::try_new(&from.order, &to.order)?;
    let mut target = vec![0; to.order.size() as usize];
    let moved = fastest(|| way.range_into(source, 0, 0, black_box(&mut target), backend));
    let places: Vec<usize> = places(from.order.men(), to.order.men());
    let mut squares = [
        vec![Square::A1; places.len()],
        vec![Square::A1; places.len()],
    ];
    let slots = target.len().min(SAMPLE);
    let first = (target.len() - slots) / 2;
    let mut by_loop = vec![0; slots];
    let looped = fastest(|| {
        let [of_target, of_source] = &mut squares;
        for (slot, entry) in (first as u64..).zip(black_box(&mut by_loop)) {
            (to.unrank)(slot, of_target);
            for (square, &place) in of_source.iter_mut().zip(&places) {
                *square = of_target[place];
            }
            *entry = (from.rank)(of_source).map_or(0, |slot| source[slot as usize]);
        }
    });
    ensure!(
        target[first..first + slots] == by_loop,
        "{} to {}: the loop has other entries",
        from.name,
        to.name
    );
    let mut copy = vec![0; source.len()];
    let copied = fastest(|| black_box(&mut copy).copy_from_slice(source));
    let each = moved.as_secs_f64() / target.len() as f64;
    Ok(Row {
        from: from.name,
        to: to.name,
        entries_per_second: 1.0 / each,
        versus: [
            copied.as_secs_f64() / source.len() as f64 / each,
            looped.as_secs_f64() / slots as f64 / each,
        ],
    })
}

fn fastest(mut code: impl FnMut()) -> Duration {
    let runs = (0..RUNS).map(|_| {
        let start = Instant::now();
        code();
        start.elapsed()
    });
    runs.min().unwrap_or_default()
}

/// For each man the place of one like him among others.
fn places(men: &[Man], among: &[Man]) -> Vec<usize> {
    let mut free: Vec<Option<Man>> = among.iter().copied().map(Some).collect();
    let place = |man: &Man| {
        let place = free.iter().position(|other| other.as_ref() == Some(man));
        place.inspect(|&place| free[place] = None).unwrap_or(0)
    };
    men.iter().map(place).collect()
}

fn orders(material: Material) -> Result<Vec<Numbered>> {
    let (natural, group) = (Numbering::Natural, material.group());
    let layout = Layout::<u64>::try_new(material.piece_count(), natural)?;
    let (rules, exact) = (Rules::KingsApart, Diagonal::Exact);
    Ok(vec![
        of_domain(Domain::try_new(material, &[])?),
        of_scheme(material, "kings", Scheme::Kings, Kings::new(layout, group))?,
        of_scheme(
            material,
            "triangle",
            Scheme::Triangle,
            Triangle::new(layout, group),
        )?,
        of_scheme(material, "orbit", Scheme::Orbit, Orbit::new(layout, group))?,
        of_scheme(
            material,
            "compact",
            Scheme::Compact(rules, exact),
            Compact::<u64>::try_new(material, natural, rules, exact)?,
        )?,
    ])
}

fn of_scheme(
    material: Material,
    name: &'static str,
    scheme: Scheme,
    dense: impl Dense<u64> + Clone + Sync + 'static,
) -> Result<Numbered> {
    let order = Order::of_scheme(material, scheme)?;
    let index: Vec<Man> = material.index_order().map(Man::from).collect();
    let (to_index, to_order) = (places(&index, order.men()), places(order.men(), &index));
    let (layout, other) = (dense.layout(), dense.clone());
    Ok(Numbered {
        name,
        order,
        rank: Box::new(move |squares| {
            let mut own = [Square::A1; tbindex::bitbase::MOST_PIECES];
            for (own, &place) in own.iter_mut().zip(&to_index) {
                *own = squares[place];
            }
            dense.rank(layout.encode(&own[..to_index.len()]))
        }),
        unrank: Box::new(move |slot, squares| {
            let index = other.unrank(slot);
            for (square, &place) in squares.iter_mut().zip(&to_order) {
                *square = layout.square(index, place);
            }
        }),
    })
}

fn of_domain(domain: Domain) -> Numbered {
    let other = domain.clone();
    Numbered {
        name: "domain",
        order: Order::of_domain(&domain),
        rank: Box::new(move |squares| {
            let (slot, _) = domain.slot_of_squares([squares[0], squares[1]], &squares[2..])?;
            Some(slot.slice as u64 * domain.slice_slots() + slot.offset)
        }),
        unrank: Box::new(move |slot, squares| {
            let slot = Slot {
                slice: (slot / other.slice_slots()) as usize,
                offset: slot % other.slice_slots(),
            };
            for (square, from) in squares.iter_mut().zip(other.squares(slot)) {
                *square = from;
            }
        }),
    }
}
