//! Theorems about dense numbers: rank and unrank are inverse, and sizes are exact, for every slot and every index of up to
//! five pieces.

#[path = "../../../tests/laws/dense.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    reason = "the tests of the library use more of it"
)]
mod laws;

use tbindex::batch::{Backend, DenseBatch};
use tbindex::{
    Compact, Diagonal, Equivalence, Group, KingDistance, Kings, Layout, LikePieces, Material,
    Numbering, Orbit, Rules, Square, Triangle, Word,
};

use self::laws::{Promise, RULES};
use crate::Theorem;

/// Slots or indices that are done at once.
const CHUNK: usize = 1 << 14;

/// The result of a check.
#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    schemes: u64,
    slots: u64,
    indices: u64,
}

impl Shown {
    fn of_scheme(slots: u64, indices: u64) -> Shown {
        Shown {
            schemes: 1,
            slots,
            indices,
        }
    }

    fn add(&mut self, other: Shown) {
        self.schemes += other.schemes;
        self.slots += other.slots;
        self.indices += other.indices;
    }

    fn text(self) -> String {
        format!(
            "{} numberings, {} slots, {} indices",
            self.schemes, self.slots, self.indices
        )
    }
}

/// Checks a numbering on a backend:
///
/// 1. Every slot has a position, which is valid and has that slot. So no two slots have the same position.
/// 2. Exactly the positions with room have a slot. It is below the size, and its position is equivalent. So each class
///    has a slot.
/// 3. The classes are counted: if the numbering is exact, there are as many as slots, so each has exactly one.
fn check_batch(
    scheme: &impl DenseBatch<u32>,
    promise: &Promise<'_, u32>,
    backend: Backend,
) -> Result<Shown, String> {
    let (layout, slots) = (scheme.layout(), u64::from(scheme.size()));
    let indices = layout.index_count() as u64;
    let error = |text: String| Err(format!("{backend}, {} pieces: {text}", layout.pieces()));
    // The numbers from a start on, and room for as many.
    let chunk = |start: u64, end: u64| {
        let numbers = start..end.min(start + CHUNK as u64);
        let words: Vec<u32> = numbers.map(|number| number as u32).collect();
        let room = vec![0; words.len()];
        (words, room.clone(), room)
    };
    for start in (0..slots).step_by(CHUNK) {
        let (words, mut found, mut back) = chunk(start, slots);
        let unranked = backend.unrank_into(scheme, &words, &mut found);
        unranked.map_err(|error| error.to_string())?;
        backend.rank_into(scheme, &found, &mut back);
        if let Some(at) =
            (0..words.len()).find(|&at| back[at] != words[at] || u64::from(found[at]) >= indices)
        {
            return error(format!(
                "slot {} has position {:#o}, which has slot {}",
                words[at], found[at], back[at]
            ));
        }
    }
    let mut classes = 0;
    for start in (0..indices).step_by(CHUNK) {
        let (words, mut found, mut back) = chunk(start, indices);
        backend.rank_into(scheme, &words, &mut found);
        for (&index, slot) in words.iter().zip(&mut found) {
            let has_slot = *slot != u32::NO_SLOT;
            if has_slot != has_room(layout, promise, index) || has_slot && u64::from(*slot) >= slots
            {
                return error(format!("index {index:#o} has slot {slot}"));
            }
            // The others are compared with themselves.
            if !has_slot {
                *slot = 0;
            }
        }
        let unranked = backend.unrank_into(scheme, &found, &mut back);
        unranked.map_err(|error| error.to_string())?;
        backend.canonical_in_place(promise.same, &mut back);
        backend.canonical_into(promise.same, &words, &mut found);
        for at in 0..words.len() {
            if has_room(layout, promise, words[at]) {
                classes += u64::from(found[at] == words[at]);
                if found[at] != back[at] {
                    return error(format!("the slot of index {:#o} is another's", words[at]));
                }
            }
        }
    }
    if classes > slots || promise.exact && classes != slots {
        return error(format!("{classes} classes in {slots} slots"));
    }
    Ok(Shown::of_scheme(slots, indices))
}

fn has_room(layout: Layout<u32>, promise: &Promise<'_, u32>, index: u32) -> bool {
    let squares: Vec<Square> = layout.decode(index).collect();
    (promise.room)(&squares)
}

/// Checks scalar code as [`check_batch`] checks that of backends, by the laws of the library's tests.
fn check_scalar(
    scheme: &impl DenseBatch<u32>,
    promise: &Promise<'_, u32>,
) -> Result<Shown, String> {
    let shown = check_slots(scheme, promise);
    let (layout, mut classes) = (scheme.layout(), 0);
    let indices = layout.index_count() as u64;
    for index in (0..indices).map(|index| index as u32) {
        laws::position_comes_back(scheme, promise, index);
        let is_first = has_room(layout, promise, index) && promise.same.canonical(index) == index;
        classes += u64::from(is_first);
    }
    if classes > shown || promise.exact && classes != shown {
        return Err(format!("{classes} classes in {shown} slots"));
    }
    Ok(Shown::of_scheme(shown, indices))
}

/// Checks every slot, by scalar code, and twins. Returns their number.
fn check_slots(scheme: &impl DenseBatch<u32>, promise: &Promise<'_, u32>) -> u64 {
    for slot in 0..scheme.size() {
        laws::slot_comes_back(scheme, slot);
        laws::twins_share_their_class(scheme, promise, slot);
    }
    scheme.size().into()
}

/// Which code is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    /// Scalar code, and that of every backend.
    All,
    /// That of the fastest backend, and scalar code for slots alone.
    Fastest,
}

