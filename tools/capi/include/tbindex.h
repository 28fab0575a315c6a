/*
 * tbindex: interleaved indices of chess endgame positions.
 *
 * This file is generated from the Rust sources in tools/capi/src; change it there.
 *
 * Link with -ltbindex (pkg-config --cflags --libs tbindex). The license is MIT or Apache-2.0.
 *
 * Names. A *square* is a number from 0 to 63: a1 = 0, b1 = 1, ... h8 = 63. An *index* is one number for the
 * squares of all pieces; up to 5 pieces fit 32 bits, up to 10 fit 64. A *word* is a uint32_t or a uint64_t that
 * holds an index or a slot; more pieces than it can hold are TBI_ERROR_WORD. Functions that take a buffer of words
 * take the bytes of one, too, which are 4 or 8:
 *
 *     tbi_flip(layout, TBI_SYMMETRY_FLIP_VERTICAL, indices, indices, sizeof *indices, count)
 *
 * Statuses. A function that can fail returns a tbi_status: TBI_OK, which is 0, or a TBI_ERROR_... . Then
 * tbi_last_error_message() has a sentence that says what is wrong and what was expected; every thread has its
 * own. Functions that return a value return the one that their description states on failure, and leave a
 * message, too. A failed call leaves its output buffers unspecified, except where its description states more. No
 * function lets a panic out or ends the process (unless memory runs out).
 *
 * Handles. tbi_..._new, _of_material, _open and their like write a new handle to their last argument, or NULL
 * if they fail. It is yours: give it to the function of the same name that ends in _free or _close, once; both
 * take NULL, too. Handles keep nothing of the handles or buffers that they were made from. Materials and layouts
 * are plain values.
 *
 * Pointers. NULL and misaligned pointers are errors where a pointer is needed. Your promise, which nobody can
 * check, is that handles are ones you were given and did not free, that texts end with a zero byte, and that
 * buffers have the stated size and are changed by nobody else during the call. With a count of 0, buffers are
 * not looked at. Sizes are numbers of elements, not of bytes, except where they are called bytes.
 *
 * Overlap. Where a function reads `in` and writes `out` of the same type, both may be the very same buffer.
 * Any other overlap of written memory with memory that is read or written is TBI_ERROR_OVERLAP, and nothing
 * is written.
 *
 * Batches. One operation is done to each of `count` words. The result for an index that has bits above its digits is
 * unspecified, except where the description states it. A bitmap has (count + 63) / 64 words: bit k % 64 of word
 * k / 64 is the answer for index k, and bits past the last index are zero.
 *
 * Lists. A function that takes `out`, `capacity` and `count` writes values to `out`, which has room for `capacity` of
 * them, and their number to `count`; with too little room it writes the number alone and returns TBI_ERROR_BUFFER.
 *
 * New files. A function that takes `out` as a path writes a file, which gets this name when it is complete. `threads`
 * is at most 1024, and 0 is one for each processor. Pointers to results, and `progress`, may be NULL. Errors are
 * TBI_ERROR_EXISTS, TBI_ERROR_IO, TBI_ERROR_SPACE and TBI_ERROR_CANCELLED, and the errors that the description names.
 *
 * Threads. All functions may be called from any thread. Handles do not change: any number of threads may use
 * one at the same time, each with its own output buffers. A tbi_writer does change; it takes one call after the
 * other, and lets the other threads wait. Freeing a handle that another thread uses is a mistake.
 *
 * Time. Batches use the widest vector instructions of the machine, found at run time, on the calling thread;
 * to use several threads, give each its part of the buffers. Only probes of tables use all processors themselves.
 */


#ifndef TBINDEX_H
#define TBINDEX_H



#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The version of this interface. A program compiled with one version works with libraries of the same;
/// it is the number in the shared library's name, and counts up when a declaration changes or goes.
#define TBI_ABI_VERSION 4

/// The word that ranking writes for a position without a slot, in words of 32 bits.
#define TBI_NO_SLOT_U32 4294967295

/// The word that ranking writes for a position without a slot, in words of 64 bits.
#define TBI_NO_SLOT_U64 18446744073709551615ull

/// In place of a piece number: no piece.
#define TBI_NO_PIECE 255

/// In place of a square: no square.
#define TBI_NO_SQUARE 255

/// The most legal moves that a position of up to 10 pieces can have, rounded up.
#define TBI_MOST_MOVES 256

/// The most indices that a chunk of an enumeration can have: 2^21.
#define TBI_CHUNK_SIZE 2097152

/// A numbering of positions 0 ... size - 1 without holes, so that a table can be an array. The scheme decides
/// which positions have a slot, and how many there are.
typedef struct tbi_dense tbi_dense;

/// All positions of a material up to a stage, in ascending order of their indices. They come in chunks, which
/// several threads may ask for.
typedef struct tbi_enumeration tbi_enumeration;

/// An equivalence of positions: a layout, a group of symmetries, and sets of like pieces, which may exchange
/// their squares. The canonical index of a position is the smallest of all its equivalents.
typedef struct tbi_equivalence tbi_equivalence;

/// An index file, mapped into memory. No program may shorten or overwrite it while it is open (a file that is
/// renamed over it does no harm).
typedef struct tbi_file tbi_file;

/// Maps the index of a position to the index of the same position after a capture or a promotion, in the
/// normal one of the material that this leads to.
///
/// The map takes the captured piece's digits away, changes the pawn into the new piece, gives the pieces the
/// order of their new name, and exchanges the colours, with the board upside down, where the new material would
/// not be normal. It moves no piece: the caller does, before or after, as two pieces may share a square.
typedef struct tbi_material_map tbi_material_map;

