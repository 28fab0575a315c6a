/*
 * Calls the library wrongly in every way it promises to notice, and expects the promised status and a
 * message. Prints what went otherwise; the exit status says whether anything did.
 *
 *   abuse FOLDER      FOLDER/reduced.tbi is a sound index file of KQvKR
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tbindex.h>

static unsigned checks, wrong;

static void expect(tbi_status found, tbi_status expected, const char *words, const char *what)
{
    const char *message = tbi_last_error_message();

    checks++;
    if (found != expected) {
        printf("%s: %s, expected %s (%s)\n", what, tbi_status_name(found), tbi_status_name(expected), message);
        wrong++;
    } else if (expected != TBI_OK && strstr(message, words) == NULL) {
        printf("%s: the message \"%s\" does not say \"%s\"\n", what, message, words);
        wrong++;
    }
}

#define EXPECT(call, status, words) expect(call, status, words, #call)
#define FINE(call) expect(call, TBI_OK, "", #call)

static void require(int truth, const char *what)
{
    checks++;
    if (!truth) {
        printf("not so: %s\n", what);
        wrong++;
    }
}

#define REQUIRE(truth) require((truth) ? 1 : 0, #truth)

static int stop_at_once(void *context, tbi_phase phase, uint64_t done)
{
    (void)context;
    (void)phase;
    (void)done;
    return 1;
}

static void names(void)
{
    static const char *const bad[] = {"", "KQKR", "KvKv", "KXvK", "QKvK", "KQQ", "vKK", "KKvK",
                                      "KQRBNPPPPPPPvKQRBNPPPPPPP", "K\xff" "vK", "KQvKR "};
    tbi_material material;
    uint8_t square = 99;
    size_t k;

    for (k = 0; k < sizeof bad / sizeof *bad; k++)
        EXPECT(tbi_material_parse(bad[k], &material), TBI_ERROR_NAME, "");
    EXPECT(tbi_material_parse(NULL, &material), TBI_ERROR_NULL, "material is NULL");
    EXPECT(tbi_material_parse("KvK", NULL), TBI_ERROR_NULL, "out is NULL");
    EXPECT(tbi_square_parse("i9", &square), TBI_ERROR_NAME, "");
    EXPECT(tbi_square_parse("e4", NULL), TBI_ERROR_NULL, "square");
    REQUIRE(square == 99);
    REQUIRE(strcmp(tbi_square_name(64), "") == 0);

    FINE(tbi_material_parse("KQRBNPPPPPvKQRBNPPPPP", &material));
    REQUIRE(material.piece_count == 20 && strlen(material.name) == 21);
    FINE(tbi_material_parse("KRvKQ", &material));
    REQUIRE(!material.is_normal);
    EXPECT(tbi_material_swap_colors(NULL, &material), TBI_ERROR_NULL, "material");
    EXPECT(tbi_material_swap_colors("KRvKQ", NULL), TBI_ERROR_NULL, "out");
    FINE(tbi_material_swap_colors(material.name, &material));
    REQUIRE(strcmp(material.name, "KQvKR") == 0 && strcmp(material.index_order, "rQkK") == 0);
    REQUIRE(material.codes[0] == 13 && material.codes[3] == 7 && material.places[0] == 3);
    REQUIRE(material.piece_count == 4 && material.group == TBI_GROUP_D4 && material.is_normal);
}

static void numbers(void)
{
    static const char *const big = "KQRBNPvKQRBN";
    const tbi_layout none = {0, 0}, many = {11, 0}, most = {UINT32_MAX, 0}, strange = {3, 2}, one = {1, 0};
    const tbi_layout layout = {4, TBI_NUMBERING_ALTERNATE};
    tbi_equivalence *same = NULL;
    tbi_dense *dense = NULL;
    static const uint32_t twice[] = {3, 6}, beyond[] = {24};

    EXPECT(tbi_flip(none, 0, NULL, NULL, 4, 0), TBI_ERROR_ARGUMENT, "0 pieces");
    EXPECT(tbi_flip(many, 0, NULL, NULL, 8, 0), TBI_ERROR_WORD, "11 pieces");
    EXPECT(tbi_flip(most, 0, NULL, NULL, 8, 0), TBI_ERROR_WORD, "pieces");
    EXPECT(tbi_flip(strange, 0, NULL, NULL, 8, 0), TBI_ERROR_ARGUMENT, "numbering 2");
    REQUIRE(tbi_layout_word_bytes(none) == 0 && tbi_layout_word_bytes(many) == 0);
    REQUIRE(tbi_layout_word_bytes(one) == 4 && tbi_layout_word_bytes(strange) == 0);

    EXPECT(tbi_equivalence_of_material(big, 0, &same), TBI_ERROR_WORD, "11 pieces");
    EXPECT(tbi_equivalence_of_material(NULL, 0, &same), TBI_ERROR_NULL, "material");
    EXPECT(tbi_equivalence_of_material("KPvK", 9, &same), TBI_ERROR_ARGUMENT, "numbering 9");
    EXPECT(tbi_equivalence_of_layout(layout, TBI_GROUP_D4, twice, 2, &same), TBI_ERROR_ARGUMENT, "piece 1");
    EXPECT(tbi_equivalence_of_layout(layout, TBI_GROUP_D4, beyond, 1, &same), TBI_ERROR_ARGUMENT, "piece 4");
    EXPECT(tbi_equivalence_of_layout(layout, TBI_GROUP_D4, NULL, 1, &same), TBI_ERROR_NULL, "like_sets");
    EXPECT(tbi_equivalence_of_layout(layout, 3, NULL, 0, &same), TBI_ERROR_ARGUMENT, "group 3");
    EXPECT(tbi_equivalence_of_layout(many, TBI_GROUP_D4, NULL, 0, &same), TBI_ERROR_WORD, "11 pieces");
    REQUIRE(same == NULL && tbi_equivalence_layout(NULL).pieces == 0);
    FINE(tbi_equivalence_of_layout(layout, TBI_GROUP_FILE_MIRROR, NULL, 0, &same));
    REQUIRE(tbi_equivalence_layout(same).pieces == 4 && tbi_equivalence_group(same) == TBI_GROUP_FILE_MIRROR);

    EXPECT(tbi_dense_of_layout(none, TBI_SCHEME_ORBIT, TBI_GROUP_D4, &dense), TBI_ERROR_ARGUMENT, "0 pieces");
    EXPECT(tbi_dense_of_layout(layout, TBI_SCHEME_ORBIT, 3, &dense), TBI_ERROR_ARGUMENT, "group 3");
    EXPECT(tbi_dense_of_layout(layout, 3, TBI_GROUP_D4, &dense), TBI_ERROR_ARGUMENT, "scheme 3");
    EXPECT(tbi_dense_of_layout(one, TBI_SCHEME_KINGS, TBI_GROUP_D4, &dense), TBI_ERROR_ARGUMENT, "at least 2");
    EXPECT(tbi_dense_of_material(big, 0, 0, 0, &dense), TBI_ERROR_WORD, "");
    EXPECT(tbi_dense_of_material("KPvK", 2, 0, 0, &dense), TBI_ERROR_ARGUMENT, "numbering 2");
    EXPECT(tbi_dense_of_material("KPvK", 0, 4, 0, &dense), TBI_ERROR_ARGUMENT, "rules 4");
    EXPECT(tbi_dense_of_material("KPvK", 0, 0, 2, &dense), TBI_ERROR_ARGUMENT, "diagonal 2");
    EXPECT(tbi_dense_of_material(NULL, 0, 0, 0, &dense), TBI_ERROR_NULL, "material");
    REQUIRE(dense == NULL && tbi_dense_size(NULL) == 0 && tbi_dense_layout(NULL).pieces == 0);

    tbi_equivalence_free(same);
}

static void buffers(void)
{
    enum { COUNT = 64, PIECES = 3 };
    uint64_t *memory = (uint64_t *)calloc(8 * COUNT, sizeof(uint64_t));
    uint32_t *words = (uint32_t *)memory;
    uint32_t *odd = (uint32_t *)(void *)((char *)memory + 1);
    uint8_t *bytes = (uint8_t *)(memory + 4 * COUNT);
    uint8_t rows[COUNT * PIECES], symmetries[COUNT], c0[COUNT], c1[COUNT], c2[COUNT];
    const uint8_t *columns[PIECES], *holes[PIECES];
    uint8_t *into[PIECES], *crossed[PIECES];
    const tbi_layout three = {PIECES, TBI_NUMBERING_ALTERNATE}, six = {6, TBI_NUMBERING_NATURAL};
    const size_t narrow = sizeof *words, wide = sizeof *memory;
    uint64_t bitmap[1];
    tbi_equivalence *same = NULL;
    tbi_dense *orbit = NULL, *kings = NULL;
    size_t k;

    FINE(tbi_equivalence_of_layout(three, TBI_GROUP_D4, NULL, 0, &same));
    FINE(tbi_dense_of_layout(three, TBI_SCHEME_ORBIT, TBI_GROUP_D4, &orbit));
    FINE(tbi_dense_of_layout(six, TBI_SCHEME_KINGS, TBI_GROUP_D4, &kings));

    /* Pointers. */
    EXPECT(tbi_canonical(NULL, words, words, NULL, narrow, COUNT), TBI_ERROR_NULL, "equivalence is NULL");
    EXPECT(tbi_canonical((const tbi_equivalence *)(const void *)((const char *)same + 1), words, words, NULL, narrow,
                         COUNT),
           TBI_ERROR_MISALIGNED, "equivalence");
    EXPECT(tbi_flip(three, 0, words, words, 2, COUNT), TBI_ERROR_WORD, "words of 2 bytes");
    EXPECT(tbi_canonical(same, words, words, NULL, 16, COUNT), TBI_ERROR_WORD, "words of 16 bytes");
    EXPECT(tbi_flip(three, 0, NULL, words, narrow, COUNT), TBI_ERROR_NULL, "in is NULL");
    EXPECT(tbi_flip(three, 0, words, NULL, narrow, COUNT), TBI_ERROR_NULL, "out is NULL");
    EXPECT(tbi_flip(three, 0, odd, odd, narrow, COUNT), TBI_ERROR_MISALIGNED, "multiple of 4");
    EXPECT(tbi_flip(three, 0, words, odd, narrow, 1), TBI_ERROR_MISALIGNED, "out");
    EXPECT(tbi_flip(three, 8, words, words, narrow, COUNT), TBI_ERROR_ARGUMENT, "symmetry 8");
    EXPECT(tbi_flip(three, 0, words, words, narrow, SIZE_MAX), TBI_ERROR_ARGUMENT, "elements");
    EXPECT(tbi_flip(six, 0, words, words, narrow, COUNT), TBI_ERROR_WORD, "6 pieces");
    EXPECT(tbi_convert(three, 2, words, words, narrow, COUNT), TBI_ERROR_ARGUMENT, "numbering 2");
    FINE(tbi_flip(three, 0, NULL, NULL, narrow, 0));
    FINE(tbi_flip(three, 0, odd, words, narrow, 0));
    FINE(tbi_flip(six, 7, memory, memory, wide, COUNT));

    /* Overlap: every distance by which two buffers can overlap, and the first by which they do not. */
    for (k = 1; k < COUNT; k++) {
        EXPECT(tbi_flip(three, 1, words, words + k, narrow, COUNT), TBI_ERROR_OVERLAP, "in and out overlap");
        EXPECT(tbi_canonical(same, words + k, words, NULL, narrow, COUNT), TBI_ERROR_OVERLAP, "overlap");
        EXPECT(tbi_dense_rank(orbit, words, words + k, narrow, COUNT), TBI_ERROR_OVERLAP, "overlap");
        EXPECT(tbi_convert(six, 1, memory, memory + k, wide, COUNT), TBI_ERROR_OVERLAP, "overlap");
    }
    memset(memory, 0, 8 * COUNT * sizeof *memory);
    FINE(tbi_flip(three, 1, words, words + COUNT, narrow, COUNT));
    FINE(tbi_flip(three, 1, words + COUNT, words, narrow, COUNT));
    FINE(tbi_flip(three, 1, words, words, narrow, COUNT));
    EXPECT(tbi_canonical(same, words, words, (uint8_t *)words, narrow, COUNT), TBI_ERROR_OVERLAP, "symmetries");
    EXPECT(tbi_canonical(same, words, words + COUNT, (uint8_t *)words, narrow, COUNT), TBI_ERROR_OVERLAP, "symm");
    EXPECT(tbi_canonical(same, words, words + COUNT, (uint8_t *)(words + COUNT), narrow, COUNT),
           TBI_ERROR_OVERLAP, "symmetries");
    FINE(tbi_canonical(same, words, words, symmetries, narrow, COUNT));
    EXPECT(tbi_orbit_size(same, words, (uint8_t *)words + 3, narrow, COUNT), TBI_ERROR_OVERLAP, "sizes");
    EXPECT(tbi_orbit_size(same, words, NULL, narrow, COUNT), TBI_ERROR_NULL, "sizes");
    EXPECT(tbi_is_canonical(same, words, memory, narrow, COUNT), TBI_ERROR_OVERLAP, "bitmap");
    FINE(tbi_is_canonical(same, words, bitmap, narrow, COUNT));
    EXPECT(tbi_is_canonical(same, words, NULL, narrow, COUNT), TBI_ERROR_NULL, "bitmap");

    /* Rows and columns. */
    memset(rows, 0, sizeof rows);
    rows[COUNT * PIECES - 1] = 64;
    EXPECT(tbi_encode_rows(three, rows, words, narrow, COUNT), TBI_ERROR_SQUARE, "64");
    rows[COUNT * PIECES - 1] = 63;
    FINE(tbi_encode_rows(three, rows, words, narrow, COUNT));
    EXPECT(tbi_encode_rows(three, rows, words, narrow, SIZE_MAX), TBI_ERROR_ARGUMENT, "positions");
    EXPECT(tbi_encode_rows(three, NULL, words, narrow, COUNT), TBI_ERROR_NULL, "rows");
    EXPECT(tbi_encode_rows(six, rows, words, narrow, 1), TBI_ERROR_WORD, "6 pieces");
    EXPECT(tbi_decode_rows(three, words, (uint8_t *)words, narrow, COUNT), TBI_ERROR_OVERLAP, "rows");
    EXPECT(tbi_encode_rows(three, (uint8_t *)words, words, narrow, COUNT), TBI_ERROR_OVERLAP, "rows");
    FINE(tbi_decode_rows(three, words, bytes, narrow, COUNT));
    REQUIRE(memcmp(bytes, rows, sizeof rows) == 0);
    memset(c0, 0, sizeof c0);
    memset(c1, 0, sizeof c1);
    memset(c2, 0, sizeof c2);
    columns[0] = holes[0] = into[0] = crossed[0] = c0;
    columns[1] = into[1] = crossed[1] = c1;
    columns[2] = holes[2] = into[2] = c2;
    holes[1] = NULL;
    crossed[2] = c1;
    FINE(tbi_encode_columns(three, columns, words, narrow, COUNT));
    FINE(tbi_decode_columns(three, words, into, narrow, COUNT));
    EXPECT(tbi_encode_columns(three, holes, words, narrow, COUNT), TBI_ERROR_NULL, "column 1");
    EXPECT(tbi_encode_columns(three, NULL, words, narrow, COUNT), TBI_ERROR_NULL, "columns");
    EXPECT(tbi_decode_columns(three, words, crossed, narrow, COUNT), TBI_ERROR_OVERLAP, "column 1 and column 2");
    columns[1] = columns[0];
    FINE(tbi_encode_columns(three, columns, words, narrow, COUNT));
    columns[2] = (uint8_t *)words + 5;
    EXPECT(tbi_encode_columns(three, columns, words, narrow, COUNT), TBI_ERROR_OVERLAP, "column 2");
    c1[7] = 200;
    columns[1] = c1;
    columns[2] = c2;
    EXPECT(tbi_encode_columns(three, columns, words, narrow, COUNT), TBI_ERROR_SQUARE, "200");
    FINE(tbi_encode_columns(three, NULL, NULL, narrow, 0));
    FINE(tbi_decode_columns(three, NULL, NULL, narrow, 0));

    /* Dense numbers. */
    for (k = 0; k < COUNT; k++)
        words[k] = (uint32_t)k;
    words[5] = 1u << 18;
    EXPECT(tbi_dense_rank(orbit, words, words, narrow, COUNT), TBI_ERROR_INDEX, "position 5");
    REQUIRE(words[4] == 4);
    words[5] = 32896;
    EXPECT(tbi_dense_unrank(orbit, words, words, narrow, COUNT), TBI_ERROR_SLOT, "slot 32896 at position 5");
    words[5] = 32895;
    FINE(tbi_dense_unrank(orbit, words, words, narrow, COUNT));
    FINE(tbi_dense_rank(orbit, words, words, narrow, COUNT));
    REQUIRE(words[5] == 32895 && words[6] == 6);
    EXPECT(tbi_dense_rank(kings, words, words, narrow, COUNT), TBI_ERROR_WORD, "5 pieces");
    EXPECT(tbi_dense_rank(NULL, words, words, narrow, COUNT), TBI_ERROR_NULL, "dense");
    memory[0] = 0;
    FINE(tbi_dense_rank(kings, memory, memory, wide, 1));
    REQUIRE(memory[0] == TBI_NO_SLOT_U64);
    EXPECT(tbi_dense_unrank(kings, memory, memory, wide, 1), TBI_ERROR_SLOT, "slot 18446744073709551615");
    memory[0] = UINT64_C(1) << 32;
    EXPECT(tbi_dense_twin(orbit, memory, memory, wide, 1), TBI_ERROR_SLOT, "slot 4294967296");
    memory[0] = 0;
    FINE(tbi_dense_twin(orbit, memory, memory, wide, 1));
    REQUIRE(memory[0] == TBI_NO_SLOT_U64);
    for (k = 0; k < COUNT; k++)
        words[k] = (uint32_t)k;
    words[5] = 32896;
    EXPECT(tbi_dense_weight(orbit, words, words + COUNT, narrow, COUNT), TBI_ERROR_SLOT, "slot 32896 at position 5");
    EXPECT(tbi_dense_twin(orbit, words, words, narrow, COUNT), TBI_ERROR_SLOT, "slot 32896 at position 5");
    words[5] = 32895;
    EXPECT(tbi_dense_weight(orbit, words, words, narrow, COUNT), TBI_ERROR_OVERLAP, "weights");
    EXPECT(tbi_dense_weight(orbit, words, NULL, narrow, COUNT), TBI_ERROR_NULL, "weights");
    EXPECT(tbi_dense_weight(kings, words, words, narrow, COUNT), TBI_ERROR_WORD, "5 pieces");
    EXPECT(tbi_dense_twin(orbit, words, words + 1, narrow, COUNT), TBI_ERROR_OVERLAP, "overlap");
    FINE(tbi_dense_weight(orbit, words, words + COUNT, narrow, COUNT));
    FINE(tbi_dense_twin(orbit, words, words + COUNT, narrow, COUNT));
    REQUIRE(words[COUNT] == TBI_NO_SLOT_U32);
    FINE(tbi_dense_weight(kings, NULL, NULL, wide, 0));
    REQUIRE(tbi_dense_layout(orbit).numbering == TBI_NUMBERING_ALTERNATE && tbi_dense_layout(orbit).pieces == PIECES);

    tbi_dense_free(kings);
    tbi_dense_free(orbit);
    tbi_equivalence_free(same);
    free(memory);
}