fn check(
    scheme: &impl DenseBatch<u32>,
    promise: &Promise<'_, u32>,
    code: Code,
) -> Result<Shown, String> {
    match code {
        Code::Fastest => {
            let mut shown = check_batch(scheme, promise, Backend::detect())?;
            shown.slots += check_slots(scheme, promise);
            Ok(shown)
        }
        Code::All => {
            let mut shown = check_scalar(scheme, promise)?;
            for backend in Backend::available() {
                let on_backend = check_batch(scheme, promise, backend)?;
                shown.slots += on_backend.slots;
                shown.indices += on_backend.indices;
            }
            Ok(shown)
        }
    }
}

/// The numberings that tell all pieces apart.
fn of_layouts(
    pieces: usize,
    groups: &[Group],
    numberings: &[Numbering],
    code: Code,
) -> Result<Shown, String> {
    let mut shown = Shown::default();
    for &numbering in numberings {
        let layout = Layout::new(pieces, numbering);
        for &group in groups {
            let same = &Equivalence::new(layout, group, LikePieces::default());
            let promise = |exact, room| Promise { same, exact, room };
            let (exact, any) = (group != Group::D4, &|_: &[Square]| true);
            let orbit = Orbit::new(layout, group);
            shown.add(check(&orbit, &promise(true, any), code)?);
            let triangle = Triangle::new(layout, group);
            shown.add(check(&triangle, &promise(exact, any), code)?);
            if pieces > 1 {
                let apart = |squares: &[Square]| laws::kings_admitted(KingDistance::Apart, squares);
                let kings = Kings::new(layout, group);
                shown.add(check(&kings, &promise(exact, &apart), code)?);
            }
        }
    }
    Ok(shown)
}

fn of_materials(
    materials: &[&str],
    rules: &[Rules],
    numberings: &[Numbering],
    code: Code,
) -> Result<Shown, String> {
    let mut shown = Shown::default();
    for material in materials {
        for &numbering in numberings {
            for &rules in rules {
                let parsed: Material = material.parse().expect("a material");
                let scheme = Compact::try_new(parsed, numbering, rules).expect("few pieces");
                let promise = Promise {
                    same: &Equivalence::try_new(parsed, numbering).expect("few pieces"),
                    exact: rules.diagonal == Diagonal::Exact || parsed.has_pawns(),
                    room: &laws::room(parsed, rules),
                };
                shown.add(
                    check(&scheme, &promise, code)
                        .map_err(|error| format!("{material}, {rules:?}: {error}"))?,
                );
            }
        }
    }
    Ok(shown)
}

/// All rules, with either policy for the diagonal.
fn all_rules() -> Vec<Rules> {
    RULES
        .into_iter()
        .flat_map(|rules| {
            [Diagonal::Exact, Diagonal::Both].map(|diagonal| Rules { diagonal, ..rules })
        })
        .collect()
}

/// One material of every shape of two or three pieces, and of four: the same sets of like pieces, of pawns and of others.
const UP_TO_THREE: [&str; 3] = ["KvK", "KQvK", "KPvK"];
const OF_FOUR: [&str; 6] = ["KQvKR", "KRRvK", "KNPvK", "KPvKN", "KPPvK", "KPvKP"];

pub(crate) fn theorems() -> Vec<Theorem> {
    let method = "exhaustively";
    let natural = &[Numbering::Natural][..];
    let mut all = vec![
        Theorem::new(
            "dense-3",
            "Every numbering of up to 3 pieces is a bijection of slots and classes (twins aside), and its size is exact.",
            method,
            true,
            || {
                let groups = [Group::D4, Group::FileMirror, Group::Trivial];
                let mut shown = Shown::default();
                for pieces in 1..=3 {
                    shown.add(of_layouts(pieces, &groups, &Numbering::ALL, Code::All)?);
                }
                let (rules, numberings) = (all_rules(), &Numbering::ALL);
                shown.add(of_materials(&UP_TO_THREE, &rules, numberings, Code::All)?);
                Ok(shown.text())
            },
        ),
        Theorem::new(
            "dense-4",
            "Every numbering of 4 pieces that tells them apart is a bijection of slots and classes (twins aside).",
            method,
            false,
            || of_layouts(4, &[Group::D4, Group::FileMirror], natural, Code::All).map(Shown::text),
        ),
    ];
    for material in OF_FOUR {
        all.push(Theorem::new(
            format!("dense-4-{material}"),
            format!(
                "Every compact numbering of {material}, under all rules, is a bijection of slots and classes (twins \
                 aside), in scalar code and on every backend."
            ),
            method,
            false,
            move || of_materials(&[material], &all_rules(), natural, Code::All).map(Shown::text),
        ));
    }
    all.push(Theorem::new(
        "dense-5",
        "The numberings of 5 pieces that tell them apart are bijections of slots and classes (twins aside).",
        method,
        false,
        || of_layouts(5, &[Group::D4], natural, Code::Fastest).map(Shown::text),
    ));
    let (exact, both) = (Diagonal::Exact, Diagonal::Both);
    for (material, diagonal, twins) in [
        ("KQRvKB", exact, ""),
        ("KRRvKB", exact, ""),
        ("KRRRvK", exact, ""),
        ("KQPvKR", exact, ""),
        ("KPPvKP", exact, ""),
        ("KRRvKB", both, "-twins"),
    ] {
        let rules = Rules {
            diagonal,
            ..Rules::KINGS_APART
        };
        all.push(Theorem::new(
            format!("dense-5-{material}{twins}"),
            format!("The compact numbering of {material} is a bijection of slots and classes (twins aside)."),
            method,
            false,
            move || of_materials(&[material], &[rules], natural, Code::Fastest).map(Shown::text),
        ));
    }
    all
}