/// The moves of the positions of one material. Castling is not among them; en passant is.
typedef struct tbi_moves tbi_moves;

/// The tables in a folder, each of which is opened when it is first needed. The files must not change meanwhile.
typedef struct tbi_tables tbi_tables;

/// A file that is being written. It gets its name when it is finished; freed before that, it leaves nothing.
typedef struct tbi_writer tbi_writer;

/// The result of a call: `TBI_OK`, or one of the `TBI_ERROR_...`. After an error,
/// `tbi_last_error_message` gives the details.
typedef int32_t tbi_status;

/// Which symmetries keep a position's value: one of the `TBI_GROUP_...`.
typedef uint32_t tbi_group;

/// Which pieces are on the board, such as KQvKR. Functions that take a material take its name: white's
/// pieces, `v`, black's, each side `K` first and then `Q R B N P`, at most 21 in all. They answer
/// `TBI_ERROR_NAME` if the name is none.
///
/// The pieces of an index are numbered from 0; the last, the leading piece, is the white king, the one
/// before it the black king, the others follow downwards in the order of the name.
typedef struct {
    /// The name, with a zero byte at its end.
    char name[24];
    /// The letters of the pieces by their numbers in an index, piece 0 first: of KQvKR `rQkK`, white's in
    /// capitals; with a zero byte at its end.
    char index_order[24];
    /// The codes of the pieces by their numbers in an index: white pawn 1, knight 3, bishop 4, rook 5, queen
    /// 6, king 7; black pawn 10, knight 11 to king 15.
    uint8_t codes[24];
    /// The places in the name of the pieces by their numbers in an index.
    uint8_t places[24];
    /// How many pieces there are, kings included.
    uint32_t piece_count;
    /// The symmetries that keep the value of the positions: `TBI_GROUP_D4` without pawns,
    /// `TBI_GROUP_FILE_MIRROR` with.
    tbi_group group;
    /// Whether white is at least as strong as black: of a material and its twin with exchanged colours the
    /// normal one has the table.
    bool is_normal;
} tbi_material;

/// A numbering of the squares: one of the `TBI_NUMBERING_...`.
typedef uint32_t tbi_numbering;

/// The layout of an index: how many pieces, under which numbering of the squares.
///
/// The six-bit code of every piece's square is a high and a low octal digit; the index has the high
/// digits of all pieces, the leading piece's first, and then the low digits.
typedef struct {
    /// How many pieces, 1 to 10.
    uint32_t pieces;
    /// The numbering of the squares.
    tbi_numbering numbering;
} tbi_layout;

/// A symmetry of the board: one of the `TBI_SYMMETRY_...`. Bit 0 mirrors the files, bit 1 the ranks, bit 2
/// exchanges file and rank before that.
typedef uint32_t tbi_symmetry;

/// The side to move: one of the `TBI_SIDE_...`.
typedef uint32_t tbi_side;

/// How the indices of a layout are numbered, all pieces told apart: one of the `TBI_SCHEME_...`.
typedef uint32_t tbi_scheme;

/// Which positions a compact numbering has slots for: one of the `TBI_RULES_...`.
typedef uint32_t tbi_rules;

/// The treatment of positions with both kings on the diagonal: one of the `TBI_DIAGONAL_...`.
typedef uint32_t tbi_diagonal;

/// A capture or a promotion, by the codes of the pieces (`tbi_material`).
///
/// The mover is the side of `promotion`, or without one the side that `captured` is not of.
typedef struct {
    /// The piece that is taken, or 0.
    uint8_t captured;
    /// The piece that the pawn becomes, or 0.
    uint8_t promotion;
} tbi_conversion;

/// A legal move.
typedef struct {
    /// The index that the move leads to, in the material of number `material`. It need not be canonical.
    uint64_t index;
    /// The number of the material that the move leads to, for `tbi_moves_materials`; 0 unless something is
    /// captured or promotes.
    uint8_t material;
    /// The side to move then: `TBI_SIDE_WHITE` or `TBI_SIDE_BLACK`. It is the mover's own side where the
    /// material is kept with its colours exchanged.
    uint8_t side;
    /// The number of the piece that moves.
    uint8_t piece;
    /// The square that it leaves.
    uint8_t from;
    /// The square that it goes to.
    uint8_t to;
    /// The number of the piece that it takes, or `TBI_NO_PIECE`.
    uint8_t captured;
    /// The code of the piece that a pawn becomes (`tbi_material`), or 0.
    uint8_t promotion;
    /// After a double step, the square that was passed, if a pawn may be able to take en passant there;
    /// else `TBI_NO_SQUARE`.
    uint8_t en_passant;
} tbi_move;

/// The claims of a file about its indices: any of the `TBI_CLAIM_...`, added.
typedef uint32_t tbi_claims;

/// The contents of an index file's header.
typedef struct {
    /// How many indices the file holds.
    uint64_t count;
    /// The material.
    tbi_material material;
    /// The bytes of the file's words: 4 up to 5 pieces, 8 beyond.
    uint32_t word_bytes;
    /// The numbering of the squares.
    tbi_numbering numbering;
    /// The side to move; `TBI_SIDE_UNKNOWN` if that is not recorded.
    tbi_side side;
    /// The claims of the file about its indices.
    tbi_claims claims;
    /// Whether the indices are stored compressed, so that there are no words to point to.
    bool is_compact;
} tbi_header;

/// How a file is written: any of the `TBI_WRITE_...`, added.
typedef uint32_t tbi_write_flags;

/// How a set is reduced: one of the `TBI_METHOD_...`.
typedef uint32_t tbi_method;

