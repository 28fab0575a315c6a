/*
 * Prints what the library answers, all of it through tbindex.hpp; the test compares it with what Rust computes.
 *
 *   answers FOLDER
 */
#include <array>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tbindex.hpp>

using namespace tbindex;

static unsigned wrong = 0;

static void require(bool truth, const char *what)
{
    if (!truth) {
        std::printf("not so: %s\n", what);
        wrong++;
    }
}

#define REQUIRE(truth) require((truth), #truth)

/// Fowler, Noll and Vo's sum of words.
class Sum {
public:
    void add(std::uint64_t word) { sum_ = (sum_ ^ word) * 1099511628211u; }
    template <class C> void add_all(const C &words)
    {
        for (auto word : words)
            add(static_cast<std::uint64_t>(word));
    }
    unsigned long long value() const { return sum_; }

private:
    std::uint64_t sum_ = 14695981039346656037u;
};

template <class F> static tbi_status status_of(F function)
{
    try {
        function();
        return TBI_OK;
    } catch (const Error &error) {
        REQUIRE(error.what()[0] != 0);
        return error.status();
    }
}

/// Every word of the answers for one material, in words of either width.
template <class W> static void material(const char *name, Numbering numbering)
{
    const Material material{name};
    const Layout layout(material, numbering);
    const Equivalence same(material, numbering);
    const Enumeration all(material, Stage::legal, Side::white, true, numbering);
    std::vector<W> indices;
    all.for_each_chunk<W>([&](Span<const W> chunk) { indices.insert(indices.end(), chunk.begin(), chunk.end()); });
    std::vector<W> chunk;
    Sum sum;
    for (std::uint64_t k = 0; k < all.chunk_count(); k++)
        sum.add_all(all.chunk(k, chunk));
    sum.add_all(indices);
    std::printf("%s enumeration %llu\n", name, sum.value());

    // Operations into another buffer, in place, and one at a time.
    std::vector<W> out(indices.size()), again(indices);
    std::vector<std::uint8_t> symmetries(indices.size()), sizes(indices.size());
    std::vector<std::uint8_t> rows(indices.size() * layout.pieces());
    std::vector<std::uint64_t> bitmap((indices.size() + 63) / 64);
    layout.flip_into(Symmetry::flip_horizontal, indices, out);
    layout.flip_in_place(Symmetry::flip_horizontal, again);
    REQUIRE(out == again && layout.flip(Symmetry::flip_horizontal, indices[7]) == out[7]);
    same.canonical_with_symmetry_in_place(again, symmetries);
    REQUIRE(again == indices);
    same.canonical_into(out, again);
    REQUIRE(again == indices && same.canonical(out[7]) == indices[7]);
    REQUIRE(same.canonical_with_symmetry(out[7]) == std::make_pair(indices[7], Symmetry(symmetries[7])));
    same.is_canonical_into(indices, bitmap);
    REQUIRE(bitmap[0] == ~std::uint64_t(0) && same.is_canonical(indices[7]));
    same.orbit_size_into(indices, sizes);
    REQUIRE(same.orbit_size(indices[7]) == sizes[7]);
    layout.decode_rows(indices, rows);
    layout.encode_rows(rows, out);
    REQUIRE(out == indices && layout.encode<W>(layout.decode(out[7])) == out[7]);
    std::vector<std::vector<std::uint8_t>> columns(layout.pieces(), std::vector<std::uint8_t>(indices.size()));
    std::vector<std::uint8_t *> into;
    std::vector<const std::uint8_t *> from;
    for (auto &column : columns) {
        into.push_back(column.data());
        from.push_back(column.data());
    }
    layout.decode_columns(indices, into);
    layout.encode_columns(from, out);
    REQUIRE(out == indices && columns[1][7] == rows[7 * layout.pieces() + 1]);
    Numbering other = numbering == Numbering::natural ? Numbering::alternate : Numbering::natural;
    layout.convert_in_place(other, out);
    REQUIRE(layout.convert(other, indices[7]) == out[7]);
    Layout(material, other).convert_into(numbering, out, again);
    REQUIRE(again == indices);

    // Slots.
    const std::array<Dense, 4> schemes = {Dense(layout, Scheme::orbit, material.group()),
                                          Dense(layout, Scheme::triangle, material.group()),
                                          Dense(layout, Scheme::kings, material.group()),
                                          Dense(material, Rules::distinct, Diagonal::both, numbering)};
    for (const Dense &dense : schemes) {
        std::vector<W> slots(dense.size()), twins(slots.size()), back(slots.size());
        std::vector<std::uint32_t> weights(slots.size());
        Sum told;
        for (std::size_t k = 0; k < slots.size(); k++)
            slots[k] = W(k);
        dense.unrank_into(slots, back);
        dense.rank_in_place(back);
        REQUIRE(back == slots && dense.rank(dense.unrank(slots[7])) == slots[7]);
        dense.weight_into(slots, weights);
        dense.twin_into(slots, twins);
        dense.twin_in_place(back);
        REQUIRE(back == twins && dense.weight(7) == weights[7]);
        for (W slot = 0; slot < 9; slot++)
            REQUIRE(dense.twin(slot).has_value() == (twins[slot] != no_slot<W>));
        told.add_all(weights);
        for (W twin : twins)
            told.add(twin == no_slot<W> ? TBI_NO_SLOT_U64 : twin);
        REQUIRE(dense.layout().numbering() == numbering);
        std::printf("%s scheme %llu\n", name, told.value());
    }

    // Moves, and what materials turn into.
    const Moves moves(material, numbering);
    const std::vector<Material> materials = moves.materials();
    Sum forth, back, ends;
    for (Side side : {Side::white, Side::black}) {
        std::vector<std::uint64_t> legal(bitmap.size()), check(bitmap.size()), mate(bitmap.size()), stale(bitmap.size());
        moves.is_legal_into(side, indices, legal);
        moves.is_check_into(side, indices, check);
        moves.is_mate_into(side, indices, mate);
        moves.is_stalemate_into(side, indices, stale);
        for (const auto *bits : {&legal, &check, &mate, &stale})
            ends.add_all(*bits);
        REQUIRE(moves.is_legal(indices[7], side) == bool(legal[0] >> 7 & 1));
        REQUIRE(moves.is_check(indices[7], side) == bool(check[0] >> 7 & 1));
        REQUIRE(moves.is_mate(indices[7], side) == bool(mate[0] >> 7 & 1));
        REQUIRE(moves.is_stalemate(indices[7], side) == bool(stale[0] >> 7 & 1));
        for (std::size_t k = 0; k < indices.size(); k += 37) {
            if (!moves.is_legal(indices[k], side))
                continue;
            for (const Move &move : moves.from(indices[k], side)) {
                for (std::uint64_t word : {move.index, std::uint64_t(move.side), std::uint64_t(move.piece),
                                           std::uint64_t(move.from), std::uint64_t(move.to),
                                           std::uint64_t(move.captured), std::uint64_t(move.promotion),
                                           std::uint64_t(move.en_passant)})
                    forth.add(word);
                forth.add_all(materials[move.material].name());
            }
            back.add_all(moves.back(indices[k], side));
        }
    }
    std::printf("%s moves %llu back %llu ends %llu\n", name, forth.value(), back.value(), ends.value());
    for (Conversion conversion : material.conversions()) {
        const Material after = material.after(conversion);
        Sum before;
        const Enumeration left(after.normal(), Stage::kings_apart, Side::unknown, true, numbering);
        std::vector<std::uint64_t> some;
        left.chunk(0, some);
        for (std::size_t k = 0; k < some.size(); k += 91)
            before.add_all(moves.back(conversion, some[k]));
        std::printf("%s takes %d makes %d: %s %s %d, before %llu\n", name, conversion.captured, conversion.promotion,
                    after.name().c_str(), after.normal().name().c_str(), after.is_normal(), before.value());
    }
    const std::vector<std::uint8_t> codes = material.codes();
    for (std::uint8_t piece = 0; piece + std::size_t(2) < material.piece_count(); piece++) {
        std::vector<MaterialMap> maps;
        maps.push_back(MaterialMap::capture(material, piece, numbering));
        if (codes[piece] == 1 || codes[piece] == 10)
            maps.push_back(MaterialMap::promotion(material, piece, 6, TBI_NO_PIECE, numbering));
        for (const MaterialMap &map : maps) {
            Sum mapped;
            map.map_into(indices, out);
            mapped.add_all(out);
            REQUIRE(map.map(indices[7]) == out[7]);
            map.unmap_into(out, again);
            map.unmap_in_place(out);
            REQUIRE(again == out);
            mapped.add_all(again);
            std::printf("%s piece %d to %s %d: %llu\n", name, piece, map.target().name().c_str(), map.swaps_colors(),
                        mapped.value());
        }
    }
    for (const Material &below : material.below())
        std::printf("%s ", below.name().c_str());
    std::printf("\n");
}

