//! Pieces with names.

/// Names of short-range pieces, each with its [Betza notation](crate::Leaper::betza). A [`Leaper`](crate::Leaper) is read from
/// a name, too.
///
/// ```
/// use tbindex::Leaper;
/// use tbindex::fairy::NAMED;
/// assert!(NAMED.contains(&("gold", "WfF")));
/// assert_eq!("Knight".parse(), Ok(Leaper::KNIGHT));
/// for (name, betza) in NAMED {
///     assert_eq!(name.parse::<Leaper>(), betza.parse::<Leaper>());
///     assert!(betza.parse::<Leaper>().is_ok(), "{name}");
/// }
/// ```
pub const NAMED: [(&str, &str); 22] = [
    ("wazir", "W"),
    ("ferz", "F"),
    ("dabbaba", "D"),
    ("alfil", "A"),
    ("knight", "N"),
    ("commoner", "K"),
    ("gold", "WfF"),
    ("silver", "FfW"),
    ("shogi-knight", "ffN"),
    ("elephant", "FA"),
    ("war-machine", "WD"),
    ("phoenix", "WA"),
    ("kirin", "FD"),
    ("alibaba", "DA"),
    ("champion", "WDA"),
    ("marquis", "WN"),
    ("priest", "FN"),
    ("centaur", "KN"),
    ("squirrel", "DAN"),
    ("fibnif", "FfbN"),
    ("crab", "ffbsN"),
    ("charging-knight", "fhNrlbK"),
];

/// The Betza notation of a name, in letters of either case.
pub(super) fn betza_of(name: &str) -> Option<&'static str> {
    let named = NAMED.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
    named.map(|(_, betza)| *betza)
}