/// How to reduce files. 0 or NULL is the default of each, so that `tbi_reduction how = {0}` is all of them.
typedef struct {
    /// The bytes that the whole process may have resident, at least 24 MiB; by default one gibibyte.
    uint64_t memory;
    /// How many threads work, at most 1024; by default one for each processor.
    size_t threads;
    /// The method; by default the one that fits the memory.
    tbi_method method;
    /// The folder for temporary files; by default that of the new file.
    const char *temp;
} tbi_reduction;

/// The work that a progress function is told of: one of the `TBI_PHASE_...`.
typedef uint32_t tbi_phase;

/// Called from time to time, on the thread that called the library, with the caller's `context`. It returns 0;
/// anything else ends the work with `TBI_ERROR_CANCELLED`, and there is no new file. It must not throw or jump.
typedef int (*tbi_progress)(void *context, tbi_phase phase, uint64_t done);

/// The numbers of a reduction.
typedef struct {
    /// How many indices were read.
    uint64_t read;
    /// How many different canonical ones there were.
    uint64_t count;
    /// How often the memory was full, so that its contents went to a temporary file.
    uint64_t runs;
    /// How many bytes went into the temporary file.
    uint64_t temp_bytes;
} tbi_reduction_summary;

/// An operation on sets of indices: one of the `TBI_SET_...`.
typedef uint32_t tbi_set_operation;

/// How strict an enumeration is: one of the `TBI_STAGE_...`. Each includes the ones before.
typedef uint32_t tbi_stage;

/// Any of the `TBI_VALUE_...`, added.
typedef uint8_t tbi_value_flags;

/// The value of a position for the side to move. Distances are negative for a loss, and 0 for a draw. A checkmated side has
/// -1 to zeroing and 0 to mate.
typedef struct {
    /// The outcome: 2 win, 1 cursed win, 0 draw, -1 blessed loss, -2 loss, under the fifty-move rule; without
    /// that rule where only the distance to mate is known.
    int8_t wdl;
    /// Any of the `TBI_VALUE_...`, added.
    tbi_value_flags flags;
    /// The plies to the next capture, pawn move or mate.
    int16_t dtz;
    /// The plies to mate, without the fifty-move rule.
    int16_t dtm;
} tbi_value;

/// The call succeeded.
#define TBI_OK 0

/// A pointer is NULL that must not be.
#define TBI_ERROR_NULL 1

/// A pointer is not aligned as its type has to be.
#define TBI_ERROR_MISALIGNED 2

/// Two buffers overlap that must not.
#define TBI_ERROR_OVERLAP 3

/// A number is out of its range.
#define TBI_ERROR_ARGUMENT 4

/// A text is no material, no square, no FEN, or not UTF-8.
#define TBI_ERROR_NAME 5

/// The pieces do not fit the word, or the file's words have another width.
#define TBI_ERROR_WORD 6

/// A byte is not a square: above 63.
#define TBI_ERROR_SQUARE 7

/// An index has bits above its digits.
#define TBI_ERROR_INDEX 8

/// A slot is not below the size of its dense numbering.
#define TBI_ERROR_SLOT 9

/// The buffer is too small for the answer.
#define TBI_ERROR_BUFFER 10

/// The operating system refused a request.
#define TBI_ERROR_IO 11

/// The file is damaged or no index file.
#define TBI_ERROR_FILE 12

/// The file is sound but cannot serve: it is not sorted, compressed, of another material, ....
#define TBI_ERROR_UNSUITABLE 13

/// The file exists already, or another writer is at work on it.
#define TBI_ERROR_EXISTS 14

/// The memory or the disk space that may be used is too little.
#define TBI_ERROR_SPACE 15

/// The progress function ended the work.
#define TBI_ERROR_CANCELLED 16

/// A mistake in the library, which is still sound to use; the message says where.
#define TBI_ERROR_INTERNAL 17

/// Only the identity.
#define TBI_GROUP_TRIVIAL 0

/// The identity and the file mirror: positions with pawns.
#define TBI_GROUP_FILE_MIRROR 1

/// All eight symmetries: positions without pawns.
#define TBI_GROUP_D4 2

/// High digit the rank, low digit the file.
#define TBI_NUMBERING_NATURAL 0

/// The numbering under which no symmetry changes a high digit.
#define TBI_NUMBERING_ALTERNATE 1

/// Nothing moves.
#define TBI_SYMMETRY_IDENTITY 0

/// a <-> h: files are mirrored, the flip around the vertical axis.
#define TBI_SYMMETRY_FLIP_HORIZONTAL 1

/// 1 <-> 8: ranks are mirrored, the flip around the horizontal axis.
#define TBI_SYMMETRY_FLIP_VERTICAL 2

/// a1 -> h8.
#define TBI_SYMMETRY_ROTATE_180 3

/// Mirrored along a1-h8.
#define TBI_SYMMETRY_FLIP_DIAGONAL 4

/// Counter-clockwise, a1 -> h1.
#define TBI_SYMMETRY_ROTATE_270 5

/// Clockwise, a1 -> a8.
#define TBI_SYMMETRY_ROTATE_90 6

/// Mirrored along a8-h1.
#define TBI_SYMMETRY_FLIP_ANTI_DIAGONAL 7

/// Every class of equivalent positions has exactly one slot, shared squares included: under D4 there are
/// 2^(6n-3) + 2^(3n-2) slots for n pieces. Computed in the alternate numbering.
#define TBI_SCHEME_ORBIT 0