/// Objects own what they hold, and progress functions may throw.
static void ownership(const std::string &folder)
{
    Material material("KQvKR"), copy(material), other("KRvK");
    Material moved(std::move(copy));
    other = material;
    REQUIRE(other == material && moved == material && material != Material("KRvKQ"));
    REQUIRE(material.swap_colors().normal() == material && material.is_normal());
    const Layout layout(4);
    REQUIRE(layout.pieces() == 4 && layout.word_bytes() == 4);
    Equivalence same(layout, Group::d4), taken(std::move(same));
    REQUIRE(taken.layout().pieces() == 4 && same.get() == nullptr);

    const std::string path = folder + "/answers.tbi", out = folder + "/reduced-answers.tbi";
    const std::vector<std::uint32_t> indices = {0270327, 01234567, 07654321};
    {
        IndexWriter writer(path, material, Side::white, TBI_CLAIM_SORTED | TBI_CLAIM_DISTINCT, TBI_WRITE_REPLACE);
        writer.write(indices);
        REQUIRE(writer.finish() == 3);
    }
    const Reduction how = {1u << 26, 2, Method::sort, folder};
    const ReductionSummary summary = reduce({path}, out, TBI_WRITE_REPLACE, Numbering::natural, how);
    REQUIRE(summary.read == 3 && summary.count <= 3);
    REQUIRE(combine(SetOperation::difference, {path, path}, out, TBI_WRITE_REPLACE, 0, 1) == 0);
    const Enumeration all(material, Stage::distinct);
    bool thrown = false;
    try {
        all.write(out, TBI_WRITE_REPLACE, 2, [](Phase, std::uint64_t) -> bool { throw std::range_error("enough"); });
    } catch (const std::range_error &) {
        thrown = true;
    }
    REQUIRE(thrown);
    REQUIRE(status_of([&] {
                all.write(out, TBI_WRITE_REPLACE, 2, [](Phase, std::uint64_t) { return false; });
            }) == TBI_ERROR_CANCELLED);

    const IndexFile file(path);
    std::array<std::uint32_t, 2> two;
    file.verify(2);
    file.read(1, two);
    REQUIRE(two[1] == indices[2] && file.words<std::uint32_t>()[0] == indices[0]);
    REQUIRE(file.count() == 3 && file.word_bytes() == 4 && file.side() == Side::white && !file.is_compact());
    REQUIRE(file.contains(0270327) && file.rank(07654321) == 2 && file.material() == material);
    REQUIRE(file.numbering() == Numbering::natural && file.claims() == (TBI_CLAIM_SORTED | TBI_CLAIM_DISTINCT));

    REQUIRE(status_of([] { Material("KQ"); }) == TBI_ERROR_NAME);
    REQUIRE(status_of([] { square("i9"); }) == TBI_ERROR_NAME);
    // Literals are integers of other types than words.
    REQUIRE(layout.flip(Symmetry::flip_horizontal, 0270327) == layout.flip(Symmetry::flip_horizontal, std::uint32_t(0270327)));
    REQUIRE(Layout(6).flip(Symmetry::flip_vertical, 5) == 0777777000005);
    REQUIRE(layout.decode(0270327ll) == layout.decode(std::uint64_t(0270327)));
    REQUIRE(status_of([&] { layout.flip(Symmetry::flip_horizontal, -1); }) == TBI_ERROR_ARGUMENT);
    // C would see the texts before the null character alone.
    REQUIRE(status_of([] { Material(std::string("KQvKR\0Q", 7)); }) == TBI_ERROR_ARGUMENT);
    REQUIRE(status_of([&] { IndexFile(path + std::string(1, '\0')); }) == TBI_ERROR_ARGUMENT);
    REQUIRE(status_of([] { square_name(64); }) == TBI_ERROR_SQUARE);
    REQUIRE(status_of([&] { file.words<std::uint64_t>(); }) == TBI_ERROR_WORD);
    REQUIRE(status_of([&] { layout.flip_into(Symmetry::rotate_90, indices, two); }) == TBI_ERROR_ARGUMENT);
    REQUIRE(status_of([] { encode_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1"); }) == TBI_ERROR_ARGUMENT);
    const Fen fen = encode_fen("8/8/8/pP6/8/8/8/1k1K4 w - a6 0 1");
    REQUIRE(fen.en_passant == square("a6") && fen.side == Side::white && fen.material.name() == "KPvKP");
    REQUIRE(decode_fen(fen.material, fen.index, fen.side) == "8/8/8/pP6/8/8/8/1k1K4 w - - 0 1");
    std::size_t takes = 0;
    const Moves moves(fen.material);
    for (const Move &move : moves.from(fen.index, fen.side, fen.en_passant))
        takes += move.captured != TBI_NO_PIECE;
    REQUIRE(takes == 1 && moves.from(fen.index, fen.side).size() + 1 ==
                              moves.from(fen.index, fen.side, fen.en_passant).size());
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    material<std::uint32_t>("KQvK", Numbering::natural);
    material<std::uint64_t>("KvKP", Numbering::alternate);
    ownership(argv[1]);
    std::printf("%u wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
