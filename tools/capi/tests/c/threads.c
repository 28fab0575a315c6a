/*
 * Several threads use the same handles at the same time, each with its own buffers, and each makes its own
 * mistakes: results are the same in all, and every thread finds its own message.
 *
 *   threads FOLDER    FOLDER/reduced.tbi is a sound index file of KQvKR
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tbindex.h>

enum { THREADS = 8, ROUNDS = 200, COUNT = 1000 };

static const tbi_layout layout = {4, TBI_NUMBERING_NATURAL};
static tbi_equivalence *same;
static tbi_dense *dense;
static tbi_file *file;
static uint32_t input[COUNT], expected_canonical[COUNT], expected_slots[COUNT];

static void *work(void *argument)
{
    size_t number = *(size_t *)argument, round;
    uint32_t words[COUNT];
    uint64_t wide[COUNT], rank;
    size_t k;

    for (round = 0; round < ROUNDS; round++) {
        char text[32];
        bool there;

        if (tbi_canonical(same, input, words, NULL, sizeof *words, COUNT) != TBI_OK ||
            memcmp(words, expected_canonical, sizeof words) != 0)
            return (void *)"canonical differs";
        if (tbi_dense_rank(dense, words, words, sizeof *words, COUNT) != TBI_OK ||
            memcmp(words, expected_slots, sizeof words) != 0)
            return (void *)"slots differ";
        /* The numbering for wide words is made by whoever asks first. */
        for (k = 0; k < COUNT; k++)
            wide[k] = expected_canonical[k];
        if (tbi_dense_rank(dense, wide, wide, sizeof *wide, COUNT) != TBI_OK)
            return (void *)"no wide numbering";
        for (k = 0; k < COUNT; k++)
            if (wide[k] != (expected_slots[k] == TBI_NO_SLOT_U32 ? TBI_NO_SLOT_U64 : expected_slots[k]))
                return (void *)"wide slots differ";
        if (tbi_file_contains(file, input[round % COUNT], &there) != TBI_OK ||
            tbi_file_rank(file, UINT64_MAX, &rank) != TBI_OK || rank != 3)
            return (void *)"the file answers otherwise";
        if (tbi_flip(layout, (tbi_symmetry)(8 + number), input, words, sizeof *words, COUNT) != TBI_ERROR_ARGUMENT)
            return (void *)"no error";
        snprintf(text, sizeof text, "symmetry %zu:", 8 + number);
        if (strncmp(tbi_last_error_message(), text, strlen(text)) != 0)
            return (void *)"the message is another thread's";
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    size_t numbers[THREADS], k;
    char path[4096];
    int wrong = 0;

    if (argc != 2)
        return 2;
    snprintf(path, sizeof path, "%s/reduced.tbi", argv[1]);
    if (tbi_equivalence_of_material("KQvKR", TBI_NUMBERING_NATURAL, &same) != TBI_OK ||
        tbi_dense_of_material("KQvKR", TBI_NUMBERING_NATURAL, TBI_RULES_KINGS_APART, TBI_DIAGONAL_EXACT,
                              &dense) != TBI_OK ||
        tbi_file_open(path, &file) != TBI_OK)
        return 3;
    for (k = 0; k < COUNT; k++)
        input[k] = (uint32_t)(k * 16777u % (1u << 24));
    if (tbi_canonical(same, input, expected_canonical, NULL, sizeof *input, COUNT) != TBI_OK ||
        tbi_dense_rank(dense, expected_canonical, expected_slots, sizeof *input, COUNT) != TBI_OK)
        return 3;
    for (k = 0; k < THREADS; k++) {
        numbers[k] = k;
        if (pthread_create(&threads[k], NULL, work, &numbers[k]) != 0)
            return 3;
    }
    for (k = 0; k < THREADS; k++) {
        void *complaint;

        pthread_join(threads[k], &complaint);
        if (complaint != NULL) {
            printf("thread %zu: %s\n", k, (const char *)complaint);
            wrong = 1;
        }
    }
    tbi_file_close(file);
    tbi_dense_free(dense);
    tbi_equivalence_free(same);
    if (!wrong)
        printf("%d threads agree\n", THREADS);
    return wrong;
}
