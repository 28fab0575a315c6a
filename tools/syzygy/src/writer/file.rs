//! Putting the parts together, and publishing the file.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cozy_chess::{Color, Piece};

use super::orders::Finalists;
use super::source::Source;
use super::sub_table::Parts;
use super::watch::{Control, Interrupted, Watch};
use super::{Distances, dtz, wdl};
use crate::checksum::checksum;
use crate::error::Error;
use crate::file::head::WIDE_MAPS;
use crate::kind::Kind;
use crate::material::Material;
use crate::numbering::Numbering;

/// The WDL file of a source's material, which the caller watches and may stop.
///
/// # Errors
/// If the caller stops it.
pub fn write_wdl(source: &dyn Source, control: Control<'_>) -> Result<Vec<u8>, Interrupted> {
    let material = source.material();
    let sides = material.sides_to_move();
    let watch = Watch::new(
        control,
        Some(Kind::Wdl),
        material.leading_files().len() * sides.len(),
    );
    let mut numberings = Vec::new();
    let mut parts = Vec::new();
    let mut finalists: [Finalists; 2] = Default::default();
    for file in material.leading_files() {
        for &side in sides {
            watch.finish(())?;
            let (numbering, own) =
                wdl::sub_table(source, &watch, side, file, &mut finalists[side as usize]);
            watch.sub_table_done();
            numberings.push(numbering);
            parts.push(own);
        }
    }
    let mut bytes = opening(material, Kind::Wdl, &numberings, sides.len());
    for own in &parts {
        bytes.extend(&own.head);
    }
    watch.finish(finish(bytes, &parts))
}

/// The DTZ file of a source's material, which the caller watches and may stop.
///
/// # Errors
/// If the caller stops it.
///
/// # Panics
/// If the source has more than 255 distances for a side to move.
pub fn write_dtz(
    source: &dyn Source,
    distances: Distances,
    control: Control<'_>,
) -> Result<Vec<u8>, Interrupted> {
    let material = source.material();
    let watch = Watch::new(control, Some(Kind::Dtz), material.leading_files().len());
    let mut finalists: [Finalists; 2] = Default::default();
    let mut sub_tables: Vec<_> = material
        .leading_files()
        .into_iter()
        .map(|file| {
            watch.finish(())?;
            let made = dtz::sub_table(source, &watch, file, distances, &mut finalists);
            watch.sub_table_done();
            Ok(made)
        })
        .collect::<Result<_, Interrupted>>()?;
    let lists = || sub_tables.iter().flat_map(|own| own.maps.iter().flatten());
    // Readers do not agree on what is between narrow and wide maps, so all are of one kind.
    let wide = lists().any(|list| list.len() > 255 || list.iter().any(|&raw| raw > 255));
    if wide {
        let mapped = sub_tables.iter_mut().filter(|own| own.maps.is_some());
        mapped.for_each(|own| own.flags |= WIDE_MAPS);
    }
    let numberings: Vec<Numbering> = sub_tables.iter().map(|own| own.numbering.clone()).collect();
    let mut bytes = opening(material, Kind::Dtz, &numberings, 1);
    for own in &sub_tables {
        bytes.push(own.parts.head[0] | own.flags);
        bytes.extend(&own.parts.head[1..]);
    }
    for own in &sub_tables {
        let Some(lists) = &own.maps else { continue };
        if wide {
            pad(&mut bytes, 2);
        }
        for list in lists {
            if wide {
                bytes.extend((list.len() as u16).to_le_bytes());
                bytes.extend(list.iter().flat_map(|raw| raw.to_le_bytes()));
            } else {
                bytes.push(list.len() as u8);
                bytes.extend(list.iter().map(|&raw| raw as u8));
            }
        }
    }
    pad(&mut bytes, 2);
    let parts: Vec<Parts> = sub_tables.into_iter().map(|own| own.parts).collect();
    watch.finish(finish(bytes, &parts))
}

fn pad(bytes: &mut Vec<u8>, to: usize) {
    bytes.resize(bytes.len().next_multiple_of(to), 0);
}

/// The beginning of a file: everything before the heads.
fn opening(material: Material, kind: Kind, numberings: &[Numbering], sides: usize) -> Vec<u8> {
    let mut bytes = kind.magic().to_vec();
    let not_symmetric = u8::from(!material.is_symmetric());
    let pawns = u8::from(material.has_pawns());
    bytes.push(not_symmetric | pawns << 1 | (material.len() as u8) << 4);
    let both = [Color::White, Color::Black]
        .iter()
        .all(|&color| material.count(color, Piece::Pawn) > 0);
    for own in numberings.chunks_exact(sides) {
        let white = &own[0];
        // Where there is but one side, the other nibbles are not read.
        let black = own.get(1).unwrap_or(white);
        let (orders, others) = (white.orders(), black.orders());
        let both_nibbles = |white: u8, black: u8| match kind {
            Kind::Wdl => white | black << 4,
            Kind::Dtz => white,
        };
        bytes.push(both_nibbles(orders.0, others.0));
        if both {
            bytes.push(both_nibbles(orders.1, others.1));
        }
        let pieces = white.pieces().zip(black.pieces());
        bytes.extend(pieces.map(|(white, black)| both_nibbles(white.code(), black.code())));
    }
    pad(&mut bytes, 2);
    bytes
}

/// Everything after the heads and maps.
fn finish(mut bytes: Vec<u8>, parts: &[Parts]) -> Vec<u8> {
    for own in parts {
        bytes.extend(&own.index);
    }
    for own in parts {
        bytes.extend(&own.lengths);
    }
    for own in parts {
        if !own.data.is_empty() {
            pad(&mut bytes, 64);
            bytes.extend(&own.data);
        }
    }
    pad(&mut bytes, 64);
    let sum = checksum(&bytes);
    bytes.extend(sum);
    bytes
}

/// The beginning of the names of unfinished files.
const PREFIX: &str = ".syzygy-";

/// Removes the files that killed writers have left in a folder. A file that another process is writing is locked, and
/// stays.
///
/// # Errors
/// If the folder can't be read. A file that can't be removed is left.
pub fn remove_stale(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let is_one = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if is_one && entry.file_type()?.is_file() {
            let unlocked =
                std::fs::File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
            if unlocked {
                // Another process may have removed it.
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
    Ok(())
}

/// Writes a file beside its final name, syncs it and renames it, so that there never is a part of a file under that
/// name. One that is there is replaced. Returns the path.
///
/// # Errors
/// If the folder is missing, or the system can't write.
pub fn publish(
    folder: &Path,
    material: Material,
    kind: Kind,
    bytes: &[u8],
) -> Result<PathBuf, Error> {
    let path = folder.join(format!("{material}.{}", kind.extension()));
    let name: Arc<str> = path.display().to_string().into();
    let write = || {
        let mut file = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempfile_in(folder)?;
        // Locked, it is not taken for one that a killed writer has left. Systems without locks do as they like.
        let _ = file.as_file().try_lock();
        file.write_all(bytes)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Temporary files are the owner's alone; tables are for everyone to read.
            file.as_file()
                .set_permissions(std::fs::Permissions::from_mode(0o644))?;
        }
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        #[cfg(unix)]
        std::fs::File::open(folder)?.sync_all()?;
        Ok(())
    };
    write().map_err(|error| Error::io(&name, error))?;
    Ok(path)
}
