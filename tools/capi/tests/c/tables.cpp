// Prints the values of positions of a material as indices, as rows and as FENs, and the reasons of those without.
// Arguments: a folder of Syzygy files. Tables of KQvKR and KPvK and what they lead to may be in it.

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
        add(value.flags);
    }
    std::printf("%s %zu %llu\n", what, values.size(), static_cast<unsigned long long>(sum));
}

int main(int argc, char **argv)
try {
    if (argc != 2)
        return 2;
    const Tables tables(argv[1]);
    for (const char *name : {"KQvKR", "KvKP"})
        for (const Side side : {Side::white, Side::black}) {
            const Material material(name);
            const std::size_t pieces = material.piece_count();
            const Layout layout(material);
            std::vector<std::uint32_t> indices;
            // Some thousands of each.
            const std::uint32_t count = 1u << 6 * pieces;
            for (std::uint32_t index = 0; index < count; index += count / 4099 | 1)
                indices.push_back(index);
            std::vector<Value> values(indices.size()), again(indices.size());
            tables.probe_into(material, side, false, indices, values);
            print(name, values);
            tables.probe_into(material, side, true, indices, values);
            print(name, values);
            std::vector<std::uint8_t> rows(pieces * indices.size());
            layout.decode_rows(indices, rows);
            tables.probe_rows_into(material, side, true, rows, again);
            std::vector<std::string> fens;
            std::vector<Value> known, of_fens;
            for (std::size_t k = 0; k < indices.size(); k++) {
                const Value &a = values[k], &b = again[k];
                if (a.wdl != b.wdl || a.flags != b.flags || a.dtz != b.dtz)
                    std::printf("rows differ at %zu\n", k);
                if (a.flags != 0) {
                    fens.push_back(decode_fen(material, indices[k], side));
                    known.push_back(a);
                }
            }
            of_fens = tables.probe(fens);
            print("known", known);
            print("known", of_fens);
        }
    for (const auto &[reason, count] : tables.failures())
        std::printf("%llu: %s\n", static_cast<unsigned long long>(count), reason.c_str());
} catch (const Error &error) {
    std::printf("%s: %s\n", tbi_status_name(error.status()), error.what());
    return 1;
}