/// By the square of the leading piece: 10 * 64^(n-1) slots for n pieces under D4, 32 * 64^(n-1) under the
/// file mirror. Computed in the natural numbering.
#define TBI_SCHEME_TRIANGLE 1

/// By pairs of kings that do not touch: 462 * 64^(n-2) slots for n pieces under D4, 1806 * 64^(n-2) under the
/// file mirror. The kings lead, as they do in every material's index. Computed in the natural numbering.
#define TBI_SCHEME_KINGS 2

/// Any squares, shared or not; pawns on ranks 2 to 7.
#define TBI_RULES_ALL 0

/// No two pieces on one square.
#define TBI_RULES_DISTINCT 1

/// No two pieces on one square, kings not on neighbouring squares.
#define TBI_RULES_KINGS_APART 2

/// Kings not on neighbouring squares, the other pieces anywhere.
#define TBI_RULES_KINGS_APART_SHARED 3

/// A position and its mirror image share a slot: every class has exactly one.
#define TBI_DIAGONAL_EXACT 0

/// Both have a slot, and are twins.
#define TBI_DIAGONAL_BOTH 1

/// White.
#define TBI_SIDE_WHITE 0

/// Black.
#define TBI_SIDE_BLACK 1

/// Not recorded.
#define TBI_SIDE_UNKNOWN 2

/// Every index is the smallest of its equivalents.
#define TBI_CLAIM_CANONICAL 1

/// The indices ascend.
#define TBI_CLAIM_SORTED 2

/// No index occurs twice; only together with `TBI_CLAIM_SORTED`.
#define TBI_CLAIM_DISTINCT 4

/// All three: a reduced set.
#define TBI_CLAIM_REDUCED 7

/// Replace a file that exists, in one step, once the new one is complete.
#define TBI_WRITE_REPLACE 1

/// Store the indices, which must be sorted, compressed.
#define TBI_WRITE_COMPACT 2

/// By a bitmap where it fits the memory and is not much larger than the indices, else by sorting.
#define TBI_METHOD_AUTO 0

/// A bit for every canonical index there can be.
#define TBI_METHOD_BITMAP 1

/// Sorting, with temporary files if need be.
#define TBI_METHOD_SORT 2

/// `done` indices were read.
#define TBI_PHASE_READ 0

/// The indices that were read are being sorted; `done` has no meaning.
#define TBI_PHASE_SORTING 1

/// `done` indices of the result were written.
#define TBI_PHASE_WRITTEN 2

/// `done` chunks were enumerated.
#define TBI_PHASE_ENUMERATED 3

/// The indices that are in any of the sets.
#define TBI_SET_UNION 0

/// The indices that are in all of them.
#define TBI_SET_INTERSECTION 1

/// The indices that are in the first and in no other.
#define TBI_SET_DIFFERENCE 2

/// Pieces stand on any squares, which they may share; pawns stand on ranks 2 to 7.
#define TBI_STAGE_ALL 0

/// No two pieces share a square.
#define TBI_STAGE_DISTINCT 1

/// Moreover, the kings are not on neighbouring squares.
#define TBI_STAGE_KINGS_APART 2

/// Moreover, the side that is not to move is not in check.
#define TBI_STAGE_LEGAL 3

/// There is a value; without this, all else is 0.
#define TBI_VALUE_KNOWN 1

/// The outcome is certain. It is not where a rounded distance leaves open whether the fifty-move counter
/// reaches 100; then it is that by the shorter one. Nor is it where no distance to zeroing is found, and the counter may
/// reach 100 before a mate; then it is that without a counter.
#define TBI_VALUE_CERTAIN 2

/// The distance to zeroing is known.
#define TBI_VALUE_DTZ 4

/// The distance to zeroing is exact; if it is not, there may be one ply more.
#define TBI_VALUE_EXACT 8

/// The distance to mate is known.
#define TBI_VALUE_DTM 16

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// The library's `TBI_ABI_VERSION`; compare it with the header's.
uint32_t tbi_abi_version(void);

/// The library's version, such as `0.1.0`. Never freed.
const char *tbi_version(void);

/// The instructions that batches use on this machine: `portable`, `avx2` or `avx512`. Never freed.
const char *tbi_backend(void);

/// The message of the last call on this thread that failed, in English and UTF-8, without a line end; empty
/// if none has failed. The pointer is good until the next call on this thread fails, or the thread ends.
const char *tbi_last_error_message(void);

/// The name of a status, `TBI_OK` or `TBI_ERROR_...`; `unknown status` of any other number.
const char *tbi_status_name(tbi_status status);

/// Writes the properties of the material of a name.
tbi_status tbi_material_parse(const char *material, tbi_material *out);

/// Writes the material with exchanged colours: of KQvKR, KRvKQ.
tbi_status tbi_material_swap_colors(const char *material, tbi_material *out);

/// Writes the number of a square from its name, such as `e4`.
tbi_status tbi_square_parse(const char *name, uint8_t *square);

/// The name of a square, `a1` to `h8`; never freed. Empty, with `TBI_ERROR_SQUARE`'s message, if the
/// number is above 63.
const char *tbi_square_name(uint8_t square);

/// The bytes of the smallest word that holds an index, 4 or 8, which index files have. 0 if the layout has no
/// piece, or more than 10.
size_t tbi_layout_word_bytes(tbi_layout layout);

/// Makes the equivalence of a material's positions.
tbi_status tbi_equivalence_of_material(const char *material,
                                       tbi_numbering numbering,
                                       tbi_equivalence **equivalence);

