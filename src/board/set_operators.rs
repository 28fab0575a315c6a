//! The operators of sets that are stored as the bits of a word.

/// Gives a tuple structure around a word the operators of a set: `&`, `|`, `^`, and `-` for the
/// difference, each with its assignment.
macro_rules! set_operators {
    ($set:ident) => {
        $crate::board::set_operators!(@ $set BitAnd bitand BitAndAssign bitand_assign |a, b| a & b);
        $crate::board::set_operators!(@ $set BitOr bitor BitOrAssign bitor_assign |a, b| a | b);
        $crate::board::set_operators!(@ $set BitXor bitxor BitXorAssign bitxor_assign |a, b| a ^ b);
        $crate::board::set_operators!(@ $set Sub sub SubAssign sub_assign |a, b| a & !b);
    };
    (@ $set:ident $trait:ident $method:ident $assign_trait:ident $assign:ident
        |$a:ident, $b:ident| $value:expr
    ) => {
        impl ::std::ops::$trait for $set {
            type Output = $set;

            #[inline]
            fn $method(self, other: $set) -> $set {
                let ($a, $b) = (self.0, other.0);
                $set($value)
            }
        }

        impl ::std::ops::$assign_trait for $set {
            #[inline]
            fn $assign(&mut self, other: $set) {
                *self = ::std::ops::$trait::$method(*self, other);
            }
        }
    };
}

pub(crate) use set_operators;
