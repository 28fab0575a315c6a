//! Every slot and every index of up to five pieces.

use tbindex::batch::{Backend, DenseBatch};
use tbindex::{Dense, Diagonal, Group, Layout, Numbering, Rules, Word};

use super::promise::Promise;
use super::{DIAGONALS, RULES, compact, kings, orbit, size, triangle};
use crate::Theorem;

/// Slots or indices that are done at once.
const CHUNK: usize = 1 << 14;

/// The result of a check.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shown {
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
    promise: &Promise,
    backend: Backend,
) -> Result<Shown, String> {
    let (layout, slots) = (promise.layout, size(scheme));
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
            if has_slot != promise.has_room(index) || has_slot && u64::from(*slot) >= slots {
                return error(format!("index {index:#o} has slot {slot}"));
            }
            // The others are compared with themselves.
            if !has_slot {
                *slot = 0;
            }
        }
        let unranked = backend.unrank_into(scheme, &found, &mut back);
        unranked.map_err(|error| error.to_string())?;
        backend.canonical_in_place(&promise.same, &mut back);
        backend.canonical_into(&promise.same, &words, &mut found);
        for at in 0..words.len() {
            if promise.has_room(words[at]) {
                classes += u64::from(found[at] == words[at]);
                if found[at] != back[at] {
                    return error(format!("the slot of index {:#o} is another's", words[at]));
                }
            }
        }
    }
    if classes > slots || promise.is_exact && classes != slots {
        return error(format!("{classes} classes in {slots} slots"));
    }
    Ok(Shown::of_scheme(slots, indices))
}

/// Scalar code, as [`check_batch`] checks that of backends. In addition, equivalent positions have the same slot, or
/// that of its twin.
pub(super) fn check_scalar(scheme: &dyn Dense<u32>, promise: &Promise) -> Result<Shown, String> {
    let (layout, slots) = (promise.layout, size(scheme));
    let indices = layout.index_count() as u64;
    check_slots(scheme)?;
    let mut classes = 0;
    for index in 0..indices {
        let index = index as u32;
        let slot = scheme.rank(index);
        let canonical = promise.same.canonical(index);
        let right = match slot {
            None => !promise.has_room(index),
            Some(slot) => {
                classes += u64::from(canonical == index);
                let shared = scheme.rank(canonical);
                let is_shared = shared == Some(slot)
                    || !promise.is_exact && shared.is_some() && shared == scheme.twin(slot);
                promise.has_room(index)
                    && u64::from(slot) < slots
                    && is_shared
                    && promise.same.canonical(scheme.unrank(slot)) == canonical
            }
        };
        if !right {
            return Err(format!("index {index:#o} has slot {slot:?}"));
        }
    }
    if classes > slots || promise.is_exact && classes != slots {
        return Err(format!("{classes} classes in {slots} slots"));
    }
    Ok(Shown::of_scheme(slots, indices))
}

/// Every slot, by scalar code, and twins.
fn check_slots(scheme: &dyn Dense<u32>) -> Result<u64, String> {
    let slots = size(scheme);
    for slot in 0..slots {
        let slot = slot as u32;
        let index = scheme.unrank(slot);
        let twin = scheme.twin(slot);
        let twins = twin.is_none_or(|twin| twin != slot && scheme.twin(twin) == Some(slot));
        if scheme.rank(index) != Some(slot) || !scheme.layout().is_valid(index) || !twins {
            return Err(format!(
                "slot {slot} has position {index:#o}, and twin {twin:?}"
            ));
        }
    }
    Ok(slots)
}

/// Which code is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    /// Scalar code, and that of every backend.
    All,
    /// That of the fastest backend.
    Fastest,
    /// Does this, with scalar code for slots alone.
    FastestAndSlots,
}

