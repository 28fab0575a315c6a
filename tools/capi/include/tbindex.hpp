/*
 * tbindex for C++17 and newer: tbindex.h with classes that free what they own, exceptions, and views of buffers.
 *
 * Everything is inline; link with libtbindex as C programs do. tbindex.h describes what each function does; here
 * stands only what differs:
 *
 * Errors are exceptions: tbindex::Error, with status() and what().
 *
 * Classes own a handle and free it. They can be moved; Material can be copied, too. get() is the handle, for
 * functions of tbindex.h. All const member functions may be called by several threads at the same time.
 *
 * Buffers of words are anything with std::data and std::size whose elements are std::uint32_t or std::uint64_t:
 * std::vector, std::array, std::span, tbindex::Span. Functions that end in _into read one buffer and write another of
 * the same length; those that end in _in_place replace what they read. The same functions for one word return it.
 */

#ifndef TBINDEX_HPP
#define TBINDEX_HPP

#include <tbindex.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tbindex {

/// A call that failed: what() says what is wrong and what was expected.
class Error : public std::runtime_error {
public:
    Error(tbi_status status, const std::string &message) : std::runtime_error(message), status_(status) {}

    /// One of the TBI_ERROR_....
    tbi_status status() const noexcept { return status_; }

private:
    tbi_status status_;
};

/// Throws the library's message unless a call of tbindex.h did what it should.
inline void check(tbi_status status)
{
    if (status != TBI_OK)
        throw Error(status, tbi_last_error_message());
}

