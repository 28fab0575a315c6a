/*
 * A tour in C++: all positions of a material, their slots in an array, the mates among them, the moves of one, and
 * the tables that a table needs.
 *
 *   c++ -std=c++17 tour.cpp $(pkg-config --cflags --libs tbindex) -o tour && ./tour FOLDER
 */
#include <cstdio>
#include <string>
#include <vector>

#include <tbindex.hpp>

using namespace tbindex;

/// How many bits are set.
static std::size_t ones(const std::vector<std::uint64_t> &bitmap)
{
    std::size_t count = 0;
    for (std::uint64_t word : bitmap)
        for (; word != 0; word &= word - 1)
            count++;
    return count;
}

int main(int argc, char **argv)
try {
    const Material material("KQvK");
    std::printf("%s: pieces %s\n", material.name().c_str(), material.index_order().c_str());

    // Positions in which black is to move, one of each class, chunk by chunk.
    const Enumeration all(material, Stage::legal, Side::black, true);
    const Moves moves(material);
    std::size_t positions = 0, mates = 0, stalemates = 0;
    all.for_each_chunk<std::uint32_t>([&](Span<const std::uint32_t> indices) {
        std::vector<std::uint64_t> bitmap((indices.size() + 63) / 64);
        positions += indices.size();
        moves.is_mate_into(Side::black, indices, bitmap);
        mates += ones(bitmap);
        moves.is_stalemate_into(Side::black, indices, bitmap);
        stalemates += ones(bitmap);
    });
    std::printf("%zu positions, %zu mates, %zu stalemates\n", positions, mates, stalemates);

    // Slots of an array; a sum over positions.
    const Dense dense(material, Rules::kings_apart);
    std::vector<std::uint32_t> slots(dense.size()), weights(slots.size());
    for (std::uint32_t slot = 0; slot < slots.size(); slot++)
        slots[slot] = slot;
    dense.weight_into(slots, weights);
    std::uint64_t sum = 0;
    for (std::uint32_t weight : weights)
        sum += weight;
    std::printf("%llu slots stand for %llu positions\n", static_cast<unsigned long long>(dense.size()),
                static_cast<unsigned long long>(sum));

    // The moves of a position, and where they lead.
    const Fen fen = encode_fen("8/8/8/8/8/1k6/1Q6/K7 b - -");
    const std::vector<Material> materials = moves.materials();
    for (const Move &move : moves.from(fen.index, fen.side)) {
        const Material &after = materials[move.material];
        std::printf("%s%s -> %s, %s\n", square_name(move.from).c_str(), square_name(move.to).c_str(),
                    after.name().c_str(), decode_fen(after, move.index, static_cast<Side>(move.side)).c_str());
    }

    // The tables that KPvKP needs, in the order in which they can be made.
    for (const Material &below : Material("KPvKP").below())
        std::printf("%s ", below.name().c_str());
    std::printf("\n");

    // A file.
    if (argc > 1) {
        const std::string path = std::string(argv[1]) + "/KQvK-b.tbi";
        all.write(path, TBI_WRITE_REPLACE);
        const IndexFile file(path);
        file.verify();
        const Span<const std::uint32_t> words = file.words<std::uint32_t>();
        std::printf("%zu indices in the file, the last 0o%o\n", words.size(), static_cast<unsigned>(words.back()));
    }

    // What goes wrong is an exception.
    try {
        Material("KQ");
    } catch (const Error &error) {
        std::printf("%s: %s\n", tbi_status_name(error.status()), error.what());
    }
    return 0;
} catch (const Error &error) {
    std::fprintf(stderr, "%s: %s\n", tbi_status_name(error.status()), error.what());
    return 1;
}