fn check<S: DenseBatch<u32>>((scheme, promise): (S, Promise), code: Code) -> Result<Shown, String> {
    match code {
        Code::Fastest => check_batch(&scheme, &promise, Backend::detect()),
        Code::FastestAndSlots => {
            let mut shown = check_batch(&scheme, &promise, Backend::detect())?;
            shown.slots += check_slots(&scheme)?;
            Ok(shown)
        }
        Code::All => {
            let mut shown = check_scalar(&scheme, &promise)?;
            for backend in Backend::available() {
                let on_backend = check_batch(&scheme, &promise, backend)?;
                shown.slots += on_backend.slots;
                shown.indices += on_backend.indices;
            }
            Ok(shown)
        }
    }
}

/// The classical sizes of these numberings without pawns.
fn classical_sizes(pieces: usize) -> Result<(), String> {
    let n = pieces as u32;
    let layout = Layout::new(pieces, Numbering::Natural);
    let found = [
        size(&orbit(layout, Group::D4).0),
        size(&triangle(layout, Group::D4).0),
        size(&kings(layout, Group::D4).0),
        size(&kings(layout, Group::FileMirror).0),
    ];
    let digits = 64u64.pow(n - 2);
    let expected = [
        (1 << (6 * n - 3)) + (1 << (3 * n - 2)),
        640 * digits,
        462 * digits,
        1806 * digits,
    ];
    match found == expected {
        true => Ok(()),
        false => Err(format!("sizes {found:?} instead of {expected:?}")),
    }
}

/// The numberings that tell all pieces apart.
fn of_layouts(
    pieces: usize,
    groups: &[Group],
    numberings: &[Numbering],
    code: Code,
) -> Result<Shown, String> {
    if pieces > 1 {
        classical_sizes(pieces)?;
    }
    let mut shown = Shown::default();
    for &numbering in numberings {
        let layout = Layout::new(pieces, numbering);
        for &group in groups {
            shown.add(check(orbit(layout, group), code)?);
            shown.add(check(triangle(layout, group), code)?);
            if pieces > 1 {
                shown.add(check(kings(layout, group), code)?);
            }
        }
    }
    Ok(shown)
}

fn of_materials(
    materials: &[&str],
    rules: &[(Rules, Diagonal)],
    numberings: &[Numbering],
    code: Code,
) -> Result<Shown, String> {
    let mut shown = Shown::default();
    for material in materials {
        for &numbering in numberings {
            for &rules in rules {
                let of_material = check(compact(material, numbering, rules), code);
                shown.add(of_material.map_err(|error| format!("{material}, {rules:?}: {error}"))?);
            }
        }
    }
    Ok(shown)
}

/// All rules, with either policy for the diagonal.
fn all_rules() -> Vec<(Rules, Diagonal)> {
    RULES
        .into_iter()
        .flat_map(|rules| DIAGONALS.map(|diagonal| (rules, diagonal)))
        .collect()
}

/// One material of every shape of two or three pieces, and of four: the same sets of like pieces, of pawns and of others.
const UP_TO_THREE: [&str; 3] = ["KvK", "KQvK", "KPvK"];
const OF_FOUR: [&str; 6] = ["KQvKR", "KRRvK", "KNPvK", "KPvKN", "KPPvK", "KPvKP"];

pub(super) fn theorems() -> Vec<Theorem> {
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
    for (material, diagonal) in [
        ("KQRvKB", exact),
        ("KRRvKB", exact),
        ("KRRRvK", exact),
        ("KQPvKR", exact),
        ("KPPvKP", exact),
        ("KRRvKB", both),
    ] {
        let rules = (Rules::KingsApart, diagonal);
        let twins = match diagonal {
            Diagonal::Exact => "",
            Diagonal::Both => "-twins",
        };
        all.push(Theorem::new(
            format!("dense-5-{material}{twins}"),
            format!("The compact numbering of {material} is a bijection of slots and classes (twins aside)."),
            method,
            false,
            move || {
                let code = Code::FastestAndSlots;
                of_materials(&[material], &[rules], natural, code).map(Shown::text)
            },
        ));
    }
    all
}