/// A view of values that lie side by side, as std::span of C++20.
template <class T> class Span {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using size_type = std::size_t;
    using iterator = T *;

    constexpr Span() noexcept = default;
    constexpr Span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}

    /// A view of a container, an array, or another view.
    template <class C, class = std::enable_if_t<std::is_convertible_v<
                           std::remove_pointer_t<decltype(std::data(std::declval<C &>()))> (*)[], T (*)[]>>>
    constexpr Span(C &&container) noexcept(noexcept(std::size(container)))
        : data_(std::data(container)), size_(std::size(container))
    {
    }

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](std::size_t k) const noexcept { return data_[k]; }
    constexpr T &front() const noexcept { return data_[0]; }
    constexpr T &back() const noexcept { return data_[size_ - 1]; }

    /// The view of `count` elements from `first` on, which must be there.
    constexpr Span subspan(std::size_t first, std::size_t count) const noexcept { return {data_ + first, count}; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

enum class Numbering : tbi_numbering { natural = TBI_NUMBERING_NATURAL, alternate = TBI_NUMBERING_ALTERNATE };

enum class Group : tbi_group { trivial = TBI_GROUP_TRIVIAL, file_mirror = TBI_GROUP_FILE_MIRROR, d4 = TBI_GROUP_D4 };

enum class Symmetry : tbi_symmetry {
    identity = TBI_SYMMETRY_IDENTITY,
    flip_horizontal = TBI_SYMMETRY_FLIP_HORIZONTAL,
    flip_vertical = TBI_SYMMETRY_FLIP_VERTICAL,
    rotate_180 = TBI_SYMMETRY_ROTATE_180,
    flip_diagonal = TBI_SYMMETRY_FLIP_DIAGONAL,
    rotate_270 = TBI_SYMMETRY_ROTATE_270,
    rotate_90 = TBI_SYMMETRY_ROTATE_90,
    flip_anti_diagonal = TBI_SYMMETRY_FLIP_ANTI_DIAGONAL
};

enum class Rules : tbi_rules {
    all = TBI_RULES_ALL,
    distinct = TBI_RULES_DISTINCT,
    kings_apart = TBI_RULES_KINGS_APART,
    kings_apart_shared = TBI_RULES_KINGS_APART_SHARED
};

enum class Diagonal : tbi_diagonal { exact = TBI_DIAGONAL_EXACT, both = TBI_DIAGONAL_BOTH };

enum class Side : tbi_side { white = TBI_SIDE_WHITE, black = TBI_SIDE_BLACK, unknown = TBI_SIDE_UNKNOWN };

enum class Stage : tbi_stage {
    all = TBI_STAGE_ALL,
    distinct = TBI_STAGE_DISTINCT,
    kings_apart = TBI_STAGE_KINGS_APART,
    legal = TBI_STAGE_LEGAL
};

enum class Method : tbi_method { automatic = TBI_METHOD_AUTO, bitmap = TBI_METHOD_BITMAP, sort = TBI_METHOD_SORT };

enum class Phase : tbi_phase {
    read = TBI_PHASE_READ,
    sorting = TBI_PHASE_SORTING,
    written = TBI_PHASE_WRITTEN,
    enumerated = TBI_PHASE_ENUMERATED
};

enum class SetOperation : tbi_set_operation {
    set_union = TBI_SET_UNION,
    intersection = TBI_SET_INTERSECTION,
    difference = TBI_SET_DIFFERENCE
};

using Conversion = tbi_conversion;
using Move = tbi_move;
using Run = tbi_run;
using ReductionSummary = tbi_reduction_summary;

/// Called from time to time by long operations, on the calling thread. It returns false to end the work, which then
/// throws an Error of TBI_ERROR_CANCELLED; what it throws itself comes out of the operation. Empty: nobody is called.
using Progress = std::function<bool(Phase phase, std::uint64_t done)>;

namespace detail {

template <class E> constexpr std::underlying_type_t<E> raw(E value) noexcept
{
    return static_cast<std::underlying_type_t<E>>(value);
}

template <class T, void (*Free)(T *)> struct Deleter {
    void operator()(T *handle) const noexcept { Free(handle); }
};

template <class T, void (*Free)(T *)> using Handle = std::unique_ptr<T, Deleter<T, Free>>;

/// What a function makes that writes a handle to its last argument.
template <class T, class... Parameters, class... Arguments>
T *make(tbi_status (*function)(Parameters...), Arguments &&...arguments)
{
    T *handle = nullptr;
    check(function(std::forward<Arguments>(arguments)..., &handle));
    return handle;
}

/// The text of a function that writes one to a buffer.
template <class... Parameters, class... Arguments>
std::string text(tbi_status (*function)(Parameters...), Arguments &&...arguments)
{
    std::array<char, 256> buffer;
    check(function(std::forward<Arguments>(arguments)..., buffer.data(), buffer.size(), nullptr));
    return buffer.data();
}

/// The elements of a buffer, read or written, and their type.
template <class C> using Element = std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>>;

template <class C> Span<const Element<C>> input(const C &buffer) { return {std::data(buffer), std::size(buffer)}; }

template <class C> Span<Element<C>> output(C &buffer) { return {std::data(buffer), std::size(buffer)}; }

template <class W> inline constexpr bool is_narrow = std::is_same_v<W, std::uint32_t>;

template <class W> constexpr void check_word()
{
    static_assert(std::is_same_v<W, std::uint32_t> || std::is_same_v<W, std::uint64_t>,
                  "words are std::uint32_t or std::uint64_t");
}

/// The word that an integer is taken as: std::uint32_t if it is one, else std::uint64_t, which holds the indices of all
/// layouts. So a literal may be of any type.
template <class I, class = std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<I, bool> && sizeof(I) <= 8>>
using Word = std::conditional_t<std::is_same_v<I, std::uint32_t>, std::uint32_t, std::uint64_t>;

template <class I> Word<I> word(I number)
{
    if constexpr (std::is_signed_v<I>) {
        if (number < 0)
            throw Error(TBI_ERROR_ARGUMENT, std::to_string(number) + ": expected a number that is not negative");
    }
    return static_cast<Word<I>>(number);
}

/// The function for 32 or for 64 bits.
template <class W, class Narrow, class Wide> constexpr auto choose(Narrow narrow, Wide wide)
{
    check_word<W>();
    if constexpr (is_narrow<W>)
        return narrow;
    else
        return wide;
}

inline void same_size(std::size_t found, std::size_t expected, const char *what)
{
    if (found != expected)
        throw Error(TBI_ERROR_ARGUMENT, std::to_string(found) + " " + what + ": expected " + std::to_string(expected));
}

inline constexpr std::size_t bitmap_words(std::size_t count) { return count / 64 + (count % 64 != 0); }

/// A progress function as C has it; it keeps what the C++ function throws.
class Watch {
public:
    explicit Watch(const Progress &progress) : progress_(progress) {}

    tbi_progress function() const noexcept { return progress_ ? &call : nullptr; }

    void check(tbi_status status) const
    {
        if (thrown_)
            std::rethrow_exception(thrown_);
        tbindex::check(status);
    }

private:
    static int call(void *context, tbi_phase phase, std::uint64_t done) noexcept
    {
        auto *watch = static_cast<Watch *>(context);
        try {
            return watch->progress_(static_cast<Phase>(phase), done) ? 0 : 1;
        } catch (...) {
            watch->thrown_ = std::current_exception();
            return 1;
        }
    }

    const Progress &progress_;
    std::exception_ptr thrown_;
};

/// A text as C has it. C would take a null character in it for its end.
inline const char *c_str(const std::string &text)
{
    if (text.find('\0') != std::string::npos)
        throw Error(TBI_ERROR_ARGUMENT, "a text has a null character in it: expected none");
    return text.c_str();
}

inline std::vector<const char *> pointers(const std::vector<std::string> &texts)
{
    std::vector<const char *> list;
    for (const std::string &text : texts)
        list.push_back(c_str(text));
    return list;
}

} // namespace detail

/// The library's version, such as 0.1.0.
inline std::string version() { return tbi_version(); }

/// The instructions that batches use on this machine: portable, avx2 or avx512.
inline std::string backend() { return tbi_backend(); }

/// The number of a square from its name: a1 = 0, b1 = 1, ... h8 = 63.
inline std::uint8_t square(const std::string &name)
{
    std::uint8_t square;
    check(tbi_square_parse(detail::c_str(name), &square));
    return square;
}

/// The name of a square, 0 to 63.
inline std::string square_name(std::uint8_t square)
{
    std::string name = tbi_square_name(square);
    if (name.empty())
        throw Error(TBI_ERROR_SQUARE, tbi_last_error_message());
    return name;
}

/// Which pieces are on the board, such as KQvKR.
class Material {
public:
    explicit Material(const std::string &name) : handle_(detail::make<tbi_material>(tbi_material_parse, detail::c_str(name))) {}
    /// Owns a handle of tbindex.h.
    explicit Material(tbi_material *handle) noexcept : handle_(handle) {}
    Material(const Material &other) : Material(other.name()) {}
    Material(Material &&) noexcept = default;
    Material &operator=(const Material &other) { return *this = Material(other); }
    Material &operator=(Material &&) noexcept = default;
    ~Material() = default;

    const tbi_material *get() const noexcept { return handle_.get(); }

    std::string name() const { return detail::text(tbi_material_name, get()); }
    /// The letters of the pieces by their numbers in an index, piece 0 first.
    std::string index_order() const { return detail::text(tbi_material_index_order, get()); }
    std::size_t piece_count() const noexcept { return tbi_material_piece_count(get()); }
    Group group() const noexcept { return static_cast<Group>(tbi_material_group(get())); }

    /// The codes of the pieces by their numbers in an index.
    std::vector<std::uint8_t> codes() const
    {
        std::vector<std::uint8_t> codes(piece_count());
        check(tbi_material_pieces(get(), codes.data(), nullptr, codes.size()));
        return codes;
    }

    Material swap_colors() const { return Material(detail::make<tbi_material>(tbi_material_swap_colors, get())); }
    bool is_normal() const noexcept { return tbi_material_is_normal(get()); }
    Material normal() const { return Material(detail::make<tbi_material>(tbi_material_normal, get())); }

    /// Every capture and promotion that a legal move of this material can be.
    std::vector<Conversion> conversions() const
    {
        std::vector<Conversion> all(64);
        std::size_t count;
        check(tbi_material_conversions(get(), all.data(), all.size(), &count));
        all.resize(count);
        return all;
    }

    Material after(Conversion conversion) const
    {
        return Material(detail::make<tbi_material>(tbi_material_after, get(), conversion));
    }

    /// The normal materials on whose tables this one's depends, in an order in which they can be made.
    std::vector<Material> below() const
    {
        std::size_t count = 0;
        tbi_status status = tbi_material_below(get(), nullptr, 0, &count);
        if (status != TBI_ERROR_BUFFER)
            check(status);
        std::vector<Material> below;
        below.reserve(count);
        std::vector<tbi_material *> handles(count);
        check(tbi_material_below(get(), handles.data(), handles.size(), &count));
        for (tbi_material *handle : handles)
            below.emplace_back(handle);
        return below;
    }

    friend bool operator==(const Material &a, const Material &b) { return a.name() == b.name(); }
    friend bool operator!=(const Material &a, const Material &b) { return !(a == b); }

private:
    detail::Handle<tbi_material, tbi_material_free> handle_;
};

/// The layout of an index: how many pieces, under which numbering of the squares.
class Layout {
public:
    explicit Layout(std::size_t pieces, Numbering numbering = Numbering::natural)
        : handle_(detail::make<tbi_layout>(tbi_layout_new, pieces, detail::raw(numbering)))
    {
    }
    explicit Layout(const Material &material, Numbering numbering = Numbering::natural)
        : handle_(detail::make<tbi_layout>(tbi_layout_of_material, material.get(), detail::raw(numbering)))
    {
    }
    explicit Layout(tbi_layout *handle) noexcept : handle_(handle) {}

    const tbi_layout *get() const noexcept { return handle_.get(); }

    std::size_t pieces() const noexcept { return tbi_layout_pieces(get()); }
    Numbering numbering() const noexcept { return static_cast<Numbering>(tbi_layout_numbering(get())); }
    /// 32 or 64: the width of the smallest word that holds an index.
    std::uint32_t word_bits() const noexcept { return tbi_layout_word_bits(get()); }

    template <class In, class Out> void flip_into(Symmetry symmetry, const In &in, Out &&out) const
    {
        using W = detail::Element<const In>;
        auto from = detail::input(in);
        auto to = detail::output(out);
        detail::same_size(to.size(), from.size(), "words to write");
        check(detail::choose<W>(tbi_flip_u32, tbi_flip_u64)(get(), detail::raw(symmetry), from.data(), to.data(),
                                                            to.size()));
    }
    template <class C> void flip_in_place(Symmetry symmetry, C &&words) const { flip_into(symmetry, words, words); }
    template <class I, class W = detail::Word<I>> W flip(Symmetry symmetry, I index) const
    {
        W word = detail::word(index);
        flip_in_place(symmetry, Span<W>(&word, 1));
        return word;
    }

    template <class In, class Out> void convert_into(Numbering to_numbering, const In &in, Out &&out) const
    {
        using W = detail::Element<const In>;
        auto from = detail::input(in);
        auto to = detail::output(out);
        detail::same_size(to.size(), from.size(), "words to write");
        check(detail::choose<W>(tbi_convert_u32, tbi_convert_u64)(get(), detail::raw(to_numbering), from.data(),
                                                                  to.data(), to.size()));
    }
    template <class C> void convert_in_place(Numbering to_numbering, C &&words) const
    {
        convert_into(to_numbering, words, words);
    }
    template <class I, class W = detail::Word<I>> W convert(Numbering to_numbering, I index) const
    {
        W word = detail::word(index);
        convert_in_place(to_numbering, Span<W>(&word, 1));
        return word;
    }

    /// Writes the indices of rows of squares, a byte each: all of the first position, piece 0 first, and so on.
    template <class Out> void encode_rows(Span<const std::uint8_t> rows, Out &&out) const
    {
        auto to = detail::output(out);
        using W = detail::Element<Out>;
        detail::same_size(rows.size(), to.size() * pieces(), "squares");
        check(detail::choose<W>(tbi_encode_rows_u32, tbi_encode_rows_u64)(get(), rows.data(), to.data(), to.size()));
    }
    template <class In> void decode_rows(const In &in, Span<std::uint8_t> rows) const
    {
        auto from = detail::input(in);
        using W = detail::Element<const In>;
        detail::same_size(rows.size(), from.size() * pieces(), "squares");
        check(detail::choose<W>(tbi_decode_rows_u32, tbi_decode_rows_u64)(get(), from.data(), rows.data(),
                                                                          from.size()));
    }

    /// Writes the indices of columns of squares: as many pointers as pieces, piece 0 first, each to a byte for every
    /// position.
    template <class Out> void encode_columns(Span<const std::uint8_t *const> columns, Out &&out) const
    {
        auto to = detail::output(out);
        using W = detail::Element<Out>;
        detail::same_size(columns.size(), pieces(), "columns");
        check(detail::choose<W>(tbi_encode_columns_u32, tbi_encode_columns_u64)(get(), columns.data(), to.data(),
                                                                                to.size()));
    }
    template <class In> void decode_columns(const In &in, Span<std::uint8_t *const> columns) const
    {
        auto from = detail::input(in);
        using W = detail::Element<const In>;
        detail::same_size(columns.size(), pieces(), "columns");
        check(detail::choose<W>(tbi_decode_columns_u32, tbi_decode_columns_u64)(get(), from.data(), columns.data(),
                                                                                from.size()));
    }

    /// The index of one position, from a square for each piece, piece 0 first.
    template <class W = std::uint64_t> W encode(Span<const std::uint8_t> squares) const
    {
        W index;
        encode_rows(squares, Span<W>(&index, 1));
        return index;
    }
    /// The squares of one index, piece 0 first.
    template <class I, class W = detail::Word<I>> std::vector<std::uint8_t> decode(I index) const
    {
        const W word = detail::word(index);
        std::vector<std::uint8_t> squares(pieces());
        decode_rows(Span<const W>(&word, 1), squares);
        return squares;
    }

private:
    detail::Handle<tbi_layout, tbi_layout_free> handle_;
};

/// What counts as the same position: a layout, a group of symmetries, and sets of like pieces.
class Equivalence {
public:
    explicit Equivalence(const Material &material, Numbering numbering = Numbering::natural)
        : handle_(detail::make<tbi_equivalence>(tbi_equivalence_of_material, material.get(), detail::raw(numbering)))
    {
    }
    /// `like_sets` are sets of like pieces, each a bit mask of piece numbers.
    Equivalence(const Layout &layout, Group group, Span<const std::uint32_t> like_sets = {})
        : handle_(detail::make<tbi_equivalence>(tbi_equivalence_new, layout.get(), detail::raw(group),
                                                like_sets.data(), like_sets.size()))
    {
    }
    explicit Equivalence(tbi_equivalence *handle) noexcept : handle_(handle) {}

    const tbi_equivalence *get() const noexcept { return handle_.get(); }

    Layout layout() const { return Layout(detail::make<tbi_layout>(tbi_equivalence_layout, get())); }
    Group group() const noexcept { return static_cast<Group>(tbi_equivalence_group(get())); }

    template <class In, class Out> void canonical_into(const In &in, Out &&out) const { write(in, out, nullptr); }
    template <class C> void canonical_in_place(C &&words) const { write(words, words, nullptr); }
    template <class I, class W = detail::Word<I>> W canonical(I index) const
    {
        W word = detail::word(index);
        canonical_in_place(Span<W>(&word, 1));
        return word;
    }

    /// The same, with the symmetry that leads to each canonical index, a byte each.
    template <class In, class Out>
    void canonical_with_symmetry_into(const In &in, Out &&out, Span<std::uint8_t> symmetries) const
    {
        detail::same_size(symmetries.size(), std::size(in), "symmetries");
        write(in, out, symmetries.data());
    }
    template <class C> void canonical_with_symmetry_in_place(C &&words, Span<std::uint8_t> symmetries) const
    {
        canonical_with_symmetry_into(words, words, symmetries);
    }
    template <class I, class W = detail::Word<I>> std::pair<W, Symmetry> canonical_with_symmetry(I index) const
    {
        W word = detail::word(index);
        std::uint8_t symmetry;
        canonical_with_symmetry_in_place(Span<W>(&word, 1), Span<std::uint8_t>(&symmetry, 1));
        return {word, static_cast<Symmetry>(symmetry)};
    }

    /// Writes a bit for every index; the bitmap has (count + 63) / 64 words.
    template <class In> void is_canonical_into(const In &in, Span<std::uint64_t> bitmap) const
    {
        using W = detail::Element<const In>;
        auto from = detail::input(in);
        detail::same_size(bitmap.size(), detail::bitmap_words(from.size()), "words of bits");
        check(detail::choose<W>(tbi_is_canonical_u32, tbi_is_canonical_u64)(get(), from.data(), bitmap.data(),
                                                                            from.size()));
    }
    template <class I, class W = detail::Word<I>> bool is_canonical(I index) const
    {
        const W word = detail::word(index);
        std::uint64_t bit;
        is_canonical_into(Span<const W>(&word, 1), Span<std::uint64_t>(&bit, 1));
        return bit != 0;
    }

    template <class In> void orbit_size_into(const In &in, Span<std::uint8_t> sizes) const
    {
        using W = detail::Element<const In>;
        auto from = detail::input(in);
        detail::same_size(sizes.size(), from.size(), "sizes to write");
        check(detail::choose<W>(tbi_orbit_size_u32, tbi_orbit_size_u64)(get(), from.data(), sizes.data(),
                                                                        from.size()));
    }
    template <class I, class W = detail::Word<I>> std::uint8_t orbit_size(I index) const
    {
        const W word = detail::word(index);
        std::uint8_t size;
        orbit_size_into(Span<const W>(&word, 1), Span<std::uint8_t>(&size, 1));
        return size;
    }

private:
    template <class In, class Out> void write(const In &in, Out &out, std::uint8_t *symmetries) const
    {
        using W = detail::Element<const In>;
        auto from = detail::input(in);
        auto to = detail::output(out);
        detail::same_size(to.size(), from.size(), "words to write");
        check(detail::choose<W>(tbi_canonical_u32, tbi_canonical_u64)(get(), from.data(), to.data(), symmetries,
                                                                      to.size()));
    }

    detail::Handle<tbi_equivalence, tbi_equivalence_free> handle_;
};

/// What ranking writes for a position that has no slot.
template <class W> inline constexpr W no_slot = detail::is_narrow<W> ? W(TBI_NO_SLOT_U32) : W(TBI_NO_SLOT_U64);

/// A numbering of positions 0 ... size - 1 without holes, so that a table can be an array.
class Dense {
public:
    static Dense orbit(const Layout &layout, Group group)
    {
        return Dense(detail::make<tbi_dense>(tbi_dense_orbit_new, layout.get(), detail::raw(group)));
    }
    static Dense triangle(const Layout &layout, Group group)
    {
        return Dense(detail::make<tbi_dense>(tbi_dense_triangle_new, layout.get(), detail::raw(group)));
    }
    static Dense kings(const Layout &layout, Group group)
    {
        return Dense(detail::make<tbi_dense>(tbi_dense_kings_new, layout.get(), detail::raw(group)));
    }
    static Dense compact(const Material &material, Rules rules = Rules::kings_apart,
                         Diagonal diagonal = Diagonal::exact, Numbering numbering = Numbering::natural)
    {
        return Dense(detail::make<tbi_dense>(tbi_dense_compact_new, material.get(), detail::raw(numbering),
                                             detail::raw(rules), detail::raw(diagonal)));
    }
    explicit Dense(tbi_dense *handle) noexcept : handle_(handle) {}

    const tbi_dense *get() const noexcept { return handle_.get(); }

    std::uint64_t size() const noexcept { return tbi_dense_size(get()); }
    Layout layout() const { return Layout(detail::make<tbi_layout>(tbi_dense_layout, get())); }

    /// Writes the slot of every index, no_slot<W> where there is none.
    template <class In, class Out> void rank_into(const In &indices, Out &&slots) const
    {
        batch(detail::choose<detail::Element<const In>>(tbi_dense_rank_u32, tbi_dense_rank_u64), indices, slots);
    }
    template <class C> void rank_in_place(C &&words) const { rank_into(words, words); }
    template <class I, class W = detail::Word<I>> std::optional<W> rank(I index) const
    {
        W word = detail::word(index);
        rank_in_place(Span<W>(&word, 1));
        return word == no_slot<W> ? std::nullopt : std::optional<W>(word);
    }

    template <class In, class Out> void unrank_into(const In &slots, Out &&indices) const
    {
        batch(detail::choose<detail::Element<const In>>(tbi_dense_unrank_u32, tbi_dense_unrank_u64), slots, indices);
    }
    template <class C> void unrank_in_place(C &&words) const { unrank_into(words, words); }
    template <class I, class W = detail::Word<I>> W unrank(I slot) const
    {
        W word = detail::word(slot);
        unrank_in_place(Span<W>(&word, 1));
        return word;
    }

    /// Writes for how many of all positions each slot stands.
    template <class In> void weights_into(const In &slots, Span<std::uint32_t> weights) const
    {
        batch(detail::choose<detail::Element<const In>>(tbi_dense_weights_u32, tbi_dense_weights_u64), slots, weights);
    }
    std::uint32_t weight(std::uint64_t slot) const
    {
        std::uint32_t weight;
        check(tbi_dense_weight(get(), slot, &weight));
        return weight;
    }

    /// Writes the other slot of the same class, or no_slot<W>.
    template <class In, class Out> void twins_into(const In &slots, Out &&twins) const
    {
        batch(detail::choose<detail::Element<const In>>(tbi_dense_twins_u32, tbi_dense_twins_u64), slots, twins);
    }
    template <class C> void twins_in_place(C &&words) const { twins_into(words, words); }
    std::optional<std::uint64_t> twin(std::uint64_t slot) const
    {
        std::uint64_t twin;
        check(tbi_dense_twin(get(), slot, &twin));
        return twin == TBI_NO_SLOT_U64 ? std::nullopt : std::optional<std::uint64_t>(twin);
    }

    /// The number of the piece that varies within a run.
    std::size_t last_piece() const noexcept { return tbi_dense_last_piece(get()); }

    /// Calls a function with every run: up to 64 positions that differ only in the square of the last piece.
    template <class F> void for_each_run(F &&function) const
    {
        std::array<Run, 256> runs;
        std::uint64_t mark = 0;
        for (std::size_t count = 1; count != 0;) {
            check(tbi_dense_runs(get(), &mark, runs.data(), runs.size(), &count));
            for (std::size_t k = 0; k < count; k++)
                function(static_cast<const Run &>(runs[k]));
        }
    }

    /// The positions of a run in the order of the last piece's squares: each one's index and slot.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> positions(const Run &run) const
    {
        std::array<std::uint64_t, 64> indices, slots;
        std::size_t count;
        check(tbi_dense_run_positions(get(), &run, indices.data(), slots.data(), &count));
        std::vector<std::pair<std::uint64_t, std::uint64_t>> positions(count);
        for (std::size_t k = 0; k < count; k++)
            positions[k] = {indices[k], slots[k]};
        return positions;
    }

private:
    template <class Function, class In, class Out> void batch(Function function, const In &in, Out &&out) const
    {
        auto from = detail::input(in);
        auto to = detail::output(out);
        detail::same_size(to.size(), from.size(), "words to write");
        check(function(get(), from.data(), to.data(), to.size()));
    }

    detail::Handle<tbi_dense, tbi_dense_free> handle_;
};

/// A position of a FEN.
struct Fen {
    Material material;
    std::uint64_t index;
    Side side;
    /// TBI_NO_SQUARE if there is none.
    std::uint8_t en_passant;
};

inline Fen encode_fen(const std::string &fen, Numbering numbering = Numbering::natural)
{
    tbi_material *material = nullptr;
    std::uint64_t index;
    tbi_side side;
    std::uint8_t en_passant;
    check(tbi_encode_fen(detail::c_str(fen), detail::raw(numbering), &material, &index, &side, &en_passant));
    return {Material(material), index, static_cast<Side>(side), en_passant};
}

inline std::string decode_fen(const Material &material, std::uint64_t index, Side side,
                              Numbering numbering = Numbering::natural)
{
    return detail::text(tbi_decode_fen, material.get(), detail::raw(numbering), index, detail::raw(side));
}

/// Takes the index of a position to that of the same position after a capture or a promotion.
class MaterialMap {
public:
    static MaterialMap capture(const Material &material, std::uint8_t captured,
                               Numbering numbering = Numbering::natural)
    {
        return MaterialMap(detail::make<tbi_material_map>(tbi_material_map_capture, material.get(), captured,
                                                          detail::raw(numbering)));
    }
    static MaterialMap promotion(const Material &material, std::uint8_t pawn, std::uint8_t promotion,
                                 std::uint8_t captured = TBI_NO_PIECE, Numbering numbering = Numbering::natural)
    {
        return MaterialMap(detail::make<tbi_material_map>(tbi_material_map_promotion, material.get(), pawn, promotion,
                                                          captured, detail::raw(numbering)));
    }
    explicit MaterialMap(tbi_material_map *handle) noexcept : handle_(handle) {}

    const tbi_material_map *get() const noexcept { return handle_.get(); }

    Material target() const { return Material(detail::make<tbi_material>(tbi_material_map_target, get())); }
    bool swaps_colors() const noexcept { return tbi_material_map_swaps_colors(get()); }

    template <class In, class Out> void map_into(const In &in, Out &&out) const
    {
        batch(detail::choose<detail::Element<const In>>(tbi_material_map_u32, tbi_material_map_u64), in, out);
    }
    template <class C> void map_in_place(C &&words) const { map_into(words, words); }
    template <class I, class W = detail::Word<I>> W map(I index) const
    {
        W word = detail::word(index);
        map_in_place(Span<W>(&word, 1));
        return word;
    }

    template <class In, class Out> void unmap_into(const In &in, Out &&out) const
    {
        batch(detail::choose<detail::Element<const In>>(tbi_material_unmap_u32, tbi_material_unmap_u64), in, out);
    }
    template <class C> void unmap_in_place(C &&words) const { unmap_into(words, words); }
    template <class I, class W = detail::Word<I>> W unmap(I index) const
    {
        W word = detail::word(index);
        unmap_in_place(Span<W>(&word, 1));
        return word;
    }

private:
    template <class Function, class In, class Out> void batch(Function function, const In &in, Out &&out) const
    {
        auto from = detail::input(in);
        auto to = detail::output(out);
        detail::same_size(to.size(), from.size(), "words to write");
        check(function(get(), from.data(), to.data(), to.size()));
    }

    detail::Handle<tbi_material_map, tbi_material_map_free> handle_;
};

/// The moves of the positions of one material.
class Moves {
public:
    explicit Moves(const Material &material, Numbering numbering = Numbering::natural)
        : handle_(detail::make<tbi_moves>(tbi_moves_new, material.get(), detail::raw(numbering)))
    {
    }
    explicit Moves(tbi_moves *handle) noexcept : handle_(handle) {}

    const tbi_moves *get() const noexcept { return handle_.get(); }

    /// The materials by the numbers that moves have: their own, then those that captures and promotions lead to.
    std::vector<Material> materials() const
    {
        std::vector<Material> all;
        for (std::size_t k = 0; k < tbi_moves_material_count(get()); k++)
            all.emplace_back(detail::make<tbi_material>(tbi_moves_material, get(), k));
        return all;
    }

    /// The legal moves of a legal position.
    std::vector<Move> from(std::uint64_t index, Side side, std::uint8_t passed = TBI_NO_SQUARE) const
    {
        std::vector<Move> moves(TBI_MOST_MOVES);
        std::size_t count;
        check(tbi_moves_from(get(), index, detail::raw(side), passed, moves.data(), moves.size(), &count));
        moves.resize(count);
        return moves;
    }

    /// The legal positions, with the other side to move, from which a quiet move leads to this one.
    std::vector<std::uint64_t> back(std::uint64_t index, Side side) const
    {
        return list([&](std::uint64_t *out, std::size_t capacity, std::size_t *count) {
            return tbi_moves_back(get(), index, detail::raw(side), out, capacity, count);
        });
    }

    /// The legal positions of this material from which a conversion leads to an index of what is left.
    std::vector<std::uint64_t> back(Conversion conversion, std::uint64_t index) const
    {
        return list([&](std::uint64_t *out, std::size_t capacity, std::size_t *count) {
            return tbi_moves_back_conversion(get(), conversion, index, out, capacity, count);
        });
    }

    /// These write a bit for every index; the bitmap has (count + 63) / 64 words.
    template <class In> void is_legal_into(Side side, const In &in, Span<std::uint64_t> bitmap) const
    {
        batch(detail::choose<detail::Element<const In>>(tbi_is_legal_u32, tbi_is_legal_u64), side, in, bitmap);
    }
    template <class In> void is_check_into(Side side, const In &in, Span<std::uint64_t> bitmap) const
    {
        batch(detail::choose<detail::Element<const In>>(tbi_is_check_u32, tbi_is_check_u64), side, in, bitmap);
    }
    template <class In> void is_mate_into(Side side, const In &in, Span<std::uint64_t> bitmap) const
    {
        batch(detail::choose<detail::Element<const In>>(tbi_is_mate_u32, tbi_is_mate_u64), side, in, bitmap);
    }
    template <class In> void is_stalemate_into(Side side, const In &in, Span<std::uint64_t> bitmap) const
    {
        batch(detail::choose<detail::Element<const In>>(tbi_is_stalemate_u32, tbi_is_stalemate_u64), side, in, bitmap);
    }

    bool is_legal(std::uint64_t index, Side side) const { return one(tbi_is_legal_u64, index, side); }
    bool is_check(std::uint64_t index, Side side) const { return one(tbi_is_check_u64, index, side); }
    bool is_mate(std::uint64_t index, Side side) const { return one(tbi_is_mate_u64, index, side); }
    bool is_stalemate(std::uint64_t index, Side side) const { return one(tbi_is_stalemate_u64, index, side); }

private:
    template <class Call> static std::vector<std::uint64_t> list(Call call)
    {
        std::vector<std::uint64_t> indices(TBI_MOST_MOVES);
        std::size_t count = 0;
        tbi_status status = call(indices.data(), indices.size(), &count);
        if (status == TBI_ERROR_BUFFER) {
            indices.resize(count);
            status = call(indices.data(), indices.size(), &count);
        }
        check(status);
        indices.resize(count);
        return indices;
    }

    template <class Function, class In>
    void batch(Function function, Side side, const In &in, Span<std::uint64_t> bitmap) const
    {
        auto from = detail::input(in);
        detail::same_size(bitmap.size(), detail::bitmap_words(from.size()), "words of bits");
        check(function(get(), detail::raw(side), from.data(), bitmap.data(), from.size()));
    }

    template <class Function> bool one(Function function, std::uint64_t index, Side side) const
    {
        std::uint64_t bit;
        check(function(get(), detail::raw(side), &index, &bit, 1));
        return bit != 0;
    }

    detail::Handle<tbi_moves, tbi_moves_free> handle_;
};

/// All positions of a material up to a stage, in ascending order.
class Enumeration {
public:
    Enumeration(const Material &material, Stage stage, Side side = Side::unknown, bool canonical_only = false,
                Numbering numbering = Numbering::natural)
        : handle_(detail::make<tbi_enumeration>(tbi_enumeration_new, material.get(), detail::raw(numbering),
                                                detail::raw(stage), detail::raw(side), canonical_only))
    {
    }
    explicit Enumeration(tbi_enumeration *handle) noexcept : handle_(handle) {}

    const tbi_enumeration *get() const noexcept { return handle_.get(); }

    std::uint64_t chunk_count() const noexcept { return tbi_enumeration_chunk_count(get()); }

    /// Replaces what `out` holds by the indices of a chunk; returns how many positions each stage leaves of it.
    template <class W> std::array<std::uint64_t, 4> chunk(std::uint64_t chunk, std::vector<W> &out) const
    {
        auto function = detail::choose<W>(tbi_enumeration_chunk_u32, tbi_enumeration_chunk_u64);
        std::array<std::uint64_t, 4> counts{};
        std::size_t count = 0;
        out.resize(TBI_CHUNK_SIZE);
        check(function(get(), chunk, out.data(), out.size(), &count, counts.data()));
        out.resize(count);
        return counts;
    }

    /// Calls a function with the indices of every chunk that has any, in order, as a Span<const W>.
    template <class W, class F> void for_each_chunk(F &&function) const
    {
        auto make = detail::choose<W>(tbi_enumeration_chunk_u32, tbi_enumeration_chunk_u64);
        std::vector<W> room(TBI_CHUNK_SIZE);
        for (std::uint64_t chunk = 0; chunk < chunk_count(); chunk++) {
            std::size_t count = 0;
            check(make(get(), chunk, room.data(), room.size(), &count, nullptr));
            if (count != 0)
                function(Span<const W>(room.data(), count));
        }
    }

    /// Writes an index file of all of them, and returns how many it holds.
    std::uint64_t write(const std::string &out, tbi_write_flags flags = 0, std::size_t threads = 0,
                        const Progress &progress = {}) const
    {
        detail::Watch watch(progress);
        std::uint64_t written = 0;
        watch.check(tbi_enumeration_write(get(), detail::c_str(out), flags, threads, watch.function(), &watch, &written));
        return written;
    }

private:
    detail::Handle<tbi_enumeration, tbi_enumeration_free> handle_;
};

/// An index file, mapped into memory.
class IndexFile {
public:
    explicit IndexFile(const std::string &path) : handle_(detail::make<tbi_file>(tbi_file_open, detail::c_str(path))) {}
    explicit IndexFile(tbi_file *handle) noexcept : handle_(handle) {}

    const tbi_file *get() const noexcept { return handle_.get(); }

    std::uint64_t count() const noexcept { return tbi_file_count(get()); }
    std::uint32_t word_bits() const noexcept { return tbi_file_word_bits(get()); }
    Numbering numbering() const noexcept { return static_cast<Numbering>(tbi_file_numbering(get())); }
    Side side() const noexcept { return static_cast<Side>(tbi_file_side(get())); }
    tbi_claims claims() const noexcept { return tbi_file_claims(get()); }
    bool is_compact() const noexcept { return tbi_file_is_compact(get()); }
    Material material() const { return Material(detail::make<tbi_material>(tbi_file_material, get())); }

    void verify(std::size_t threads = 0) const { check(tbi_file_verify(get(), threads)); }

    /// All indices, in the file's own memory: they are there as long as this object.
    template <class W> Span<const W> words() const
    {
        const W *words;
        std::size_t count;
        check(detail::choose<W>(tbi_file_words_u32, tbi_file_words_u64)(get(), &words, &count));
        return {words, count};
    }

    /// Copies indices from position `first` on, of plain and compressed files alike.
    template <class Out> void read(std::uint64_t first, Out &&out) const
    {
        auto to = detail::output(out);
        using W = detail::Element<Out>;
        check(detail::choose<W>(tbi_file_read_u32, tbi_file_read_u64)(get(), first, to.data(), to.size()));
    }

    bool contains(std::uint64_t index) const
    {
        bool contains;
        check(tbi_file_contains(get(), index, &contains));
        return contains;
    }
    std::uint64_t rank(std::uint64_t index) const
    {
        std::uint64_t rank;
        check(tbi_file_rank(get(), index, &rank));
        return rank;
    }

private:
    detail::Handle<tbi_file, tbi_file_close> handle_;
};

/// A file in the making. Destroyed before finish(), it leaves nothing behind.
class IndexWriter {
public:
    IndexWriter(const std::string &path, const Material &material, Side side = Side::unknown, tbi_claims claims = 0,
                tbi_write_flags flags = 0, Numbering numbering = Numbering::natural)
        : handle_(detail::make<tbi_writer>(tbi_writer_create, detail::c_str(path), material.get(), detail::raw(numbering),
                                           detail::raw(side), claims, flags))
    {
    }
    explicit IndexWriter(tbi_writer *handle) noexcept : handle_(handle) {}

    tbi_writer *get() noexcept { return handle_.get(); }

    template <class In> void write(const In &indices)
    {
        using W = detail::Element<const In>;
        auto from = detail::input(indices);
        check(detail::choose<W>(tbi_writer_write_u32, tbi_writer_write_u64)(get(), from.data(), from.size()));
    }

    /// Completes the file, and returns how many indices it holds.
    std::uint64_t finish()
    {
        std::uint64_t count = 0;
        check(tbi_writer_finish(get(), &count));
        return count;
    }

private:
    detail::Handle<tbi_writer, tbi_writer_free> handle_;
};

/// How to reduce files: with how much memory, on how many threads, by what method.
class Reduction {
public:
    Reduction() : handle_(detail::make<tbi_reduction>(tbi_reduction_new)) {}

    const tbi_reduction *get() const noexcept { return handle_.get(); }

    Reduction &memory(std::uint64_t bytes)
    {
        check(tbi_reduction_set_memory(handle_.get(), bytes));
        return *this;
    }
    Reduction &threads(std::size_t threads)
    {
        check(tbi_reduction_set_threads(handle_.get(), threads));
        return *this;
    }
    Reduction &method(Method method)
    {
        check(tbi_reduction_set_method(handle_.get(), detail::raw(method)));
        return *this;
    }
    Reduction &temp(const std::string &folder)
    {
        check(tbi_reduction_set_temp(handle_.get(), detail::c_str(folder)));
        return *this;
    }

    ReductionSummary run(const std::vector<std::string> &paths, const std::string &out, tbi_write_flags flags = 0,
                         Numbering numbering = Numbering::natural, const Progress &progress = {}) const
    {
        detail::Watch watch(progress);
        ReductionSummary summary{};
        std::vector<const char *> list = detail::pointers(paths);
        watch.check(tbi_reduction_run(get(), list.data(), list.size(), detail::c_str(out), detail::raw(numbering), flags,
                                      watch.function(), &watch, &summary));
        return summary;
    }

private:
    detail::Handle<tbi_reduction, tbi_reduction_free> handle_;
};

/// Combines sorted and distinct files into one, and returns how many indices it holds.
inline std::uint64_t combine(SetOperation operation, const std::vector<std::string> &paths, const std::string &out,
                             tbi_write_flags flags = 0, std::size_t threads = 0, const Progress &progress = {})
{
    detail::Watch watch(progress);
    std::uint64_t written = 0;
    std::vector<const char *> list = detail::pointers(paths);
    watch.check(tbi_files_combine(detail::raw(operation), list.data(), list.size(), detail::c_str(out), flags, threads,
                                  watch.function(), &watch, &written));
    return written;
}

} // namespace tbindex

#endif /* TBINDEX_HPP */
