//! The chart of `tbindex bench`.

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use super::harness::SizeClass;
use super::measure::Row;

/// A colour for each backend. Most eyes can tell them apart, in print, too (after Okabe and Ito).
const COLOURS: [(&str, RGBColor); 3] = [
    ("portable", RGBColor(0xe6, 0x9f, 0x00)),
    ("avx2", RGBColor(0x56, 0xb4, 0xe9)),
    ("avx512", RGBColor(0x00, 0x9e, 0x73)),
];

const PANEL_WIDTH: u32 = 520;
const LINE_HEIGHT: u32 = 16;

/// The chart as SVG. It has a panel for each size of the working set. A panel has for each operation out of
/// place a bar for each backend, whose length is the bytes per second.
pub(crate) fn draw(rows: &[Row]) -> Result<String> {
    let word = rows.iter().map(|row| row.word).min().unwrap_or(32);
    let shown: Vec<&Row> = rows
        .iter()
        .filter(|row| row.word == word && !row.in_place)
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
    let height = 110 + names.len() as u32 * 3 * LINE_HEIGHT;
    let mut svg = String::new();
    draw_panels(&mut svg, (width, height), &shown, &names, &sizes)
        .map_err(|error| anyhow!("drawing the chart: {error}"))?;
    Ok(svg)
}

fn label(row: &Row) -> String {
    format!("{} {}", row.operation.name(), row.numbering.name())
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
            .map(|row| row.bytes_per_second / 1e9)
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
            .build_cartesian_2d(0.0..fastest * 1.05, lines..0.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
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
        for (backend, colour) in COLOURS {
            let bars = rows
                .iter()
                .filter(|row| row.backend.name() == backend)
                .filter_map(|row| {
                    let place = names.iter().position(|name| *name == label(row))? as f64;
                    let slot = COLOURS.iter().position(|(name, _)| *name == backend)? as f64;
                    let top = place + 0.1 + slot * 0.27;
                    let length = row.bytes_per_second / 1e9;
                    Some(Rectangle::new(
                        [(0.0, top), (length, top + 0.25)],
                        colour.filled(),
                    ))
                });
            chart
                .draw_series(bars)?
                .label(backend)
                .legend(move |(x, y)| {
                    Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled())
                });
        }
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
