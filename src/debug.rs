//! Short descriptions of values that hold tables or sets.

/// Has a type print as some of its fields, and say that there are more: `debug_by!([W: Debug] Type<W>: field, …)`.
macro_rules! debug_by {
    ([$($generics:tt)*] $name:ident $(<$($argument:tt),+>)?: $($field:ident),*) => {
        impl<$($generics)*> ::std::fmt::Debug for $name $(<$($argument),+>)? {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct(stringify!($name))
                    $(.field(stringify!($field), &self.$field))*
                    .finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use debug_by;