/// Makes the equivalence of any pieces under a group. `like_sets` are `like_count` sets of like pieces,
/// each a bit mask of piece numbers; pieces in no set are alike to none.
///
/// `TBI_ERROR_ARGUMENT` if a piece is in two sets, or there is no piece of a number.
tbi_status tbi_equivalence_of_layout(tbi_layout layout,
                                     tbi_group group,
                                     const uint32_t *like_sets,
                                     size_t like_count,
                                     tbi_equivalence **equivalence);

/// The layout of the equivalence's indices; without pieces if `equivalence` is NULL.
tbi_layout tbi_equivalence_layout(const tbi_equivalence *equivalence);

/// The group of symmetries; `TBI_GROUP_TRIVIAL` if `equivalence` is NULL.
tbi_group tbi_equivalence_group(const tbi_equivalence *equivalence);

/// Frees an equivalence; NULL is none.
void tbi_equivalence_free(tbi_equivalence *equivalence);

/// Writes the image of every index under a symmetry.
tbi_status tbi_flip(tbi_layout layout,
                    tbi_symmetry symmetry,
                    const void *in,
                    void *out,
                    size_t word_bytes,
                    size_t count);

/// Writes for every index of the layout's numbering the index of the same position under another.
tbi_status tbi_convert(tbi_layout layout,
                       tbi_numbering to_numbering,
                       const void *in,
                       void *out,
                       size_t word_bytes,
                       size_t count);

/// Writes the canonical form of every index, and to `symmetries`, if that is not NULL, a byte each: the
/// symmetry that leads there, before like pieces are sorted.
tbi_status tbi_canonical(const tbi_equivalence *equivalence,
                         const void *in,
                         void *out,
                         uint8_t *symmetries,
                         size_t word_bytes,
                         size_t count);

/// Writes whether each index is canonical, as a bitmap.
tbi_status tbi_is_canonical(const tbi_equivalence *equivalence,
                            const void *in,
                            uint64_t *bitmap,
                            size_t word_bytes,
                            size_t count);

/// Writes how many different images each index has under the group, a byte each: 8 or 4 under D4, 2
/// under the file mirror, 1 under the trivial group.
tbi_status tbi_orbit_size(const tbi_equivalence *equivalence,
                          const void *in,
                          uint8_t *sizes,
                          size_t word_bytes,
                          size_t count);

/// Writes the indices of `count` positions. `rows` are their squares, a byte each, 0 to 63, else
/// `TBI_ERROR_SQUARE`: all of the first position, piece 0 first, then all of the second.
tbi_status tbi_encode_rows(tbi_layout layout,
                           const uint8_t *rows,
                           void *out,
                           size_t word_bytes,
                           size_t count);

/// Writes the squares of `count` indices as `tbi_encode_rows` reads them.
tbi_status tbi_decode_rows(tbi_layout layout,
                           const void *in,
                           uint8_t *rows,
                           size_t word_bytes,
                           size_t count);

/// Writes the indices of `count` positions. `columns` are as many pointers as there are pieces, each to the
/// squares of one piece, piece 0 first, in every position, a byte each, 0 to 63, else `TBI_ERROR_SQUARE`.
tbi_status tbi_encode_columns(tbi_layout layout,
                              const uint8_t *const *columns,
                              void *out,
                              size_t word_bytes,
                              size_t count);

/// Writes the squares of `count` indices into columns, as `tbi_encode_columns` reads them.
tbi_status tbi_decode_columns(tbi_layout layout,
                              const void *in,
                              uint8_t *const *columns,
                              size_t word_bytes,
                              size_t count);

/// Reads the first four fields of a FEN or EPD: writes its material, its index, in which like pieces are in
/// canonical order, its side to move, and its en-passant square or `TBI_NO_SQUARE`. All but `index` may be NULL.
///
/// `TBI_ERROR_ARGUMENT` if the FEN has castling rights, which an index cannot hold, an en-passant square though
/// `en_passant` is NULL, or pieces that are no material.
tbi_status tbi_encode_fen(const char *fen,
                          tbi_numbering numbering,
                          tbi_material *material,
                          uint64_t *index,
                          tbi_side *side,
                          uint8_t *en_passant);

/// Writes the FEN of an index, and a zero byte, into a buffer of `size` bytes, else `TBI_ERROR_BUFFER`; and
/// the bytes that this takes to `needed`, if that is not NULL. 128 bytes are always enough.
///
/// `TBI_ERROR_INDEX` if the index has bits above its digits, `TBI_ERROR_ARGUMENT` if two pieces share a square.
tbi_status tbi_decode_fen(const char *material,
                          tbi_numbering numbering,
                          uint64_t index,
                          tbi_side side,
                          char *buffer,
                          size_t size,
                          size_t *needed);

/// Makes a numbering of a layout's indices, of at least two pieces for `TBI_SCHEME_KINGS`. Indices of another
/// numbering of the squares than the scheme computes in are converted on the way.
tbi_status tbi_dense_of_layout(tbi_layout layout,
                               tbi_scheme scheme,
                               tbi_group group,
                               tbi_dense **dense);

/// Makes the numbering of a material by king pairs and sets of like pieces, which has the fewest slots. It
/// computes in the natural numbering; indices of the alternate one are converted on the way.
tbi_status tbi_dense_of_material(const char *material,
                                 tbi_numbering numbering,
                                 tbi_rules rules,
                                 tbi_diagonal diagonal,
                                 tbi_dense **dense);

/// Frees a dense numbering; NULL is none.
void tbi_dense_free(tbi_dense *dense);

/// How many slots there are; 0 if `dense` is NULL.
uint64_t tbi_dense_size(const tbi_dense *dense);

