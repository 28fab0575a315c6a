// Prints the values of positions of a material as indices, as rows and as FENs, and the reasons of those without.
// Arguments: a folder of tables. Tables of KQvKR and KPvK and of what they lead to may be in it.

#include <cstdio>
#include <tbindex.hpp>

using namespace tbindex;

static void print(const char *what, const std::vector<Value> &values)
{
    std::uint64_t sum = 14695981039346656037u;
    const auto add = [&](int word) {
        sum = (sum ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(word))) * 1099511628211u;
    };
    for (const Value &value : values) {
        add(value.wdl);
        add(value.dtz);
        add(value.dtm);
        add(value.flags);
    }
    std::printf("%s %zu %llu\n", what, values.size(), static_cast<unsigned long long>(sum));
}

int main(int argc, char **argv)
try {
    if (argc != 2)
        return 2;
    const Tables tables(argv[1]);
    const tbi_value_flags both = TBI_VALUE_DTZ | TBI_VALUE_DTM;
    for (const char *name : {"KQvKR", "KvKP"}) {
        const Material material(name);
        const std::size_t pieces = material.piece_count();
        const Layout layout(material);
        std::vector<std::uint32_t> indices;
        // Some thousands of each.
        const std::uint32_t count = 1u << 6 * pieces;
        for (std::uint32_t index = 0; index < count; index += count / 4099 | 1)
            indices.push_back(index);
        std::vector<std::uint8_t> rows(pieces * indices.size());
        layout.decode_rows(indices, rows);
        std::vector<Value> of[2], values(indices.size()), again(indices.size());
        for (const Side side : {Side::white, Side::black}) {
            for (const tbi_value_flags distances : {tbi_value_flags{0}, tbi_value_flags{TBI_VALUE_DTM}, both}) {
                tables.probe_into(material, side, distances, indices, values);
                print(name, values);
            }
            of[side == Side::black] = values;
            std::vector<std::string> fens;
            std::vector<Value> known;
            for (std::size_t k = 0; k < indices.size(); k++)
                if (values[k].flags != 0) {
                    fens.push_back(decode_fen(material, indices[k], side));
                    known.push_back(values[k]);
                }
            print("known", known);
            print("known", tables.probe(fens, both));
        }
        // One call for both sides.
        std::vector<Side> sides;
        for (std::size_t k = 0; k < indices.size(); k++)
            sides.push_back(k % 3 == 0 ? Side::white : Side::black);
        tables.probe_into(material, sides, both, indices, values);
        tables.probe_rows_into(material, sides, both, rows, again);
        try {
            tables.probe_into(material, std::vector<Side>(), both, indices, values);
            std::printf("no sides, and no error\n");
        } catch (const Error &) {
        }
        std::size_t different = 0;
        for (std::size_t k = 0; k < indices.size(); k++)
            for (const Value &a : {values[k], again[k]}) {
                const Value &b = of[k % 3 != 0][k];
                different += a.wdl != b.wdl || a.flags != b.flags || a.dtz != b.dtz || a.dtm != b.dtm;
            }
        if (different != 0)
            std::printf("%zu differ\n", different);
    }
    for (const auto &[reason, count] : tables.failures())
        std::printf("%llu: %s\n", static_cast<unsigned long long>(count), reason.c_str());
} catch (const Error &error) {
    std::printf("%s: %s\n", tbi_status_name(error.status()), error.what());
    return 1;
}