static void positions(const char *folder)
{
    char out[4096], text[128];
    static const char *const big = "KQRBNPvKQRBN", *const pawns = "KPvKP";
    tbi_material material, some[20];
    tbi_material_map *map = NULL;
    tbi_enumeration *all = NULL;
    tbi_moves *moves = NULL;
    tbi_move list[TBI_MOST_MOVES];
    tbi_conversion conversions[8], takes = {10, 0}, nothing = {0, 0}, strange = {10, 14};
    static uint32_t words[TBI_CHUNK_SIZE];
    uint64_t index = 0, wide[2], counts[4], bitmap[1];
    tbi_side side;
    uint8_t passed;
    size_t count = 7;

    snprintf(out, sizeof out, "%s/all.tbi", folder);

    /* FEN. */
    EXPECT(tbi_encode_fen("8/8/8", 0, &material, &index, NULL, NULL), TBI_ERROR_NAME, "3 ranks");
    EXPECT(tbi_encode_fen("4k3/8/8/8/8/8/8/4K2R w K -", 0, NULL, &index, NULL, NULL), TBI_ERROR_ARGUMENT, "castling");
    EXPECT(tbi_encode_fen("8/8/8/pP6/8/8/8/1k1K4 w - a6", 0, NULL, &index, NULL, NULL), TBI_ERROR_ARGUMENT,
           "en-passant");
    EXPECT(tbi_encode_fen("8/8/8/8/8/8/8/1K6 w - -", 0, NULL, &index, NULL, NULL), TBI_ERROR_ARGUMENT, "king");
    EXPECT(tbi_encode_fen("k7/8/8/8/8/8/PPPPPPPP/RNB1K3 w - -", 0, NULL, &index, NULL, NULL), TBI_ERROR_WORD, "pieces");
    EXPECT(tbi_encode_fen("k7/8/8/8/8/8/8/K7 w - -", 2, NULL, &index, NULL, NULL), TBI_ERROR_ARGUMENT, "numbering 2");
    EXPECT(tbi_encode_fen("k7/8/8/8/8/8/8/K7 w - -", 0, NULL, NULL, NULL, NULL), TBI_ERROR_NULL, "index");
    EXPECT(tbi_encode_fen(NULL, 0, NULL, &index, NULL, NULL), TBI_ERROR_NULL, "fen");
    FINE(tbi_encode_fen("8/8/8/pP6/8/8/8/1k1K4 w - a6", 0, &material, &index, &side, &passed));
    REQUIRE(side == TBI_SIDE_WHITE && passed == 40 && strcmp(material.name, pawns) == 0);
    FINE(tbi_decode_fen(pawns, 0, index, side, text, sizeof text, NULL));
    REQUIRE(strcmp(text, "8/8/8/pP6/8/8/8/1k1K4 w - - 0 1") == 0);
    EXPECT(tbi_decode_fen(pawns, 0, index, side, text, 3, &count), TBI_ERROR_BUFFER, "3 bytes");
    REQUIRE(count == strlen(text) + 1);
    EXPECT(tbi_decode_fen(pawns, 0, 0, side, text, sizeof text, NULL), TBI_ERROR_ARGUMENT, "a1");
    EXPECT(tbi_decode_fen(pawns, 0, 1 << 24, side, text, sizeof text, NULL), TBI_ERROR_INDEX, "out of range");
    EXPECT(tbi_decode_fen(pawns, 0, index, TBI_SIDE_UNKNOWN, text, sizeof text, NULL), TBI_ERROR_ARGUMENT, "side");
    EXPECT(tbi_decode_fen(big, 0, index, side, text, sizeof text, NULL), TBI_ERROR_WORD, "pieces");

    /* Moves. */
    EXPECT(tbi_moves_new(big, 0, &moves), TBI_ERROR_WORD, "11 pieces");
    EXPECT(tbi_moves_new(pawns, 9, &moves), TBI_ERROR_ARGUMENT, "numbering 9");
    REQUIRE(moves == NULL);
    FINE(tbi_moves_new(pawns, 0, &moves));
    FINE(tbi_moves_from(moves, index, side, passed, list, TBI_MOST_MOVES, &count));
    EXPECT(tbi_moves_from(moves, index, side, passed, list, 2, &count), TBI_ERROR_BUFFER, "2 moves");
    EXPECT(tbi_moves_from(moves, index, side, passed, NULL, count, &count), TBI_ERROR_NULL, "out");
    EXPECT(tbi_moves_from(moves, index, side, 64, list, 99, &count), TBI_ERROR_SQUARE, "64");
    EXPECT(tbi_moves_from(moves, index, TBI_SIDE_UNKNOWN, passed, list, 99, &count), TBI_ERROR_ARGUMENT, "side");
    EXPECT(tbi_moves_from(moves, 0, side, passed, list, 99, &count), TBI_ERROR_ARGUMENT, "legal");
    EXPECT(tbi_moves_from(moves, UINT64_MAX, side, passed, list, 99, &count), TBI_ERROR_INDEX, "at position 0");
    EXPECT(tbi_moves_back(moves, index, side, wide, 0, &count), TBI_ERROR_BUFFER, "0 indices");
    EXPECT(tbi_moves_back_conversion(moves, nothing, 0, wide, 2, &count), TBI_ERROR_ARGUMENT, "neither");
    EXPECT(tbi_moves_back_conversion(moves, strange, 0, wide, 2, &count), TBI_ERROR_ARGUMENT, "own side");
    EXPECT(tbi_moves_back_conversion(moves, takes, UINT64_MAX, wide, 2, &count), TBI_ERROR_INDEX, "at position 0");
    takes.captured = 13;
    FINE(tbi_moves_back_conversion(moves, takes, UINT64_MAX, wide, 2, &count));
    REQUIRE(count == 0);
    takes.captured = 77;
    EXPECT(tbi_moves_back_conversion(moves, takes, 0, wide, 2, &count), TBI_ERROR_ARGUMENT, "code 77");
    EXPECT(tbi_moves_materials(moves, some, 1, &count), TBI_ERROR_BUFFER, "1 materials");
    EXPECT(tbi_moves_materials(moves, NULL, count, &count), TBI_ERROR_NULL, "out");
    FINE(tbi_moves_materials(moves, some, 20, &count));
    REQUIRE(strcmp(some[0].name, pawns) == 0 && some[count - 1].is_normal);
    wide[0] = 0;
    wide[1] = UINT64_MAX;
    FINE(tbi_is_legal(moves, side, wide, bitmap, sizeof *wide, 2));
    REQUIRE(bitmap[0] == 0);
    FINE(tbi_is_mate(moves, side, wide, bitmap, sizeof *wide, 2));
    FINE(tbi_is_stalemate(moves, side, wide, bitmap, sizeof *wide, 2));
    FINE(tbi_is_check(moves, side, wide, bitmap, sizeof *wide, 2));
    EXPECT(tbi_is_legal(moves, TBI_SIDE_UNKNOWN, wide, bitmap, sizeof *wide, 2), TBI_ERROR_ARGUMENT, "side");
    EXPECT(tbi_is_legal(moves, side, wide, wide, sizeof *wide, 2), TBI_ERROR_OVERLAP, "bitmap");
    EXPECT(tbi_is_mate(moves, side, wide, NULL, sizeof *wide, 2), TBI_ERROR_NULL, "bitmap");
    EXPECT(tbi_is_check(NULL, side, wide, bitmap, sizeof *wide, 2), TBI_ERROR_NULL, "moves");

    /* Conversions. */
    EXPECT(tbi_material_conversions(pawns, conversions, 3, &count), TBI_ERROR_BUFFER, "3 conversions");
    REQUIRE(count == 10);
    EXPECT(tbi_material_after(pawns, nothing, &material), TBI_ERROR_ARGUMENT, "neither");
    takes.captured = 15;
    EXPECT(tbi_material_after(pawns, takes, &material), TBI_ERROR_ARGUMENT, "KPvKP");
    EXPECT(tbi_material_below(pawns, some, 8, &count), TBI_ERROR_BUFFER, "8 materials");
    REQUIRE(count == 20);
    EXPECT(tbi_material_below(pawns, NULL, 20, &count), TBI_ERROR_NULL, "out");
    FINE(tbi_material_below(pawns, some, 20, &count));
    EXPECT(tbi_material_map_capture(pawns, 2, 0, &map), TBI_ERROR_ARGUMENT, "KPvKP");
    EXPECT(tbi_material_map_capture(pawns, 4, 0, &map), TBI_ERROR_ARGUMENT, "KPvKP");
    EXPECT(tbi_material_map_capture(big, 0, 0, &map), TBI_ERROR_WORD, "11 pieces");
    EXPECT(tbi_material_map_promotion(pawns, 0, 7, TBI_NO_PIECE, 0, &map), TBI_ERROR_ARGUMENT, "KPvKP");
    EXPECT(tbi_material_map_promotion(pawns, 0, 0, TBI_NO_PIECE, 0, &map), TBI_ERROR_ARGUMENT, "code 0");
    EXPECT(tbi_material_map_promotion(pawns, 0, 6, 1, 0, &map), TBI_ERROR_ARGUMENT, "KPvKP");
    EXPECT(tbi_material_map_promotion(pawns, 2, 6, TBI_NO_PIECE, 0, &map), TBI_ERROR_ARGUMENT, "KPvKP");
    EXPECT(tbi_material_map_target(NULL, &material, NULL), TBI_ERROR_NULL, "map");
    REQUIRE(map == NULL);
    FINE(tbi_material_map_capture(pawns, 0, 0, &map));
    EXPECT(tbi_map(map, words, words + 1, sizeof *words, 2), TBI_ERROR_OVERLAP, "overlap");
    EXPECT(tbi_unmap(map, words, NULL, sizeof *words, 2), TBI_ERROR_NULL, "out");
    FINE(tbi_map(map, wide, wide, sizeof *wide, 2));

    /* Enumerations. */
    EXPECT(tbi_enumeration_new("KPvK", 0, 4, 0, false, &all), TBI_ERROR_ARGUMENT, "stage 4");
    EXPECT(tbi_enumeration_new("KPvK", 0, TBI_STAGE_LEGAL, TBI_SIDE_UNKNOWN, false, &all), TBI_ERROR_ARGUMENT, "side");
    EXPECT(tbi_enumeration_new(big, 0, TBI_STAGE_ALL, 2, false, &all), TBI_ERROR_WORD, "11 pieces");
    REQUIRE(all == NULL && tbi_enumeration_chunk_count(NULL) == 0);
    FINE(tbi_enumeration_new("KPvK", 0, TBI_STAGE_LEGAL, TBI_SIDE_WHITE, true, &all));
    REQUIRE(tbi_enumeration_chunk_count(all) == 1);
    EXPECT(tbi_enumeration_chunk(all, 1, words, sizeof *words, TBI_CHUNK_SIZE, &count, NULL), TBI_ERROR_ARGUMENT, "chunk 1");
    EXPECT(tbi_enumeration_chunk(all, 0, words, sizeof *words, 5, &count, NULL), TBI_ERROR_BUFFER, "5 indices");
    REQUIRE(count > 5);
    EXPECT(tbi_enumeration_chunk(all, 0, NULL, sizeof *words, count, &count, NULL), TBI_ERROR_NULL, "out");
    EXPECT(tbi_enumeration_chunk(all, 0, words, sizeof *words, count, NULL, NULL), TBI_ERROR_NULL, "count");
    EXPECT(tbi_enumeration_chunk(all, 0, (uint32_t *)counts, sizeof *words, 8, &count, counts), TBI_ERROR_OVERLAP, "stage_counts");
    FINE(tbi_enumeration_chunk(all, 0, words, sizeof *words, TBI_CHUNK_SIZE, &count, counts));
    REQUIRE(counts[TBI_STAGE_LEGAL] == count && counts[TBI_STAGE_ALL] > count);
    EXPECT(tbi_enumeration_write(all, out, 8, 1, NULL, NULL, NULL), TBI_ERROR_ARGUMENT, "flags");
    EXPECT(tbi_enumeration_write(all, out, 0, 5000, NULL, NULL, NULL), TBI_ERROR_ARGUMENT, "5000 threads");
    EXPECT(tbi_enumeration_write(all, NULL, 0, 1, NULL, NULL, NULL), TBI_ERROR_NULL, "out");
    EXPECT(tbi_enumeration_write(all, out, 0, 1, stop_at_once, NULL, NULL), TBI_ERROR_CANCELLED, "ended");

    tbi_enumeration_free(all);
    tbi_material_map_free(map);
    tbi_moves_free(moves);
    tbi_enumeration_free(NULL);
    tbi_material_map_free(NULL);
    tbi_moves_free(NULL);
}