/// The layout of the indices that are ranked and unranked; without pieces if `dense` is NULL.
tbi_layout tbi_dense_layout(const tbi_dense *dense);

/// Writes the slot of every index, `TBI_NO_SLOT_U32` or `TBI_NO_SLOT_U64` where there is none.
///
/// `TBI_ERROR_INDEX` if an index has bits above its digits; then nothing was written.
tbi_status tbi_dense_rank(const tbi_dense *dense,
                          const void *indices,
                          void *slots,
                          size_t word_bytes,
                          size_t count);

/// Writes the index of every slot.
///
/// `TBI_ERROR_SLOT` if a slot is not below the size; then nothing was written.
tbi_status tbi_dense_unrank(const tbi_dense *dense,
                            const void *slots,
                            void *indices,
                            size_t word_bytes,
                            size_t count);

/// Writes for how many of all positions each slot stands.
///
/// `TBI_ERROR_SLOT` if a slot is not below the size; then nothing was written.
tbi_status tbi_dense_weight(const tbi_dense *dense,
                            const void *slots,
                            uint32_t *weights,
                            size_t word_bytes,
                            size_t count);

/// Writes for every slot the other slot of the same class, or `TBI_NO_SLOT_U32` or `TBI_NO_SLOT_U64`.
///
/// `TBI_ERROR_SLOT` if a slot is not below the size; then nothing was written.
tbi_status tbi_dense_twin(const tbi_dense *dense,
                          const void *slots,
                          void *twins,
                          size_t word_bytes,
                          size_t count);

/// Lists every conversion that a legal move of this material can be, at most 64, white's moves first.
tbi_status tbi_material_conversions(const char *material,
                                    tbi_conversion *out,
                                    size_t capacity,
                                    size_t *count);

/// Writes the material that a conversion leads to, with the colours as they were; `TBI_ERROR_ARGUMENT` if the
/// conversion is not possible.
tbi_status tbi_material_after(const char *material,
                              tbi_conversion conversion,
                              tbi_material *out);

/// Lists the normal materials on whose tables this one's depends, directly or through others, in an order in
/// which they can be made.
tbi_status tbi_material_below(const char *material,
                              tbi_material *out,
                              size_t capacity,
                              size_t *count);

/// Makes the map of the capture of the piece of number `captured`; `TBI_ERROR_ARGUMENT` if that is a king.
tbi_status tbi_material_map_capture(const char *material,
                                    uint8_t captured,
                                    tbi_numbering numbering,
                                    tbi_material_map **map);

/// Makes the map of the promotion of the pawn of number `pawn` to the piece of code `promotion`, either
/// colour's, and the capture of the piece of number `captured`, unless that is `TBI_NO_PIECE`;
/// `TBI_ERROR_ARGUMENT` if the promotion is not possible.
tbi_status tbi_material_map_promotion(const char *material,
                                      uint8_t pawn,
                                      uint8_t promotion,
                                      uint8_t captured,
                                      tbi_numbering numbering,
                                      tbi_material_map **map);

/// Frees a map; NULL is none.
void tbi_material_map_free(tbi_material_map *map);

/// Writes the normal material that a map leads to, and whether the map exchanges the colours, and with them
/// the side to move. Either pointer may be NULL.
tbi_status tbi_material_map_target(const tbi_material_map *map,
                                   tbi_material *target,
                                   bool *swaps_colors);

/// Writes the target's index of the same squares for every index. It need not be canonical.
tbi_status tbi_map(const tbi_material_map *map,
                   const void *in,
                   void *out,
                   size_t word_bytes,
                   size_t count);

/// Writes for every index of the target the index that maps to it, with the captured piece on the square of
/// code 0 and the pawn on the square of the piece that it became.
tbi_status tbi_unmap(const tbi_material_map *map,
                     const void *in,
                     void *out,
                     size_t word_bytes,
                     size_t count);

/// Makes the moves of a material's positions.
tbi_status tbi_moves_new(const char *material, tbi_numbering numbering, tbi_moves **moves);

/// Frees moves; NULL is none.
void tbi_moves_free(tbi_moves *moves);

/// Lists the materials that the moves lead to, at most 64, by their numbers in `tbi_move`: number 0 is the
/// moves' own; captures and promotions lead to the others, in which white is the stronger side.
tbi_status tbi_moves_materials(const tbi_moves *moves,
                               tbi_material *out,
                               size_t capacity,
                               size_t *count);

/// Lists the legal moves of `side` in a legal position, at most `TBI_MOST_MOVES`. `passed` is the square that
/// a pawn of the other side has just passed by a double step, or `TBI_NO_SQUARE`.
///
/// `TBI_ERROR_INDEX` if the index has bits above its digits, `TBI_ERROR_ARGUMENT` if the position is not legal.
tbi_status tbi_moves_from(const tbi_moves *moves,
                          uint64_t index,
                          tbi_side side,
                          uint8_t passed,
                          tbi_move *out,
                          size_t capacity,
                          size_t *count);

/// Lists the indices of the legal positions, with the other side to move, from which a move without capture or
/// promotion leads to this legal position with `side` to move, at most `TBI_MOST_MOVES`.
///
/// The errors are as for `tbi_moves_from`.
tbi_status tbi_moves_back(const tbi_moves *moves,
                          uint64_t index,
                          tbi_side side,
                          uint64_t *out,
                          size_t capacity,
                          size_t *count);

