//! The code that the vectors of AVX2 and of AVX-512 have in common.

/// Implements the operators of a vector by the named intrinsics.
macro_rules! operators {
    ($name:ident, $all:expr; $($trait:ident $method:ident $intrinsic:ident),*) => {
        $(
            impl $trait for $name {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: a vector exists only where the processor has its instructions.
                    Self(unsafe { $intrinsic(self.0, other.0) })
                }
            }
        )*

        impl Not for $name {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                // SAFETY: as above.
                self ^ Self(unsafe { $all })
            }
        }
    };
}

/// Implements the loads and stores of a vector by the named intrinsics.
macro_rules! memory {
    ($word:ty, $raw:ty, $count:literal, $load:ident, $store:ident, $stream:ident) => {
        const COUNT: usize = $count;

        #[inline(always)]
        fn load(_: Self::Isa, from: &[$word]) -> Self {
            let from: &[$word] = &from[..$count];
            // SAFETY: the slice holds as many words as the vector; the token has been seen.
            Self(unsafe { $load(from.as_ptr().cast()) })
        }
        #[inline(always)]
        fn store(self, to: &mut [$word]) {
            let to: &mut [$word] = &mut to[..$count];
            // SAFETY: the slice holds as many words as the vector, which exists.
            unsafe { $store(to.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn load_line(_: Self::Isa, from: &Line, part: usize) -> Self {
            let from = &from.0[part * size_of::<$raw>()..][..size_of::<$raw>()];
            // SAFETY: as above.
            Self(unsafe { $load(from.as_ptr().cast()) })
        }
        #[inline(always)]
        fn store_line(self, to: &mut Line, part: usize) {
            let to = &mut to.0[part * size_of::<$raw>()..][..size_of::<$raw>()];
            // SAFETY: the slice holds as many bytes as the vector, which exists.
            unsafe { $store(to.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn stream_line(self, to: &mut Line, part: usize) {
            let to = &mut to.0[part * size_of::<$raw>()..][..size_of::<$raw>()];
            // SAFETY: as above; a line, and so each of its parts, is aligned to the vector's size.
            unsafe { $stream(to.as_mut_ptr().cast(), self.0) }
        }
    };
}
