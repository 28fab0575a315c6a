/*
 * Flips ten million indices through the C interface and by the plain Rust call, on the same buffers and by
 * turns, and prints the best times. `make -C tools/capi bench` builds and runs it.
 */
#define _POSIX_C_SOURCE 199309L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tbindex.h>

/* In the library only if it is built for this program. */
tbi_status tbi_bench_flip(tbi_layout layout, tbi_symmetry symmetry, const void *in, void *out, size_t count,
                          uint64_t *nanoseconds);

enum { COUNT = 10 * 1000 * 1000, PIECES = 5, ROUNDS = 40 };

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void must(tbi_status status)
{
    if (status != TBI_OK) {
        fprintf(stderr, "%s\n", tbi_last_error_message());
        exit(EXIT_FAILURE);
    }
}

static void compare(const char *what, tbi_numbering numbering, tbi_symmetry symmetry, const uint32_t *in,
                    uint32_t *out)
{
    uint64_t best_c = UINT64_MAX, best_rust = UINT64_MAX, ignored;
    const tbi_layout layout = {PIECES, numbering};
    size_t round, k;
    uint32_t *copy = malloc(COUNT * sizeof *copy), *by_rust = malloc(COUNT * sizeof *by_rust);

    if (copy == NULL || by_rust == NULL)
        exit(EXIT_FAILURE);
    for (round = 0; round < ROUNDS; round++) {
        uint64_t start = now(), time;

        must(tbi_flip(layout, symmetry, in, out, sizeof *in, COUNT));
        time = now() - start;
        if (time < best_c)
            best_c = time;
        must(tbi_bench_flip(layout, symmetry, in, out, COUNT, &time));
        if (time < best_rust)
            best_rust = time;
    }
    /* Both do the same. */
    memcpy(copy, in, COUNT * sizeof *copy);
    must(tbi_bench_flip(layout, symmetry, copy, by_rust, COUNT, &ignored));
    must(tbi_flip(layout, symmetry, copy, copy, sizeof *copy, COUNT));
    for (k = 0; k < COUNT; k++)
        if (copy[k] != by_rust[k])
            exit(EXIT_FAILURE);
    printf("%-40s C %6.2f ms  Rust %6.2f ms  %.3f x\n", what, best_c / 1e6, best_rust / 1e6,
           (double)best_rust / (double)best_c);
    free(copy);
    free(by_rust);
}

int main(void)
{
    uint32_t *in = malloc(COUNT * sizeof *in), *out = malloc(COUNT * sizeof *out);
    uint32_t state = 1;
    size_t k;

    if (in == NULL || out == NULL)
        return EXIT_FAILURE;
    for (k = 0; k < COUNT; k++) {
        state = state * 1664525u + 1013904223u;
        in[k] = state >> 2;
    }
    memset(out, 0, COUNT * sizeof *out);
    printf("%d indices of %d pieces, 32 bits, %s, best of %d by turns\n", COUNT, PIECES, tbi_backend(), ROUNDS);
    compare("flip_vertical, in place, natural", TBI_NUMBERING_NATURAL, TBI_SYMMETRY_FLIP_VERTICAL, in, in);
    compare("flip_vertical, natural", TBI_NUMBERING_NATURAL, TBI_SYMMETRY_FLIP_VERTICAL, in, out);
    compare("rotate_90, in place, alternate", TBI_NUMBERING_ALTERNATE, TBI_SYMMETRY_ROTATE_90, in, in);
    compare("rotate_90, alternate", TBI_NUMBERING_ALTERNATE, TBI_SYMMETRY_ROTATE_90, in, out);
    free(in);
    free(out);
    return EXIT_SUCCESS;
}