/// Lists the indices of the legal positions of the moves' material, with the mover of a conversion to move,
/// from which that capture or promotion leads to this index of the normal material that is left, up to the
/// exchange of like pieces; none if the conversion is not possible. Captures en passant are not taken back.
///
/// `TBI_ERROR_INDEX` if the index has bits above its digits.
tbi_status tbi_moves_back_conversion(const tbi_moves *moves,
                                     tbi_conversion conversion,
                                     uint64_t index,
                                     uint64_t *out,
                                     size_t capacity,
                                     size_t *count);

/// Writes whether each position is legal with `side` to move, as a bitmap: no two pieces share a square, pawns
/// stand on ranks 2 to 7, and the king of the side that is not to move is not attacked. An index with bits above
/// its digits is not legal.
tbi_status tbi_is_legal(const tbi_moves *moves,
                        tbi_side side,
                        const void *in,
                        uint64_t *bitmap,
                        size_t word_bytes,
                        size_t count);

/// Writes whether the king of `side` is attacked in each position, as a bitmap. The answer for an index with
/// pieces that share a square is unspecified.
tbi_status tbi_is_check(const tbi_moves *moves,
                        tbi_side side,
                        const void *in,
                        uint64_t *bitmap,
                        size_t word_bytes,
                        size_t count);

/// Writes whether each position is legal and `side`, to move, is checkmated, as a bitmap.
tbi_status tbi_is_mate(const tbi_moves *moves,
                       tbi_side side,
                       const void *in,
                       uint64_t *bitmap,
                       size_t word_bytes,
                       size_t count);

/// Writes whether each position is legal and `side`, to move, is stalemated, as a bitmap. Captures en passant
/// are ignored.
tbi_status tbi_is_stalemate(const tbi_moves *moves,
                            tbi_side side,
                            const void *in,
                            uint64_t *bitmap,
                            size_t word_bytes,
                            size_t count);

/// Opens and maps a file. This checks its header and its length; `tbi_file_verify` checks the indices.
///
/// `TBI_ERROR_IO` if the system refuses, `TBI_ERROR_FILE` if it is no sound index file.
tbi_status tbi_file_open(const char *path,
                         tbi_file **file);

/// Closes a file; NULL is none. Words that it lent must not be used any more.
void tbi_file_close(tbi_file *file);

/// Writes the contents of the file's header.
tbi_status tbi_file_header(const tbi_file *file, tbi_header *header);

/// Checks the whole file with `threads` threads, 0 being one for each processor: all checksums, every index in
/// range, and sorted, distinct and canonical where the file claims it. `TBI_ERROR_FILE` if anything is wrong.
tbi_status tbi_file_verify(const tbi_file *file,
                           size_t threads);

/// Writes a pointer to all indices of the file, valid until the file is closed, and their number.
///
/// `TBI_ERROR_WORD` if the file's words have another width, `TBI_ERROR_UNSUITABLE` if it is compressed.
tbi_status tbi_file_words(const tbi_file *file,
                          const void **words,
                          size_t word_bytes,
                          size_t *count);

/// Copies `count` indices from position `first` on, of plain and compressed files alike, and checks their
/// checksums.
///
/// `TBI_ERROR_ARGUMENT` if the file has fewer, `TBI_ERROR_WORD` if its words have another width,
/// `TBI_ERROR_FILE` if it is damaged.
tbi_status tbi_file_read(const tbi_file *file,
                         uint64_t first,
                         void *out,
                         size_t word_bytes,
                         size_t count);

/// Writes whether the file holds an index; `TBI_ERROR_UNSUITABLE` if it does not claim that it is sorted.
tbi_status tbi_file_contains(const tbi_file *file,
                             uint64_t index,
                             bool *contains);

/// Writes how many indices of the file are smaller than this one: its position, if the file holds it and is
/// distinct. `TBI_ERROR_UNSUITABLE` if the file does not claim that it is sorted.
tbi_status tbi_file_rank(const tbi_file *file,
                         uint64_t index,
                         uint64_t *rank);

/// Begins a file of a material's indices. The writer checks your claim that they are in order, but not that
/// they are canonical.
///
/// `TBI_ERROR_EXISTS` if there is a file and it is not to be replaced, `TBI_ERROR_UNSUITABLE` if the claims
/// contradict each other or the flags.
tbi_status tbi_writer_create(const char *path,
                             const char *material,
                             tbi_numbering numbering,
                             tbi_side side,
                             tbi_claims claims,
                             tbi_write_flags flags,
                             tbi_writer **writer);

/// Appends indices. `TBI_ERROR_WORD` if the words of the material's files have another width.
///
/// `TBI_ERROR_FILE` if an index is invalid or not in the order that was claimed, `TBI_ERROR_IO`: then the
/// writer can only be freed.
tbi_status tbi_writer_write(tbi_writer *writer,
                            const void *indices,
                            size_t word_bytes,
                            size_t count);

/// Completes the file, brings it to the disk and gives it its name; writes its number of indices to `count`,
/// if that is not NULL. Then, or after an error, the writer can only be freed.
tbi_status tbi_writer_finish(tbi_writer *writer,
                             uint64_t *count);

/// Frees a writer; NULL is none. Without `tbi_writer_finish` before, there is no file.
void tbi_writer_free(tbi_writer *writer);

/// Reduces `count` files of one material and one side to move, in any numbering, to one: all their
/// positions, canonical under `numbering`, sorted, each once. `how` may be NULL.
///
/// `TBI_ERROR_UNSUITABLE` if the files differ in material or side, `TBI_ERROR_FILE` if one is damaged.
tbi_status tbi_files_reduce(const char *const *paths,
                            size_t count,
                            const char *out,
                            tbi_numbering numbering,
                            tbi_write_flags flags,
                            const tbi_reduction *how,
                            tbi_progress progress,
                            void *context,
                            tbi_reduction_summary *summary);

