//! The 16 bytes at the end of a file: a tree of CityHash, version 1.0, over everything before them.
//!
//! The file is cut into pieces of 16 MiB. Each has a hash of 32 bytes, made with the processor's CRC-32C, and the hash of
//! all these hashes is the checksum. [The format's page](crate::format) says more.

use rayon::prelude::*;

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K3: u64 = 0xc949_d7c7_509e_6557;
const PIECE: usize = 16 << 20;
/// Longer lists of hashes are hashed as pieces are.
const LONG_LIST: usize = 900;

fn fetch(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

const fn mix(v: u64) -> u64 {
    v ^ v >> 47
}

const fn hash16(u: u64, v: u64) -> u64 {
    const M: u64 = 0x9ddf_ea08_eb38_2d69;
    let a = mix((u ^ v).wrapping_mul(M));
    mix((v ^ a).wrapping_mul(M)).wrapping_mul(M)
}

/// The result of the instruction, which inverts nothing before or after.
fn crc(seed: u64, value: u64) -> u64 {
    u64::from(!crc32c::crc32c_append(!(seed as u32), &value.to_le_bytes()))
}

struct State {
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    e: u64,
    t: u64,
    crc: [u64; 5],
}

impl State {
    fn chunk(&mut self, bytes: &[u8], m: u64, z: u32) {
        let step = |from: u64, rotation: u32, at| {
            from.rotate_right(rotation ^ z)
                .wrapping_mul(m)
                .wrapping_add(fetch(bytes, at))
        };
        let old = self.a;
        self.a = step(self.b, 41, 0);
        self.b = step(self.c, 27, 8);
        self.c = step(self.d, 41, 16);
        self.d = step(self.e, 33, 24);
        self.e = step(self.t, 25, 32);
        self.t = old;
        let values = [self.a, self.b, self.c, self.d, self.e];
        for (slot, value) in self.crc.iter_mut().zip(values) {
            *slot = crc(*slot, value);
        }
    }
}

/// CityHashCrc256.
fn hash256(bytes: &[u8]) -> [u64; 4] {
    let mut padded = [0; 240];
    let (bytes, seed) = if bytes.len() < 240 {
        padded[..bytes.len()].copy_from_slice(bytes);
        (&padded[..], u64::from(!(bytes.len() as u32)))
    } else {
        (bytes, 0)
    };
    let len = bytes.len() as u64;
    let b = fetch(bytes, 96).wrapping_add(K0);
    let mut r0 = hash16(b, len);
    let mut r1 = fetch(bytes, 120).wrapping_mul(K0).wrapping_add(len);
    let mut s = State {
        a: fetch(bytes, 56).wrapping_add(K0),
        b,
        c: r0,
        d: r1,
        e: fetch(bytes, 184).wrapping_add(seed),
        t: r0.wrapping_add(r1),
        crc: [seed, 0, 0, 0, 0],
    };
    let mut rows = bytes.chunks_exact(240);
    for row in &mut rows {
        for (i, chunk) in row.chunks_exact(40).enumerate() {
            match i % 2 {
                0 => s.chunk(chunk, 1, 1),
                _ => s.chunk(chunk, K0, 0),
            }
        }
    }
    let mut chunks = rows.remainder().chunks_exact(40);
    for chunk in &mut chunks {
        s.chunk(chunk, K0, 0);
    }
    if !chunks.remainder().is_empty() {
        s.chunk(&bytes[bytes.len() - 40..], K0, 0);
    }

    let State {
        mut a,
        mut b,
        mut c,
        mut d,
        mut e,
        t,
        crc,
    } = s;
    let [f, g, mut h, mut i, mut j] = crc;
    let add = u64::wrapping_add;
    j = add(j, i << 32);
    a = hash16(a, j);
    h = add(h, g << 32);
    b = add(b, h);
    c = add(hash16(c, f), i);
    d = hash16(d, add(e, r0));
    j = add(j, e);
    i = add(i, hash16(h, t));
    e = add(hash16(a, d), j);
    let f = add(hash16(b, c), a);
    let g = add(hash16(j, i), c);
    r0 = add(add(e, f), add(g, h));
    let stir = |v: u64| mix(v.wrapping_mul(K0)).wrapping_mul(K0);
    a = add(stir(add(a, g)), b);
    r1 = add(r1, add(a, r0));
    a = add(stir(a), c);
    let r2 = add(a, r1);
    a = stir(add(a, e));
    [r0, r1, r2, add(a, r2)]
}

fn weak32(bytes: &[u8], a: u64, b: u64) -> (u64, u64) {
    let w: [u64; 4] = std::array::from_fn(|i| fetch(bytes, 8 * i));
    let mut a = a.wrapping_add(w[0]);
    let mut b = b.wrapping_add(a).wrapping_add(w[3]).rotate_right(21);
    let c = a;
    a = a.wrapping_add(w[1]).wrapping_add(w[2]);
    b = b.wrapping_add(a.rotate_right(44));
    (a.wrapping_add(w[3]), b.wrapping_add(c))
}

/// CityMurmur, for a multiple of 16 bytes.
fn murmur(bytes: &[u8], low: u64, high: u64) -> [u64; 2] {
    let len = bytes.len();
    let stir = |v: u64| mix(v.wrapping_mul(K1)).wrapping_mul(K1);
    let (mut a, mut b) = (low, high);
    let (mut c, mut d);
    if len <= 16 {
        let (f0, f8) = (fetch(bytes, 0), fetch(bytes, 8));
        a = stir(a);
        let short = hash16(f0, f8.wrapping_add(16).rotate_right(16)) ^ f8;
        c = b.wrapping_mul(K1).wrapping_add(short);
        d = mix(a.wrapping_add(f0));
    } else {
        c = hash16(fetch(bytes, len - 8).wrapping_add(K1), a);
        d = hash16(
            b.wrapping_add(len as u64),
            c.wrapping_add(fetch(bytes, len - 16)),
        );
        a = a.wrapping_add(d);
        // The last 16 bytes have gone in already.
        for pair in bytes[..len - 16].chunks_exact(16) {
            a = (a ^ stir(fetch(pair, 0))).wrapping_mul(K1);
            b ^= a;
            c = (c ^ stir(fetch(pair, 8))).wrapping_mul(K1);
            d ^= c;
        }
    }
    a = hash16(a, c);
    b = hash16(d, b);
    [a ^ b, hash16(b, a)]
}

/// CityHash128WithSeed, for a multiple of 16 bytes.
fn hash128_seeded(bytes: &[u8], low: u64, high: u64) -> [u64; 2] {
    if bytes.len() < 128 {
        return murmur(bytes, low, high);
    }
    let add = u64::wrapping_add;
    let (mut x, mut y) = (low, high);
    let mut z = (bytes.len() as u64).wrapping_mul(K1);
    let v0 = add((y ^ K1).rotate_right(49).wrapping_mul(K1), fetch(bytes, 0));
    let mut v = (
        v0,
        add(v0.rotate_right(42).wrapping_mul(K1), fetch(bytes, 8)),
    );
    let mut w = (
        add(add(y, z).rotate_right(35).wrapping_mul(K1), x),
        add(x, fetch(bytes, 88)).rotate_right(53).wrapping_mul(K1),
    );
    let mut rows = bytes.chunks_exact(128);
    for row in &mut rows {
        for half in row.chunks_exact(64) {
            x = add(add(x, y), add(v.0, fetch(half, 16)))
                .rotate_right(37)
                .wrapping_mul(K1);
            y = add(add(y, v.1), fetch(half, 48))
                .rotate_right(42)
                .wrapping_mul(K1);
            x ^= w.1;
            y ^= v.0;
            z = (z ^ w.0).rotate_right(33);
            v = weak32(half, v.1.wrapping_mul(K1), add(x, w.0));
            w = weak32(&half[32..], add(z, w.1), y);
            std::mem::swap(&mut z, &mut x);
        }
    }
    y = add(y, add(w.0.rotate_right(37).wrapping_mul(K0), z));
    x = add(x, add(v.0, z).rotate_right(49).wrapping_mul(K0));
    let rest = rows.remainder().len();
    let mut done = 0;
    while done < rest {
        done += 32;
        let tail = &bytes[bytes.len() - done..];
        y = add(y.wrapping_sub(x).rotate_right(42).wrapping_mul(K0), v.1);
        w.0 = add(w.0, fetch(tail, 16));
        x = add(x.rotate_right(49).wrapping_mul(K0), w.0);
        w.0 = add(w.0, v.0);
        v = weak32(tail, v.0, v.1);
    }
    x = hash16(x, v.0);
    y = hash16(y, w.0);
    [
        add(hash16(add(x, v.1), w.1), y),
        hash16(add(x, w.1), add(y, v.1)),
    ]
}

/// CityHash128, for a multiple of 16 bytes.
#[must_use]
pub fn hash128(bytes: &[u8]) -> [u64; 2] {
    match bytes {
        [] => [0, 0],
        _ => hash128_seeded(&bytes[16..], fetch(bytes, 0) ^ K3, fetch(bytes, 8)),
    }
}

/// The checksum of the part of a file before it.
#[must_use]
pub fn checksum(bytes: &[u8]) -> [u8; 16] {
    let hashes: Vec<[u64; 4]> = bytes.par_chunks(PIECE).map(hash256).collect();
    let list: Vec<u8> = hashes
        .iter()
        .flatten()
        .flat_map(|h| h.to_le_bytes())
        .collect();
    let result = if list.len() > LONG_LIST {
        let [_, _, low, high] = hash256(&list);
        [low, high]
    } else {
        hash128(&list)
    };
    let mut sum = [0; 16];
    sum[..8].copy_from_slice(&result[0].to_le_bytes());
    sum[8..].copy_from_slice(&result[1].to_le_bytes());
    sum
}
