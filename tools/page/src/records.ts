// Records of the census of all 16 777 216 short-range pieces, by `tbindex fairy census --mates`.
export interface Record {
  title: string;
  piece: string;
  fact: string;
}

export const RECORDS: Record[] = [
  {
    title: "Longest mate of all",
    piece: "brFfsDflAllN",
    fact: "446 plies, with seven moves; wins 99.3 % of the positions",
  },
  {
    title: "Smallest that wins from everywhere",
    piece: "K",
    fact: "eight moves, and the only one with eight; 36 plies",
  },
  { title: "Longest mate of those that win from everywhere", piece: "FfDAbsN", fact: "100 plies" },
  { title: "All 24 moves", piece: "WFDAN", fact: "mates in at most 10 plies" },
  { title: "Most wins with five moves", piece: "blWlFfrA", fact: "96.5 % of the positions" },
  { title: "Most wins with six moves", piece: "rWfrblFrDlA", fact: "99.5 %" },
  { title: "Most wins with seven moves", piece: "sWrFrDllN", fact: "99.9 %" },
  { title: "Two moves that mate", piece: "fWfD", fact: "goes up its file and never comes back; wins 68 positions" },
  {
    title: "23 moves are not enough",
    piece: "WfFlFDAN",
    fact: "lacks one move of the ferz, and does not win from everywhere",
  },
  { title: "Best of those bound to every other file", piece: "vWsDAsN", fact: "wins 42 % of the positions" },
  { title: "Best within a half-plane", piece: "flWfFlFfrblArfblN", fact: "wins 42 % of the positions" },
  { title: "Best of those trapped in a corner", piece: "rWfrblFfrblArfblN", fact: "wins 67 %" },
  { title: "Longest with five moves", piece: "bWblFlffrblN", fact: "283 plies" },
  { title: "Longest with six moves", piece: "sWbrFrDrfblN", fact: "338 plies" },
  { title: "Longest with eight moves", piece: "brFfsDfAllN", fact: "424 plies" },
  { title: "Five colours", piece: "hlN", fact: "the pinwheel: sees one square in five" },
  { title: "In no hurry", piece: "01,10,15,23", fact: "free, and needs up to 16 moves on the chessboard" },
  {
    title: "Bound, and in no published list",
    piece: "01,02,10,15",
    fact: "confined to a half-plane with an edge along a knight’s move",
  },
];