/// Combines `count` sorted and distinct files of one material, numbering and side to move into one, and writes
/// its number of indices to `written`. `memory` is how many bytes the whole process may have resident, and 0 is one
/// gibibyte. `progress` is told how many indices were read.
///
/// The errors are as for `tbi_files_reduce`.
tbi_status tbi_files_combine(tbi_set_operation operation,
                             const char *const *paths,
                             size_t count,
                             const char *out,
                             tbi_write_flags flags,
                             uint64_t memory,
                             size_t threads,
                             tbi_progress progress,
                             void *context,
                             uint64_t *written);

/// Makes the enumeration of a material's positions: every index, like pieces told apart, or with
/// `canonical_only` the canonical ones. `side` is to move; it may be `TBI_SIDE_UNKNOWN` except for
/// `TBI_STAGE_LEGAL`.
tbi_status tbi_enumeration_new(const char *material,
                               tbi_numbering numbering,
                               tbi_stage stage,
                               tbi_side side,
                               bool canonical_only,
                               tbi_enumeration **enumeration);

/// Frees an enumeration; NULL is none.
void tbi_enumeration_free(tbi_enumeration *enumeration);

/// How many chunks there are; 0 if `enumeration` is NULL. A chunk has the indices that agree in all but
/// their lowest 21 bits.
uint64_t tbi_enumeration_chunk_count(const tbi_enumeration *enumeration);

/// Lists the indices of a chunk, in ascending order, at most `TBI_CHUNK_SIZE`. Unless `stage_counts` is NULL,
/// its four elements get the numbers of positions that each stage leaves of this chunk, 0 beyond the stage asked
/// for. `TBI_ERROR_ARGUMENT` if `chunk` is not below the number of chunks.
tbi_status tbi_enumeration_chunk(const tbi_enumeration *enumeration,
                                 uint64_t chunk,
                                 void *out,
                                 size_t word_bytes,
                                 size_t capacity,
                                 size_t *count,
                                 uint64_t *stage_counts);

/// Writes a file of all positions, sorted and distinct, and reduced if the enumeration is of canonical ones
/// only; and its number of indices to `written`. `progress` is told how many chunks were enumerated.
tbi_status tbi_enumeration_write(const tbi_enumeration *enumeration,
                                 const char *out,
                                 tbi_write_flags flags,
                                 size_t threads,
                                 tbi_progress progress,
                                 void *context,
                                 uint64_t *written);

/// Opens the tables of a folder: those of `tbgen` by distance to zeroing and to mate, packed or not, and Syzygy
/// files, in any mixture. `memory` is how many bytes may be taken for what is kept of them, 64 MiB at least; 0 is
/// 512 MiB. `TBI_ERROR_IO` if the system refuses.
tbi_status tbi_tables_open(const char *folder,
                           size_t memory,
                           tbi_tables **tables);

/// Closes tables; NULL is none.
void tbi_tables_close(tbi_tables *tables);

/// Writes the values of `count` indices of a material of 3 to 7 pieces: outcomes, and the `distances` that are
/// wanted, which take longer: `TBI_VALUE_DTZ`, `TBI_VALUE_DTM` (which Syzygy files do not have), both added, or 0.
/// `side` is to move, or if `sides` is not NULL, in each position its own. All processors share the work.
///
/// An index whose position is not legal, or whose table is missing or found to be damaged, has no value, and is no error;
/// `tbi_tables_failure` tells how many of these there were. A position whose outcome is known, perhaps by its captures
/// alone, has a value, though a distance may not be known, which its flags tell; if a file is damaged,
/// `tbi_tables_failure` counts it, too. Probes do not read the checksums of Syzygy files, so damage there may give a
/// wrong value: `tbgen verify` checks them. `TBI_ERROR_INDEX` if an index has bits above those of its pieces.
tbi_status tbi_tables_probe(const tbi_tables *tables,
                            const char *material,
                            tbi_numbering numbering,
                            tbi_side side,
                            const tbi_side *sides,
                            tbi_value_flags distances,
                            const void *in,
                            tbi_value *out,
                            size_t word_bytes,
                            size_t count);

/// Does this for positions as rows of squares, a byte each, in the order of the pieces in an index.
tbi_status tbi_tables_probe_rows(const tbi_tables *tables,
                                 const char *material,
                                 tbi_side side,
                                 const tbi_side *sides,
                                 tbi_value_flags distances,
                                 const uint8_t *rows,
                                 tbi_value *out,
                                 size_t count);

/// Does this for positions of any materials as FEN or EPD, whose en-passant square and fifty-move counter count.
/// `TBI_ERROR_NAME` if a text is no FEN of a legal position, `TBI_ERROR_ARGUMENT` if it has castling rights or more
/// than 7 pieces; the message has its number, and no value is written.
tbi_status tbi_tables_probe_fens(const tbi_tables *tables,
                                 tbi_value_flags distances,
                                 const char *const *fens,
                                 tbi_value *out,
                                 size_t count);

/// Writes a reason why positions had no value since the tables were opened, and a zero byte, into a buffer of `size`
/// bytes, else `TBI_ERROR_BUFFER`; the bytes that this takes to `needed`, and the number of positions to `count`, if
/// these are not NULL. The reason is the name of a missing table, such as `KQvK`, or a sentence. Reasons are
/// numbered from 0; past the last one there is `TBI_ERROR_ARGUMENT`.
tbi_status tbi_tables_failure(const tbi_tables *tables,
                              size_t number,
                              char *buffer,
                              size_t size,
                              size_t *needed,
                              uint64_t *count);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TBINDEX_H */
