//! Slices of any length, at any address and of any size, brought into the shape that a kernel's loop takes.

use bytemuck::Zeroable;

use crate::simd::{InOut, Isa, Line, Streaming, Vectors, line_words};

/// The most lines of a turn.
const MOST_LINES: usize = 8;

/// Beyond the caches, tiles take lines from so many pages in turn, as the processor fetches ahead within each of them, and
/// writes pages that lie side by side at once.
const PAGES: usize = 8;
const PAGE_LINES: usize = 64;

/// The lines of a page in a tile, and by how many lines source lines are asked for before they are read.
const PAGE_LINES_OF_TILE: usize = 2;
const LINES_AHEAD: usize = 8;

/// The lines that are written past the caches together. Less of a larger slice is a buffer, or is read again at once.
const GROUP_LINES: usize = PAGES * PAGE_LINES;

/// The loop of a kernel: it takes words in whole turns.
pub(super) type Body<'a, W> = dyn Fn(InOut<'_, W>) + 'a;

/// Has a body write the images of `from`, or replace the words in `to`. It takes `turn` words at a time, a power of two,
/// one line to [`MOST_LINES`]. `past_caches` says that `to` exceeds the caches.
///
/// The body writes whole lines, so that no store straddles two, but for the first turn and the last, which overlap others.
/// In place, where no word may be taken twice, the words at both ends go together through a buffer.
///
/// Beyond the caches, stores go past them, and there the processor is fast only if whole lines are stored one after the
/// other. So the body works on tiles in the first cache, and lines are brought there and taken away by [`exchange`].
///
/// Slices are arguments, not parts of a structure: a structure would be built in small stores and copied by wide loads,
/// which wait until the stores are done.
pub(super) fn over_slices<I: Isa, W: Vectors>(
    isa: I,
    turn: usize,
    from: Option<&[W]>,
    to: &mut [W],
    past_caches: bool,
    body: &Body<'_, W>,
) {
    let line = line_words::<W>();
    debug_assert!(turn.is_power_of_two() && (line..=MOST_LINES * line).contains(&turn));
    let past_line = to.as_ptr().addr().wrapping_neg() % size_of::<Line>() / size_of::<W>();
    let head = past_line.min(to.len());
    // The remainder of a power of two takes no division.
    let tail = (to.len() - head) & (turn - 1);
    let whole = to.len() - head - tail;
    let ends = head + tail;
    match from {
        // The turns at both ends overlap others, which write the same.
        Some(from) if to.len() >= turn => {
            if head > 0 {
                body(InOut::new(&from[..turn], &mut to[..turn]));
            }
            if tail > 0 {
                let last = to.len() - turn;
                body(InOut::new(&from[last..], &mut to[last..]));
            }
        }
        _ if ends > 0 => {
            let mut buffer = [Line::zeroed(); 2 * MOST_LINES];
            let words: &mut [W] = bytemuck::cast_slice_mut(&mut buffer);
            let source = from.unwrap_or(to);
            words[..head].copy_from_slice(&source[..head]);
            words[head..ends].copy_from_slice(&source[head + whole..]);
            // Zeros, which are valid indices and slots, fill up the last turn.
            let filled = (ends + turn - 1) & !(turn - 1);
            body(InOut::in_place(&mut words[..filled]));
            to[..head].copy_from_slice(&words[..head]);
            to[head + whole..].copy_from_slice(&words[head..ends]);
        }
        _ => {}
    }
    let to = &mut to[head..head + whole];
    let from = from.map(|from| &from[head..head + whole]);
    let far = I::STREAMS && past_caches && size_of_val(to) >= GROUP_LINES * size_of::<Line>();
    match from {
        None => body(InOut::in_place(to)),
        Some(from) if far => tiles(isa, from, to, body),
        Some(from) => body(InOut::new(from, to)),
    }
}

/// Lines of a tile, page by page.
type Tile = [Line; PAGES * PAGE_LINES_OF_TILE];

/// The bytes of a line, at any address.
type LineBytes = [u8; size_of::<Line>()];

/// Writes the images of `from` past the caches, tile by tile, but for those behind the last whole group of pages.
fn tiles<I: Isa, W: Vectors>(isa: I, from: &[W], to: &mut [W], body: &Body<'_, W>) {
    let group = GROUP_LINES * line_words::<W>();
    let grouped = to.len() / group * group;
    let (to, rest) = to.split_at_mut(grouped);
    body(InOut::new(&from[grouped..], rest));
    let from: &[LineBytes] = bytemuck::cast_slice(&from[..grouped]);
    let to: &mut [Line] = bytemuck::cast_slice_mut(to);
    let _streaming = Streaming(isa);
    let (mut next, mut last) = (&mut Tile::zeroed(), &mut Tile::zeroed());
    let mut last_line = None;
    for group in (0..to.len()).step_by(GROUP_LINES) {
        for line in (0..PAGE_LINES).step_by(PAGE_LINES_OF_TILE) {
            // Past the end of a page the line that is asked for lies in the next group.
            let within = line + LINES_AHEAD < PAGE_LINES;
            let ahead = LINES_AHEAD + if within { 0 } else { GROUP_LINES - PAGE_LINES };
            let to = last_line.map(|line| &mut to[line..]);
            exchange(isa, Some((&from[group + line..], ahead)), next, last, to);
            body(InOut::in_place(bytemuck::cast_slice_mut(next)));
            std::mem::swap(&mut next, &mut last);
            last_line = Some(group + line);
        }
    }
    exchange(isa, None, next, last, last_line.map(|line| &mut to[line..]));
}

/// Fills a tile with the first lines of pages that are side by side in `from`, and asks for lines as far ahead as it says;
/// and copies another tile past the caches to the first lines of such pages in `to`.
fn exchange<I: Isa>(
    isa: I,
    from: Option<(&[LineBytes], usize)>,
    next: &mut Tile,
    last: &Tile,
    to: Option<&mut [Line]>,
) {
    const SPAN: usize = GROUP_LINES - PAGE_LINES + PAGE_LINES_OF_TILE;
    let of_all = "lines of all pages";
    let from = from.map(|(from, ahead)| (from.first_chunk::<SPAN>().expect(of_all), ahead));
    let mut to = to.map(|to| to.first_chunk_mut::<SPAN>().expect(of_all));
    isa.vectorize(
        #[inline(always)]
        move || {
            for (k, (next, last)) in next.iter_mut().zip(last).enumerate() {
                let line = k / PAGE_LINES_OF_TILE * PAGE_LINES + k % PAGE_LINES_OF_TILE;
                if let Some((from, ahead)) = from {
                    isa.prefetch(from.as_ptr().wrapping_add(line + ahead));
                    next.0 = from[line];
                }
                if let Some(to) = &mut to {
                    isa.stream_line(last, &mut to[line]);
                }
            }
        },
    );
}