static void files(const char *folder)
{
    char path[4096], out[4096], missing[4096];
    const char *paths[1], *none[1];
    static const char *const material = "KQvKR";
    const void *words;
    tbi_header header;
    uint32_t some[2];
    uint64_t position;
    size_t count = 7;
    tbi_file *file = NULL;
    tbi_writer *writer = NULL, *other = NULL;
    tbi_reduction how = {0, 0, 0, NULL};
    FILE *plain;

    snprintf(path, sizeof path, "%s/reduced.tbi", folder);
    snprintf(out, sizeof out, "%s/out.tbi", folder);
    snprintf(missing, sizeof missing, "%s/nowhere/missing.tbi", folder);
    paths[0] = path;
    none[0] = missing;
    remove(out);

    EXPECT(tbi_file_open(missing, &file), TBI_ERROR_IO, "missing.tbi");
    EXPECT(tbi_file_open(folder, &file), TBI_ERROR_FILE, "regular file");
    EXPECT(tbi_file_open(NULL, &file), TBI_ERROR_NULL, "path");
    EXPECT(tbi_file_open(path, NULL), TBI_ERROR_NULL, "file");
    plain = fopen(out, "w");
    fputs("no index file at all", plain);
    fclose(plain);
    EXPECT(tbi_file_open(out, &file), TBI_ERROR_FILE, "out.tbi");
    REQUIRE(file == NULL);
    EXPECT(tbi_file_header(NULL, &header), TBI_ERROR_NULL, "file");

    FINE(tbi_file_open(path, &file));
    EXPECT(tbi_file_header(file, NULL), TBI_ERROR_NULL, "header");
    FINE(tbi_file_header(file, &header));
    REQUIRE(header.claims == TBI_CLAIM_REDUCED && header.side == TBI_SIDE_WHITE && header.count == 3);
    REQUIRE(header.word_bytes == sizeof *some && !header.is_compact && strcmp(header.material.name, material) == 0);
    EXPECT(tbi_file_words(file, &words, sizeof(uint64_t), &count), TBI_ERROR_WORD, "64");
    REQUIRE(words == NULL && count == 0);
    EXPECT(tbi_file_words(file, NULL, sizeof *some, &count), TBI_ERROR_NULL, "words");
    FINE(tbi_file_words(file, &words, sizeof *some, &count));
    REQUIRE(count == 3);
    EXPECT(tbi_file_read(file, 2, some, sizeof *some, 2), TBI_ERROR_ARGUMENT, "the file has 3");
    EXPECT(tbi_file_read(file, UINT64_MAX, some, sizeof *some, 2), TBI_ERROR_ARGUMENT, "the file has 3");
    EXPECT(tbi_file_read(file, 0, NULL, sizeof *some, 2), TBI_ERROR_NULL, "out");
    FINE(tbi_file_read(file, 1, some, sizeof *some, 2));
    REQUIRE(memcmp(some, (const uint32_t *)words + 1, sizeof some) == 0);
    FINE(tbi_file_read(file, 3, NULL, sizeof *some, 0));
    EXPECT(tbi_file_rank(file, 0, NULL), TBI_ERROR_NULL, "rank");
    EXPECT(tbi_file_contains(NULL, 0, NULL), TBI_ERROR_NULL, "file");
    EXPECT(tbi_file_verify(file, 5000), TBI_ERROR_ARGUMENT, "5000 threads");
    EXPECT(tbi_file_verify(NULL, 1), TBI_ERROR_NULL, "file");

    /* Writers. */
    EXPECT(tbi_writer_create(out, material, 0, TBI_SIDE_WHITE, 0, 0, &writer), TBI_ERROR_EXISTS, "out.tbi");
    EXPECT(tbi_writer_create(out, material, 0, 3, 0, TBI_WRITE_REPLACE, &writer), TBI_ERROR_ARGUMENT, "side 3");
    EXPECT(tbi_writer_create(out, material, 0, 0, 8, TBI_WRITE_REPLACE, &writer), TBI_ERROR_ARGUMENT, "claims");
    EXPECT(tbi_writer_create(out, material, 0, 0, 0, 4, &writer), TBI_ERROR_ARGUMENT, "flags");
    EXPECT(tbi_writer_create(out, material, 0, 0, TBI_CLAIM_DISTINCT, TBI_WRITE_REPLACE, &writer),
           TBI_ERROR_UNSUITABLE, "sorted");
    EXPECT(tbi_writer_create(out, material, 0, 0, 0, TBI_WRITE_REPLACE | TBI_WRITE_COMPACT, &writer),
           TBI_ERROR_UNSUITABLE, "sorted");
    EXPECT(tbi_writer_create(missing, material, 0, 0, 0, 0, &writer), TBI_ERROR_IO, "missing.tbi");
    REQUIRE(writer == NULL);
    FINE(tbi_writer_create(out, material, 0, 0, TBI_CLAIM_SORTED, TBI_WRITE_REPLACE, &writer));
    EXPECT(tbi_writer_create(out, material, 0, 0, 0, TBI_WRITE_REPLACE, &other), TBI_ERROR_EXISTS, "writing");
    position = 0;
    EXPECT(tbi_writer_write(writer, &position, sizeof position, 1), TBI_ERROR_WORD, "8 bytes");
    EXPECT(tbi_writer_write(writer, NULL, sizeof *some, 1), TBI_ERROR_NULL, "indices");
    some[0] = 2;
    some[1] = 1;
    EXPECT(tbi_writer_write(writer, some, sizeof *some, 2), TBI_ERROR_FILE, "position 1");
    EXPECT(tbi_writer_write(writer, some, sizeof *some, 1), TBI_ERROR_UNSUITABLE, "finished");
    EXPECT(tbi_writer_finish(writer, NULL), TBI_ERROR_UNSUITABLE, "finished");
    tbi_writer_free(writer);
    FINE(tbi_writer_create(out, material, 0, 0, TBI_CLAIM_REDUCED, TBI_WRITE_REPLACE | TBI_WRITE_COMPACT,
                           &writer));
    FINE(tbi_writer_write(writer, words, sizeof *some, count));
    FINE(tbi_writer_finish(writer, NULL));
    EXPECT(tbi_writer_finish(writer, NULL), TBI_ERROR_UNSUITABLE, "finished");
    tbi_writer_free(writer);
    tbi_file_close(file);
    FINE(tbi_file_open(out, &file));
    FINE(tbi_file_header(file, &header));
    REQUIRE(header.is_compact);
    EXPECT(tbi_file_words(file, &words, sizeof *some, &count), TBI_ERROR_UNSUITABLE, "compressed");
    FINE(tbi_file_read(file, 1, some, sizeof *some, 2));
    tbi_file_close(file);

    /* Reductions and sets. */
    how.memory = 1 << 20;
    EXPECT(tbi_files_reduce(paths, 1, out, 0, 1, &how, NULL, NULL, NULL), TBI_ERROR_ARGUMENT, "1048576 bytes");
    how.memory = 0;
    how.threads = 5000;
    EXPECT(tbi_files_reduce(paths, 1, out, 0, 1, &how, NULL, NULL, NULL), TBI_ERROR_ARGUMENT, "5000 threads");
    how.threads = 0;
    how.method = 3;
    EXPECT(tbi_files_reduce(paths, 1, out, 0, 1, &how, NULL, NULL, NULL), TBI_ERROR_ARGUMENT, "method 3");
    EXPECT(tbi_files_reduce(paths, 1, out, 0, 0, NULL, NULL, NULL, NULL), TBI_ERROR_EXISTS, "out.tbi");
    EXPECT(tbi_files_reduce(none, 1, out, 0, 0, NULL, NULL, NULL, NULL), TBI_ERROR_IO, "missing.tbi");
    EXPECT(tbi_files_reduce(paths, 0, out, 0, 0, NULL, NULL, NULL, NULL), TBI_ERROR_ARGUMENT, "0 files");
    EXPECT(tbi_files_reduce(NULL, 1, out, 0, 0, NULL, NULL, NULL, NULL), TBI_ERROR_NULL, "paths");
    EXPECT(tbi_files_reduce(paths, 1, out, 5, 1, NULL, NULL, NULL, NULL), TBI_ERROR_ARGUMENT, "numbering");
    EXPECT(tbi_files_reduce(paths, 1, out, 0, TBI_WRITE_REPLACE, NULL, stop_at_once, NULL, NULL),
           TBI_ERROR_CANCELLED, "ended");
    FINE(tbi_file_open(out, &file));
    FINE(tbi_file_header(file, &header));
    REQUIRE(header.is_compact);
    tbi_file_close(file);
    EXPECT(tbi_files_combine(3, paths, 1, out, 1, 0, 1, NULL, NULL, NULL), TBI_ERROR_ARGUMENT, "operation 3");
    EXPECT(tbi_files_combine(0, paths, 1, out, 1, 1 << 20, 1, NULL, NULL, NULL), TBI_ERROR_ARGUMENT, "1048576 bytes");
    EXPECT(tbi_files_combine(TBI_SET_UNION, paths, 1, out, TBI_WRITE_REPLACE, 0, 1, stop_at_once, NULL, NULL),
           TBI_ERROR_CANCELLED, "ended");
    FINE(tbi_files_combine(TBI_SET_DIFFERENCE, paths, 1, out, TBI_WRITE_REPLACE, 0, 1, NULL, NULL, &position));
    REQUIRE(position == 3);
    remove(out);
}

