//! The histogram of longest mates as a picture.

use std::collections::BTreeMap;

use svg::Node;
use svg::node::element::{Group, Line, Title};

use super::MateTally;
use crate::pictures::{page, rectangle, text_at};

const WIDTH: i32 = 900;
const HEIGHT: i32 = 420;
const LEFT: i32 = 110;
const RIGHT: i32 = 20;
const TOP: i32 = 40;
const BOTTOM: i32 = 60;
const BAR: &str = "#5b8e7d";
const GRID: &str = "#d5dade";

/// Draws how many pieces have a longest mate of how many moves, as the text of an SVG file.
///
/// There is a bar for each number of moves of White, and one for the pieces that can't force a mate, at 0. The
/// heights are logarithmic, so that the few pieces with the longest mates are seen beside the millions.
#[must_use]
pub fn longest_mates_picture(tally: &MateTally, headline: &str) -> String {
    let mut by_moves = BTreeMap::<i32, u64>::new();
    for (&plies, &count) in tally.longest.iter().filter(|&(_, &count)| count > 0) {
        *by_moves.entry(plies.div_ceil(2).into()).or_default() += count;
    }
    let last = by_moves.keys().next_back().copied().unwrap_or(0);
    let most = by_moves.values().max().copied().unwrap_or(1);
    // The scale ends at a power of ten, and begins below 1, so that a single piece has a bar.
    let decades = (most.max(1) as f64).log10().ceil().max(1.0);
    let (across, down) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    let height = |count: f64| {
        let share = (count.log10() + 0.3) / (decades + 0.3);
        (f64::from(down) * share).round() as i32
    };
    let x = |moves: i32| LEFT + across * moves / (last + 1);
    let floor = TOP + down;

    let (middle, left) = ((LEFT + WIDTH - RIGHT) / 2, TOP + down / 2);
    let across_title = text_at(
        middle,
        HEIGHT - 14,
        "longest mate, in moves of White (0: can't force a mate)",
    );
    let down_title = text_at(20, left, "pieces").set("transform", format!("rotate(-90 20 {left})"));
    let mut document = page(WIDTH, HEIGHT, headline);
    document.append(across_title.set("text-anchor", "middle"));
    document.append(down_title.set("text-anchor", "middle"));
    let mut scale = Group::new();
    for decade in 0..=decades as i32 {
        let y = floor - height(10f64.powi(decade));
        scale.append(
            Line::new()
                .set("x1", LEFT)
                .set("x2", WIDTH - RIGHT)
                .set("y1", y)
                .set("y2", y)
                .set("stroke", GRID),
        );
        let label = text_at(LEFT - 8, y + 4, &10u64.pow(decade as u32).to_string());
        scale.append(label.set("text-anchor", "end"));
    }
    let step = match last {
        0..=20 => 1,
        21..=100 => 10,
        _ => 25,
    };
    for moves in (0..=last).step_by(step) {
        let middle = (x(moves) + x(moves + 1)) / 2;
        let label = text_at(middle, floor + 18, &moves.to_string());
        scale.append(label.set("text-anchor", "middle"));
    }
    document.append(scale);
    let mut bars = Group::new();
    for (moves, count) in by_moves {
        let (wide, tall) = (x(moves + 1) - x(moves) - 1, height(count as f64));
        let bar = rectangle(x(moves), floor - tall, wide.max(1), tall, BAR);
        bars.append(bar.add(Title::new(format!("{moves} moves: {count} pieces"))));
    }
    document.append(bars);
    format!("{document}\n")
}
