//! The code that the vectors of AVX2 and of AVX-512 have in common.

/// Implements the operators of a vector by the named intrinsics.
macro_rules! operators {
    ($name:ident, $all:expr; $($trait:ident $method:ident $intrinsic:ident),*) => {
        $(
            impl $trait for $name {
                type Output = Self;
                methods!($method(x, other) = $intrinsic(x, other));
            }
        )*

        impl Not for $name {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                // SAFETY: a vector exists only where the processor has its instructions.
                self ^ Self(unsafe { $all })
            }
        }
    };
}

/// Implements methods that take vectors and return one, each by an expression of registers. (A closure in its place
/// might not be inlined, and would lose the instructions.)
macro_rules! methods {
    ($($method:ident($x:ident $(, $other:ident)*) = $image:expr);* $(;)?) => {$(
        #[inline(always)]
        fn $method(self $(, $other: Self)*) -> Self {
            let $x = self.0;
            $(let $other = $other.0;)*
            // SAFETY: a vector exists only where the processor has its instructions.
            Self(unsafe { $image })
        }
    )*};
}

/// Implements loading and storing vectors of `Lanes` by the named intrinsics. `$widen` makes
/// words of as many bytes, and `$narrow` undoes it.
macro_rules! memory {
    (
        $token:ident, $raw:ty, [$word:ty; $count:literal], $load:ident, $store:ident,
        $splat:ident as $int:ty, $wide:ident => $widen:expr, $x:ident => $narrow:expr
    ) => {
        type Isa = $token;
        /// A shift by a vector of counts takes one micro-operation, a shift by a single count two.
        type Shift = Self;

        const COUNT: usize = $count;

        #[inline(always)]
        fn splat(_: $token, word: $word) -> Self {
            // SAFETY: the token proves the instructions.
            Self(unsafe { $splat(word as $int) })
        }
        #[inline(always)]
        fn shift(isa: $token, bits: u32) -> Self {
            // The shifts of `std::arch` are defined for any count and give zero for one past the word's width.
            // Where the count is surely less, the compiler drops that selection.
            Self::splat(isa, (bits % <$word>::BITS).into())
        }
        #[inline(always)]
        fn load(_: $token, from: &[$word]) -> Self {
            let from: &[$word] = &from[..$count];
            // SAFETY: the slice holds as many words as the vector; the token proves the instructions.
            Self(unsafe { $load(from.as_ptr().cast()) })
        }
        #[inline(always)]
        fn store(self, to: &mut [$word]) {
            let to: &mut [$word] = &mut to[..$count];
            // SAFETY: the slice holds as many words as the vector, which exists.
            unsafe { $store(to.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn load_bytes(_: $token, from: &[u8]) -> Self {
            let mut $wide = [0; $count];
            $wide.copy_from_slice(&from[..$count]);
            // SAFETY: the token proves the instructions.
            Self(unsafe { $widen })
        }
        #[inline(always)]
        fn store_bytes(self, to: &mut [u8]) {
            let $x = self.0;
            // SAFETY: the vector exists.
            let bytes: [u8; $count] = unsafe { $narrow };
            to[..$count].copy_from_slice(&bytes);
        }
    };
}

/// Defines the product of words of 64 bits for a kind of register. It writes `VPMULUDQ` as assembly. From the intrinsic the
/// compiler makes up to three products: it forgets that the upper halves of a constant are zero when it moves the
/// constant out of a loop.
macro_rules! product_of_u64 {
    ($raw:ty, $register:ident, $feature:tt) => {
        #[inline]
        #[target_feature(enable = $feature)]
        fn product_of_u64(a: $raw, b: $raw) -> $raw {
            let product;
            // SAFETY: the instruction is there, and touches nothing but its operands.
            unsafe {
                std::arch::asm!(
                    "vpmuludq {}, {}, {}",
                    lateout($register) product,
                    in($register) a,
                    in($register) b,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
            product
        }
    };
}
