/*
 * A tour: positions become indices, indices canonical ones and array slots, and a file of them is written,
 * reduced, opened and asked.
 *
 *   cc -std=c11 tour.c $(pkg-config --cflags --libs tbindex) -o tour && ./tour FOLDER
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tbindex.h>

/* Ends the program with the library's message unless a call did what it should. */
static void must(tbi_status status, const char *what)
{
    if (status != TBI_OK) {
        fprintf(stderr, "%s: %s: %s\n", what, tbi_status_name(status), tbi_last_error_message());
        exit(EXIT_FAILURE);
    }
}

/* Counts how often it is called, and lets the work go on. */
static int count_calls(void *context, tbi_phase phase, uint64_t done)
{
    (void)phase;
    (void)done;
    ++*(unsigned *)context;
    return 0;
}

int main(int argc, char **argv)
{
    enum { POSITIONS = 3, PIECES = 4 };
    /* White king a1, queen c3, black king d1, rook h8, and two more positions; by the numbers of the
     * pieces in an index, which for KQvKR are rook, queen, black king, white king. */
    static const char *const names[POSITIONS][PIECES] = {
        {"h8", "c3", "d1", "a1"},
        {"a8", "f3", "e1", "h1"},
        {"b2", "b7", "g7", "b1"},
    };
    uint8_t rows[POSITIONS * PIECES], symmetries[POSITIONS], sizes[POSITIONS], back[POSITIONS * PIECES];
    uint32_t indices[POSITIONS], canonical[POSITIONS], slots[POSITIONS], again[POSITIONS];
    tbi_material material;
    tbi_layout layout = {PIECES, TBI_NUMBERING_NATURAL};
    tbi_equivalence *same;
    tbi_dense *dense;
    size_t k, p;

    if (tbi_abi_version() != TBI_ABI_VERSION) {
        fprintf(stderr, "tbindex.h and libtbindex are of different versions\n");
        return EXIT_FAILURE;
    }
    must(tbi_material_parse("KQvKR", &material), "material");
    must(tbi_equivalence_of_material(material.name, TBI_NUMBERING_NATURAL, &same), "equivalence");
    printf("pieces %s, %" PRIu32 " of them, in words of %zu bytes\n", material.index_order, material.piece_count,
           tbi_layout_word_bytes(layout));

    /* Encode. */
    for (k = 0; k < POSITIONS; k++)
        for (p = 0; p < PIECES; p++)
            must(tbi_square_parse(names[k][p], &rows[k * PIECES + p]), "square");
    must(tbi_encode_rows(layout, rows, indices, sizeof *indices, POSITIONS), "encode");

    /* Canonicalise. */
    must(tbi_canonical(same, indices, canonical, symmetries, sizeof *indices, POSITIONS), "canonical");
    must(tbi_orbit_size(same, indices, sizes, sizeof *indices, POSITIONS), "orbit size");

    /* Rank: KQvKR with the kings apart. */
    must(tbi_dense_of_material(material.name, TBI_NUMBERING_NATURAL, TBI_RULES_KINGS_APART, TBI_DIAGONAL_EXACT, &dense),
         "dense");
    must(tbi_dense_rank(dense, canonical, slots, sizeof *slots, POSITIONS), "rank");
    printf("%" PRIu64 " slots\n", tbi_dense_size(dense));
    for (k = 0; k < POSITIONS; k++)
        printf("index 0o%08" PRIo32 " canonical 0o%08" PRIo32 " symmetry %d orbit %d slot %" PRIu32 "\n",
               indices[k], canonical[k], symmetries[k], sizes[k], slots[k]);
    must(tbi_dense_unrank(dense, slots, again, sizeof *slots, POSITIONS), "unrank");
    must(tbi_decode_rows(layout, again, back, sizeof *again, POSITIONS), "decode");
    for (p = 0; p < PIECES; p++)
        printf("%c%s ", material.index_order[p], tbi_square_name(back[p]));
    printf("\n");

    /* In place: turned by a quarter and back. */
    memcpy(again, indices, sizeof again);
    must(tbi_flip(layout, TBI_SYMMETRY_ROTATE_90, again, again, sizeof *again, POSITIONS), "rotate");
    must(tbi_flip(layout, TBI_SYMMETRY_ROTATE_270, again, again, sizeof *again, POSITIONS), "rotate back");
    printf("there and back: %s\n", memcmp(again, indices, sizeof again) == 0 ? "same" : "different");

    /* A file. */
    if (argc > 1) {
        const char *folder = argv[1];
        char raw[4096], reduced[4096];
        const char *paths[1];
        tbi_writer *writer;
        tbi_reduction how = {0, 1, TBI_METHOD_AUTO, NULL}; /* on one thread */
        tbi_reduction_summary summary;
        tbi_file *file;
        const void *words;
        size_t count;
        uint64_t position;
        bool there;
        unsigned calls = 0;

        snprintf(raw, sizeof raw, "%s/raw.tbi", folder);
        snprintf(reduced, sizeof reduced, "%s/reduced.tbi", folder);
        paths[0] = raw;
        must(tbi_writer_create(raw, material.name, TBI_NUMBERING_NATURAL, TBI_SIDE_WHITE, 0, TBI_WRITE_REPLACE,
                               &writer),
             "create");
        must(tbi_writer_write(writer, indices, sizeof *indices, POSITIONS), "write");
        must(tbi_writer_finish(writer, &position), "finish");
        tbi_writer_free(writer);

        must(tbi_files_reduce(paths, 1, reduced, TBI_NUMBERING_NATURAL, TBI_WRITE_REPLACE, &how, count_calls, &calls,
                              &summary),
             "reduce");
        printf("read %" PRIu64 ", reduced to %" PRIu64 "\n", summary.read, summary.count);
        if (calls == 0)
            return EXIT_FAILURE;

        must(tbi_file_open(reduced, &file), "open");
        must(tbi_file_verify(file, 1), "verify");
        must(tbi_file_words(file, &words, sizeof(uint32_t), &count), "words");
        for (k = 0; k < count; k++)
            printf("position %zu: 0o%08" PRIo32 "\n", k, ((const uint32_t *)words)[k]);
        must(tbi_file_rank(file, canonical[0], &position), "rank in file");
        must(tbi_file_contains(file, canonical[0], &there), "contains");
        printf("the first one is at %" PRIu64 ", %s\n", position, there ? "there" : "missing");
        must(tbi_file_contains(file, 0, &there), "contains");
        printf("0 is %s\n", there ? "there" : "missing");
        tbi_file_close(file);
    }

    tbi_dense_free(dense);
    tbi_equivalence_free(same);
    return EXIT_SUCCESS;
}
