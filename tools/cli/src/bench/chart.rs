//! The chart of `tbindex bench`.

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use tbindex_bench::{Row, SizeClass};

/// The name of the bars of the look-up loop.
const LOOK_UP: &str = "look-up";

/// The names of the bars, in the order in which an operation has them, and their colours: the look-up loop and
/// the backends. Most eyes can tell the colours apart, in print, too (after Okabe and Ito).
const COLOURS: [(&str, RGBColor); 4] = [
    (LOOK_UP, RGBColor(0x99, 0x99, 0x99)),
    ("portable", RGBColor(0xe6, 0x9f, 0x00)),
    ("avx2", RGBColor(0x56, 0xb4, 0xe9)),
    ("avx512", RGBColor(0x00, 0x9e, 0x73)),
];

const PANEL_WIDTH: u32 = 520;
const LINE_HEIGHT: u32 = 12;

/// The part of an operation's line from one bar to the next, and that which a bar covers.
const BAR_STEP: f64 = 0.21;
const BAR_WIDTH: f64 = 0.19;

/// The empty lines below the operations, which the legend fills, so that it hides no bar.
const LEGEND_LINES: usize = 2;

/// Returns the chart as SVG. It has a panel for each size of the working set. A panel has, for each operation
/// out of place, a bar for the look-up loop and one for each backend. The length of a bar is the bytes per
/// second, and a line across the panel marks memcpy.
pub(crate) fn draw(rows: &[Row]) -> Result<String> {
    let word = rows.iter().map(|row| row.word).min().unwrap_or(32);
    let shown: Vec<&Row> = rows
        .iter()
        .filter(|row| row.word == word && !row.batch.in_place)
        .collect();
    let mut names: Vec<String> = Vec::new();
    for name in shown.iter().map(|row| label(row)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let sizes: Vec<SizeClass> = SizeClass::ALL
        .into_iter()
        .filter(|&size| shown.iter().any(|row| row.size == size))
        .collect();
    let width = PANEL_WIDTH * sizes.len().max(1) as u32;
    let lines = names.len() + LEGEND_LINES;
    let height = 110 + lines as u32 * COLOURS.len() as u32 * LINE_HEIGHT;
    let mut svg = String::new();
    draw_panels(&mut svg, (width, height), &shown, &names, &sizes)
        .map_err(|error| anyhow!("drawing the chart: {error}"))?;
    Ok(svg)
}

fn label(row: &Row) -> String {
    format!("{} {}", row.batch.operation.name(), row.batch.numbering)
}

/// The length of one of the bars of an operation, in GB/s, or `None` if there are no figures for it.
fn length(rows: &[&&Row], operation: &str, bar: &str) -> Option<f64> {
    let rows = rows.iter().filter(|row| label(row) == operation);
    let rates = rows.filter_map(|row| match bar {
        LOOK_UP => Some(row.bytes_per_second / row.versus("table")),
        _ => (row.batch.backend.to_string() == bar).then_some(row.bytes_per_second),
    });
    // The faster form of the look-up loop counts, whichever backend was beside it.
    rates.reduce(f64::max).map(|bytes| bytes / 1e9)
}

/// The rate of memcpy in GB/s: it reads and writes a word for each index.
fn memcpy(row: &Row) -> f64 {
    row.indices_per_second / row.versus("memcpy") * f64::from(row.word / 8 * 2) / 1e9
}

fn draw_panels(
    svg: &mut String,
    size: (u32, u32),
    rows: &[&Row],
    names: &[String],
    sizes: &[SizeClass],
) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, size).into_drawing_area();
    root.fill(&WHITE)?;
    for (panel, &size) in root.split_evenly((1, sizes.len().max(1))).iter().zip(sizes) {
        let rows: Vec<&&Row> = rows.iter().filter(|row| row.size == size).collect();
        let fastest = rows
            .iter()
            .map(|row| f64::max(row.bytes_per_second / 1e9, memcpy(row)))
            .fold(0.0, f64::max);
        let Some(first) = rows.first() else { continue };
        let caption = format!(
            "{} pieces in {} bits, {}",
            first.pieces,
            first.word,
            size.name()
        );
        let lines = names.len() as f64;
        let mut chart = ChartBuilder::on(panel)
            .caption(caption, ("sans-serif", 18))
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(190)
            .build_cartesian_2d(0.0..fastest * 1.05, lines + LEGEND_LINES as f64..0.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .max_light_lines(0)
            .y_labels(0)
            .x_desc("GB/s, read and written")
            .draw()?;
        // The axis has numbers; the operations' names are written beside it.
        for (k, text) in names.iter().enumerate() {
            let style = ("sans-serif", 12).into_text_style(panel);
            let (_, y) = chart.backend_coord(&(0.0, k as f64 + 0.35));
            let (_, top) = panel.get_base_pixel();
            panel.draw(&Text::new(text.clone(), (15, y - top), style))?;
        }
        for (slot, (bar, colour)) in COLOURS.into_iter().enumerate() {
            let bars = names.iter().enumerate().filter_map(|(place, name)| {
                let top = place as f64 + 0.1 + slot as f64 * BAR_STEP;
                let corners = [(0.0, top), (length(&rows, name, bar)?, top + BAR_WIDTH)];
                Some(Rectangle::new(corners, colour.filled()))
            });
            chart.draw_series(bars)?.label(bar).legend(move |(x, y)| {
                Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled())
            });
        }
        let memcpy = memcpy(first);
        let line = PathElement::new([(memcpy, 0.0), (memcpy, lines)], BLACK);
        chart
            .draw_series([line])?
            .label("memcpy")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 12, y)], BLACK));
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE)
            .border_style(BLACK)
            .draw()?;
    }
    root.present()?;
    Ok(())
}