static void tables(const char *folder)
{
    static const char *const fens[] = {"8/8/2k5/1r6/8/8/8/2KQ4 b - -", "8/8 w"};
    static const char *const castling[] = {"4k3/8/8/8/8/8/8/4K2R w K - 0 1"};
    static const uint8_t rows[8] = {63, 18, 3, 0, 64, 1, 2, 3};
    static const char *const many[] = {"4k3/pppp4/8/8/8/8/P7/4K2R w - - 0 1"};
    static const char *const all[] = {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"};
    static const uint32_t indices[2] = {0270327, UINT32_C(1) << 24}, twice[2] = {0270327, 0270327};
    static const tbi_side sides[2] = {TBI_SIDE_BLACK, TBI_SIDE_UNKNOWN};
    tbi_tables *tables = NULL;
    tbi_value values[2];
    size_t needed;
    uint64_t count;
    char reason[64];

    EXPECT(tbi_tables_open(NULL, 0, &tables), TBI_ERROR_NULL, "folder");
    EXPECT(tbi_tables_open("missing", 0, &tables), TBI_ERROR_IO, "missing");
    REQUIRE(tables == NULL);
    tbi_tables_close(NULL);
    FINE(tbi_tables_open(folder, 1, &tables));
    EXPECT(tbi_tables_failure(tables, 0, reason, sizeof reason, NULL, NULL), TBI_ERROR_ARGUMENT, "below 0");
    EXPECT(tbi_tables_probe(NULL, "KQvKR", 0, 0, NULL, 0, indices, values, 4, 1), TBI_ERROR_NULL, "tables");
    EXPECT(tbi_tables_probe(tables, "KvK", 0, 0, NULL, 0, indices, values, 4, 1), TBI_ERROR_ARGUMENT, "KvK");
    EXPECT(tbi_tables_probe(tables, "KQvKR", 0, 2, NULL, 0, indices, values, 4, 1), TBI_ERROR_ARGUMENT, "side");
    EXPECT(tbi_tables_probe(tables, "KQvKR", 0, 0, NULL, 0, indices, values, 4, 2), TBI_ERROR_INDEX, "position 1");
    EXPECT(tbi_tables_probe(tables, "KQvKR", 0, 0, sides, 0, twice, values, 4, 2), TBI_ERROR_ARGUMENT,
           "sides: position 1");
    EXPECT(tbi_tables_probe(tables, "KQvKR", 0, 0, NULL, 2, indices, values, 4, 1), TBI_ERROR_ARGUMENT, "distances: 2");
    EXPECT(tbi_tables_probe(tables, "KQvKR", 0, 0, NULL, 0, indices, values, 5, 1), TBI_ERROR_WORD, "5 bytes");
    EXPECT(tbi_tables_probe(tables, "KQvKR", 0, 0, NULL, 0, values, values, 4, 1), TBI_ERROR_OVERLAP, "overlap");
    EXPECT(tbi_tables_probe_rows(tables, "KQvKR", 0, NULL, 0, NULL, values, 2), TBI_ERROR_NULL, "rows");
    EXPECT(tbi_tables_probe_rows(tables, "KQvKR", 0, sides, 0, rows, values, 2), TBI_ERROR_ARGUMENT, "sides: position 1");
    EXPECT(tbi_tables_probe_rows(tables, "KQvKR", 0, NULL, 64, rows, values, 2), TBI_ERROR_ARGUMENT, "distances: 64");
    EXPECT(tbi_tables_probe_fens(tables, 0, fens, values, 2), TBI_ERROR_NAME, "fen 1");
    EXPECT(tbi_tables_probe_fens(tables, 0, castling, values, 1), TBI_ERROR_ARGUMENT, "castling");
    EXPECT(tbi_tables_probe_fens(tables, 0, many, values, 1), TBI_ERROR_ARGUMENT, "7 pieces");
    EXPECT(tbi_tables_probe_fens(tables, 0, all, values, 1), TBI_ERROR_ARGUMENT, "7 pieces");
    EXPECT(tbi_tables_probe_fens(tables, 1, fens, values, 1), TBI_ERROR_ARGUMENT, "distances: 1");
    FINE(tbi_tables_probe_rows(tables, "KQvKR", 0, NULL, 0, NULL, NULL, 0));
    FINE(tbi_tables_probe_rows(tables, "KQvKR", TBI_SIDE_BLACK, NULL, TBI_VALUE_DTZ, rows, values, 2));
    FINE(tbi_tables_probe_fens(tables, TBI_VALUE_DTZ | TBI_VALUE_DTM, fens, values, 1));
    REQUIRE(values[0].flags == 0 && values[0].wdl == 0 && values[1].flags == 0);
    EXPECT(tbi_tables_failure(tables, 0, reason, 3, &needed, &count), TBI_ERROR_BUFFER, "3 bytes");
    REQUIRE(count == 2 && needed == sizeof "KQvKR");
    FINE(tbi_tables_failure(tables, 0, reason, sizeof reason, NULL, NULL));
    REQUIRE(strcmp(reason, "KQvKR") == 0);
    tbi_tables_close(tables);
}

int main(int argc, char **argv)
{
    REQUIRE(strcmp(tbi_last_error_message(), "") == 0);
    REQUIRE(strcmp(tbi_status_name(-1), "unknown status") == 0);
    if (argc != 2)
        return 2;
    names();
    numbers();
    buffers();
    positions(argv[1]);
    files(argv[1]);
    tables(argv[1]);
    printf("%u checks, %u wrong\n", checks, wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
