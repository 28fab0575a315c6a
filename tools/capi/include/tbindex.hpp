/*
 * tbindex for C++17 and newer: tbindex.h with classes that free their handles, exceptions, and views of buffers.
 *
 * Everything is inline; link with libtbindex as C programs do. tbindex.h describes each function; the differences are:
 *
 * Errors are exceptions: tbindex::Error, with status() and what().
 *
 * Material and Layout are values. The other classes own a handle and free it; they can be moved. get() is the value or
 * the handle, for functions of tbindex.h. All const member functions may be called by several threads at the same time.
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

/// Throws the library's message unless a call of tbindex.h succeeded.
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

enum class Scheme : tbi_scheme { orbit = TBI_SCHEME_ORBIT, triangle = TBI_SCHEME_TRIANGLE, kings = TBI_SCHEME_KINGS };

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
using Header = tbi_header;
using ReductionSummary = tbi_reduction_summary;

/// Called from time to time by long operations, on the calling thread. It returns false to end the work, which then
/// throws an Error of TBI_ERROR_CANCELLED; what it throws itself comes out of the operation. Empty: nobody is called.
using Progress = std::function<bool(Phase phase, std::uint64_t done)>;

namespace detail {

template <class E> constexpr std::underlying_type_t<E> raw(E value) noexcept
{
    return static_cast<std::underlying_type_t<E>>(value);
}

/// A handle that is freed with its owner.
template <class T, void (*Free)(T *)> class Owned {
public:
    explicit Owned(T *handle) noexcept : handle_(handle) {}

    const T *get() const noexcept { return handle_.get(); }
    T *get() noexcept { return handle_.get(); }

private:
    struct Deleter {
        void operator()(T *handle) const noexcept { Free(handle); }
    };

    std::unique_ptr<T, Deleter> handle_;
};

/// The handle that a function writes to its last argument.
template <class T, class... Parameters, class... Arguments>
T *make(tbi_status (*function)(Parameters...), Arguments &&...arguments)
{
    T *handle = nullptr;
    check(function(std::forward<Arguments>(arguments)..., &handle));
    return handle;
}

/// The values that a function lists, mostly no more than `room`.
template <class T, class Function, class... First>
std::vector<T> list(std::size_t room, Function function, First... first)
{
    std::vector<T> values(room);
    std::size_t count = 0;
    tbi_status status = function(first..., values.data(), values.size(), &count);
    if (status == TBI_ERROR_BUFFER) {
        values.resize(count);
        status = function(first..., values.data(), values.size(), &count);
    }
    check(status);
    values.resize(count);
    return values;
}

/// The type of the elements of a buffer.
template <class C> using Element = std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>>;

template <class W> inline constexpr bool is_narrow = std::is_same_v<W, std::uint32_t>;

/// The words of a buffer.
template <class C> struct WordOf {
    using Type = Element<C>;
    static_assert(is_narrow<Type> || std::is_same_v<Type, std::uint64_t>, "words are std::uint32_t or std::uint64_t");
};

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

inline void same_size(std::size_t found, std::size_t expected, const char *what)
{
    if (found != expected)
        throw Error(TBI_ERROR_ARGUMENT, std::to_string(found) + " " + what + ": expected " + std::to_string(expected));
}

/// Calls a function of tbindex.h that reads the words of one buffer and writes as many of the same type to another.
template <class Function, class In, class Out, class... First>
void words_into(Function function, const In &in, Out &&out, First... first)
{
    using W = typename WordOf<const In>::Type;
    static_assert(std::is_same_v<W, Element<Out>>, "words are written to words of the same type");
    same_size(std::size(out), std::size(in), "words to write");
    check(function(first..., std::data(in), std::data(out), sizeof(W), std::size(in)));
}

/// Calls a function of tbindex.h that reads words and writes something else, so much of it.
template <class Function, class In, class T, class... First>
void into(Function function, const In &in, Span<T> out, std::size_t expected, const char *what, First... first)
{
    same_size(out.size(), expected, what);
    check(function(first..., std::data(in), out.data(), sizeof(typename WordOf<const In>::Type), std::size(in)));
}

/// Calls a function of tbindex.h that writes a bit for every word that it reads.
template <class Function, class In, class... First>
void bits_into(Function function, const In &in, Span<std::uint64_t> bitmap, First... first)
{
    const std::size_t count = std::size(in);
    into(function, in, bitmap, count / 64 + (count % 64 != 0), "words of bits", first...);
}

/// The word that a function makes of another, each in a buffer of one.
template <class I, class Function> Word<I> changed(I number, Function function)
{
    Word<I> word = detail::word(number);
    function(Span<Word<I>>(&word, 1));
    return word;
}

/// The answer that a function writes for a buffer of one word.
template <class T, class I, class Function> T told(I number, Function function)
{
    const Word<I> word = detail::word(number);
    T answer;
    function(Span<const Word<I>>(&word, 1), Span<T>(&answer, 1));
    return answer;
}

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
    explicit Material(const std::string &name) { check(tbi_material_parse(detail::c_str(name), &value_)); }
    explicit Material(const tbi_material &value) noexcept : value_(value) {}

    const tbi_material &get() const noexcept { return value_; }
    /// The name as functions of tbindex.h take it.
    const char *c_str() const noexcept { return value_.name; }

    std::string name() const { return value_.name; }
    /// The letters of the pieces by their numbers in an index, piece 0 first.
    std::string index_order() const { return value_.index_order; }
    std::size_t piece_count() const noexcept { return value_.piece_count; }
    Group group() const noexcept { return static_cast<Group>(value_.group); }
    /// The codes of the pieces by their numbers in an index.
    std::vector<std::uint8_t> codes() const { return {value_.codes, value_.codes + piece_count()}; }

    Material swap_colors() const
    {
        tbi_material swapped;
        check(tbi_material_swap_colors(c_str(), &swapped));
        return Material(swapped);
    }
    bool is_normal() const noexcept { return value_.is_normal; }
    Material normal() const { return is_normal() ? *this : swap_colors(); }

    /// Every capture and promotion that a legal move of this material can be.
    std::vector<Conversion> conversions() const
    {
        return detail::list<Conversion>(64, tbi_material_conversions, c_str());
    }

    Material after(Conversion conversion) const
    {
        tbi_material after;
        check(tbi_material_after(c_str(), conversion, &after));
        return Material(after);
    }

    /// The normal materials on whose tables this one's depends, in an order in which they can be made.
    std::vector<Material> below() const
    {
        const auto all = detail::list<tbi_material>(64, tbi_material_below, c_str());
        return {all.begin(), all.end()};
    }

    friend bool operator==(const Material &a, const Material &b) { return a.name() == b.name(); }
    friend bool operator!=(const Material &a, const Material &b) { return !(a == b); }

private:
    tbi_material value_;
};

/// The layout of an index: how many pieces, 1 to 10, under which numbering of the squares.
class Layout {
public:
    explicit Layout(std::size_t pieces, Numbering numbering = Numbering::natural)
        : value_{static_cast<std::uint32_t>(pieces), detail::raw(numbering)}
    {
    }
    explicit Layout(const Material &material, Numbering numbering = Numbering::natural)
        : Layout(material.piece_count(), numbering)
    {
    }
    explicit Layout(tbi_layout value) noexcept : value_(value) {}

    tbi_layout get() const noexcept { return value_; }

    std::size_t pieces() const noexcept { return value_.pieces; }
    Numbering numbering() const noexcept { return static_cast<Numbering>(value_.numbering); }
    /// 4 or 8: the bytes of the smallest word that holds an index.
    std::size_t word_bytes() const noexcept { return tbi_layout_word_bytes(get()); }

    template <class In, class Out> void flip_into(Symmetry symmetry, const In &in, Out &&out) const
    {
        detail::words_into(tbi_flip, in, out, get(), detail::raw(symmetry));
    }
    template <class C> void flip_in_place(Symmetry symmetry, C &&words) const { flip_into(symmetry, words, words); }
    template <class I> detail::Word<I> flip(Symmetry symmetry, I index) const
    {
        return detail::changed(index, [&](auto word) { flip_in_place(symmetry, word); });
    }

    template <class In, class Out> void convert_into(Numbering to_numbering, const In &in, Out &&out) const
    {
        detail::words_into(tbi_convert, in, out, get(), detail::raw(to_numbering));
    }
    template <class C> void convert_in_place(Numbering to_numbering, C &&words) const
    {
        convert_into(to_numbering, words, words);
    }
    template <class I> detail::Word<I> convert(Numbering to_numbering, I index) const
    {
        return detail::changed(index, [&](auto word) { convert_in_place(to_numbering, word); });
    }

    /// Writes the indices of rows of squares, a byte each: all of the first position, piece 0 first, and so on.
    template <class Out> void encode_rows(Span<const std::uint8_t> rows, Out &&out) const
    {
        detail::same_size(rows.size(), std::size(out) * pieces(), "squares");
        check(tbi_encode_rows(get(), rows.data(), std::data(out), bytes<Out>, std::size(out)));
    }
    template <class In> void decode_rows(const In &in, Span<std::uint8_t> rows) const
    {
        detail::into(tbi_decode_rows, in, rows, std::size(in) * pieces(), "squares", get());
    }

    /// Writes the indices of columns of squares: as many pointers as pieces, piece 0 first, each to a byte for every
    /// position.
    template <class Out> void encode_columns(Span<const std::uint8_t *const> columns, Out &&out) const
    {
        detail::same_size(columns.size(), pieces(), "columns");
        check(tbi_encode_columns(get(), columns.data(), std::data(out), bytes<Out>, std::size(out)));
    }
    template <class In> void decode_columns(const In &in, Span<std::uint8_t *const> columns) const
    {
        detail::into(tbi_decode_columns, in, columns, pieces(), "columns", get());
    }

    /// The index of one position, from a square for each piece, piece 0 first.
    template <class W = std::uint64_t> W encode(Span<const std::uint8_t> squares) const
    {
        W index;
        encode_rows(squares, Span<W>(&index, 1));
        return index;
    }
    /// The squares of one index, piece 0 first.
    template <class I> std::vector<std::uint8_t> decode(I index) const
    {
        const auto word = detail::word(index);
        std::vector<std::uint8_t> squares(pieces());
        decode_rows(Span<const detail::Word<I>>(&word, 1), squares);
        return squares;
    }

private:
    template <class C> static constexpr std::size_t bytes = sizeof(typename detail::WordOf<C>::Type);

    tbi_layout value_;
};

/// An equivalence of positions: a layout, a group of symmetries, and sets of like pieces.
class Equivalence : public detail::Owned<tbi_equivalence, tbi_equivalence_free> {
public:
    using Owned::Owned;
    explicit Equivalence(const Material &material, Numbering numbering = Numbering::natural)
        : Owned(detail::make<tbi_equivalence>(tbi_equivalence_of_material, material.c_str(), detail::raw(numbering)))
    {
    }
    /// `like_sets` are sets of like pieces, each a bit mask of piece numbers.
    Equivalence(const Layout &layout, Group group, Span<const std::uint32_t> like_sets = {})
        : Owned(detail::make<tbi_equivalence>(tbi_equivalence_of_layout, layout.get(), detail::raw(group),
                                              like_sets.data(), like_sets.size()))
    {
    }

    Layout layout() const noexcept { return Layout(tbi_equivalence_layout(get())); }
    Group group() const noexcept { return static_cast<Group>(tbi_equivalence_group(get())); }

    template <class In, class Out> void canonical_into(const In &in, Out &&out) const { write(in, out, nullptr); }
    template <class C> void canonical_in_place(C &&words) const { write(words, words, nullptr); }
    template <class I> detail::Word<I> canonical(I index) const
    {
        return detail::changed(index, [&](auto word) { canonical_in_place(word); });
    }

    /// Does this, and gives the symmetry that leads to each canonical index, a byte each.
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
    template <class I> std::pair<detail::Word<I>, Symmetry> canonical_with_symmetry(I index) const
    {
        std::uint8_t symmetry;
        const auto canonical = detail::changed(index, [&](auto word) {
            canonical_with_symmetry_in_place(word, Span<std::uint8_t>(&symmetry, 1));
        });
        return {canonical, static_cast<Symmetry>(symmetry)};
    }

    /// Writes a bit for every index; the bitmap has (count + 63) / 64 words.
    template <class In> void is_canonical_into(const In &in, Span<std::uint64_t> bitmap) const
    {
        detail::bits_into(tbi_is_canonical, in, bitmap, get());
    }
    template <class I> bool is_canonical(I index) const
    {
        return detail::told<std::uint64_t>(index, [&](auto in, auto bitmap) { is_canonical_into(in, bitmap); }) != 0;
    }

    template <class In> void orbit_size_into(const In &in, Span<std::uint8_t> sizes) const
    {
        detail::into(tbi_orbit_size, in, sizes, std::size(in), "sizes to write", get());
    }
    template <class I> std::uint8_t orbit_size(I index) const
    {
        return detail::told<std::uint8_t>(index, [&](auto in, auto sizes) { orbit_size_into(in, sizes); });
    }

private:
    template <class In, class Out> void write(const In &in, Out &&out, std::uint8_t *symmetries) const
    {
        const auto canonical = [&](const void *from, void *to, std::size_t bytes, std::size_t count) {
            return tbi_canonical(get(), from, to, symmetries, bytes, count);
        };
        detail::words_into(canonical, in, out);
    }
};

/// The word that ranking writes for a position without a slot.
template <class W> inline constexpr W no_slot = detail::is_narrow<W> ? W(TBI_NO_SLOT_U32) : W(TBI_NO_SLOT_U64);

/// A numbering of positions 0 ... size - 1 without holes, so that a table can be an array.
class Dense : public detail::Owned<tbi_dense, tbi_dense_free> {
public:
    using Owned::Owned;
    Dense(const Layout &layout, Scheme scheme, Group group)
        : Owned(detail::make<tbi_dense>(tbi_dense_of_layout, layout.get(), detail::raw(scheme), detail::raw(group)))
    {
    }
    explicit Dense(const Material &material, Rules rules = Rules::kings_apart, Diagonal diagonal = Diagonal::exact,
                   Numbering numbering = Numbering::natural)
        : Owned(detail::make<tbi_dense>(tbi_dense_of_material, material.c_str(), detail::raw(numbering),
                                        detail::raw(rules), detail::raw(diagonal)))
    {
    }

    std::uint64_t size() const noexcept { return tbi_dense_size(get()); }
    Layout layout() const noexcept { return Layout(tbi_dense_layout(get())); }

    /// Writes the slot of every index, no_slot<W> where there is none.
    template <class In, class Out> void rank_into(const In &indices, Out &&slots) const
    {
        detail::words_into(tbi_dense_rank, indices, slots, get());
    }
    template <class C> void rank_in_place(C &&words) const { rank_into(words, words); }
    template <class I> std::optional<detail::Word<I>> rank(I index) const
    {
        return if_any(detail::changed(index, [&](auto word) { rank_in_place(word); }));
    }

    template <class In, class Out> void unrank_into(const In &slots, Out &&indices) const
    {
        detail::words_into(tbi_dense_unrank, slots, indices, get());
    }
    template <class C> void unrank_in_place(C &&words) const { unrank_into(words, words); }
    template <class I> detail::Word<I> unrank(I slot) const
    {
        return detail::changed(slot, [&](auto word) { unrank_in_place(word); });
    }

    /// Writes for how many of all positions each slot stands.
    template <class In> void weight_into(const In &slots, Span<std::uint32_t> weights) const
    {
        detail::into(tbi_dense_weight, slots, weights, std::size(slots), "weights to write", get());
    }
    template <class I> std::uint32_t weight(I slot) const
    {
        return detail::told<std::uint32_t>(slot, [&](auto slots, auto weights) { weight_into(slots, weights); });
    }

    /// Writes the other slot of the same class, or no_slot<W>.
    template <class In, class Out> void twin_into(const In &slots, Out &&twins) const
    {
        detail::words_into(tbi_dense_twin, slots, twins, get());
    }
    template <class C> void twin_in_place(C &&words) const { twin_into(words, words); }
    template <class I> std::optional<detail::Word<I>> twin(I slot) const
    {
        return if_any(detail::changed(slot, [&](auto word) { twin_in_place(word); }));
    }

private:
    template <class W> static std::optional<W> if_any(W slot)
    {
        return slot == no_slot<W> ? std::nullopt : std::optional<W>(slot);
    }
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
    tbi_material material;
    std::uint64_t index;
    tbi_side side;
    std::uint8_t en_passant;
    check(tbi_encode_fen(detail::c_str(fen), detail::raw(numbering), &material, &index, &side, &en_passant));
    return {Material(material), index, static_cast<Side>(side), en_passant};
}

inline std::string decode_fen(const Material &material, std::uint64_t index, Side side,
                              Numbering numbering = Numbering::natural)
{
    std::array<char, 128> fen;
    check(tbi_decode_fen(material.c_str(), detail::raw(numbering), index, detail::raw(side), fen.data(), fen.size(),
                         nullptr));
    return fen.data();
}

/// Takes the index of a position to that of the same position after a capture or a promotion.
class MaterialMap : public detail::Owned<tbi_material_map, tbi_material_map_free> {
public:
    using Owned::Owned;
    static MaterialMap capture(const Material &material, std::uint8_t captured,
                               Numbering numbering = Numbering::natural)
    {
        return MaterialMap(detail::make<tbi_material_map>(tbi_material_map_capture, material.c_str(), captured,
                                                          detail::raw(numbering)));
    }
    static MaterialMap promotion(const Material &material, std::uint8_t pawn, std::uint8_t promotion,
                                 std::uint8_t captured = TBI_NO_PIECE, Numbering numbering = Numbering::natural)
    {
        return MaterialMap(detail::make<tbi_material_map>(tbi_material_map_promotion, material.c_str(), pawn, promotion,
                                                          captured, detail::raw(numbering)));
    }

    Material target() const
    {
        tbi_material target;
        check(tbi_material_map_target(get(), &target, nullptr));
        return Material(target);
    }
    bool swaps_colors() const
    {
        bool swaps;
        check(tbi_material_map_target(get(), nullptr, &swaps));
        return swaps;
    }

    template <class In, class Out> void map_into(const In &in, Out &&out) const
    {
        detail::words_into(tbi_map, in, out, get());
    }
    template <class C> void map_in_place(C &&words) const { map_into(words, words); }
    template <class I> detail::Word<I> map(I index) const
    {
        return detail::changed(index, [&](auto word) { map_in_place(word); });
    }

    template <class In, class Out> void unmap_into(const In &in, Out &&out) const
    {
        detail::words_into(tbi_unmap, in, out, get());
    }
    template <class C> void unmap_in_place(C &&words) const { unmap_into(words, words); }
    template <class I> detail::Word<I> unmap(I index) const
    {
        return detail::changed(index, [&](auto word) { unmap_in_place(word); });
    }
};

/// The moves of the positions of one material.
class Moves : public detail::Owned<tbi_moves, tbi_moves_free> {
public:
    using Owned::Owned;
    explicit Moves(const Material &material, Numbering numbering = Numbering::natural)
        : Owned(detail::make<tbi_moves>(tbi_moves_new, material.c_str(), detail::raw(numbering)))
    {
    }

    /// The materials by the numbers that moves have: their own, then the targets of captures and promotions.
    std::vector<Material> materials() const
    {
        const auto all = detail::list<tbi_material>(64, tbi_moves_materials, get());
        return {all.begin(), all.end()};
    }

    /// The legal moves of a legal position.
    std::vector<Move> from(std::uint64_t index, Side side, std::uint8_t passed = TBI_NO_SQUARE) const
    {
        return detail::list<Move>(TBI_MOST_MOVES, tbi_moves_from, get(), index, detail::raw(side), passed);
    }

    /// The legal positions, with the other side to move, from which a quiet move leads to this one.
    std::vector<std::uint64_t> back(std::uint64_t index, Side side) const
    {
        return detail::list<std::uint64_t>(TBI_MOST_MOVES, tbi_moves_back, get(), index, detail::raw(side));
    }

    /// The legal positions of this material from which a conversion leads to an index of the material that is left.
    std::vector<std::uint64_t> back(Conversion conversion, std::uint64_t index) const
    {
        return detail::list<std::uint64_t>(TBI_MOST_MOVES, tbi_moves_back_conversion, get(), conversion, index);
    }

    /// These write a bit for every index; the bitmap has (count + 63) / 64 words.
    template <class In> void is_legal_into(Side side, const In &in, Span<std::uint64_t> bitmap) const
    {
        detail::bits_into(tbi_is_legal, in, bitmap, get(), detail::raw(side));
    }
    template <class In> void is_check_into(Side side, const In &in, Span<std::uint64_t> bitmap) const
    {
        detail::bits_into(tbi_is_check, in, bitmap, get(), detail::raw(side));
    }
    template <class In> void is_mate_into(Side side, const In &in, Span<std::uint64_t> bitmap) const
    {
        detail::bits_into(tbi_is_mate, in, bitmap, get(), detail::raw(side));
    }
    template <class In> void is_stalemate_into(Side side, const In &in, Span<std::uint64_t> bitmap) const
    {
        detail::bits_into(tbi_is_stalemate, in, bitmap, get(), detail::raw(side));
    }

    bool is_legal(std::uint64_t index, Side side) const { return one(tbi_is_legal, index, side); }
    bool is_check(std::uint64_t index, Side side) const { return one(tbi_is_check, index, side); }
    bool is_mate(std::uint64_t index, Side side) const { return one(tbi_is_mate, index, side); }
    bool is_stalemate(std::uint64_t index, Side side) const { return one(tbi_is_stalemate, index, side); }

private:
    template <class Function> bool one(Function function, std::uint64_t index, Side side) const
    {
        std::uint64_t bit;
        check(function(get(), detail::raw(side), &index, &bit, sizeof index, 1));
        return bit != 0;
    }
};

/// All positions of a material up to a stage, in ascending order.
class Enumeration : public detail::Owned<tbi_enumeration, tbi_enumeration_free> {
public:
    using Owned::Owned;
    Enumeration(const Material &material, Stage stage, Side side = Side::unknown, bool canonical_only = false,
                Numbering numbering = Numbering::natural)
        : Owned(detail::make<tbi_enumeration>(tbi_enumeration_new, material.c_str(), detail::raw(numbering),
                                              detail::raw(stage), detail::raw(side), canonical_only))
    {
    }

    std::uint64_t chunk_count() const noexcept { return tbi_enumeration_chunk_count(get()); }

    /// Replaces the contents of `out` by the indices of a chunk; returns how many positions each stage leaves of it.
    template <class W> std::array<std::uint64_t, 4> chunk(std::uint64_t chunk, std::vector<W> &out) const
    {
        std::array<std::uint64_t, 4> counts{};
        std::size_t count = 0;
        out.resize(TBI_CHUNK_SIZE);
        check(tbi_enumeration_chunk(get(), chunk, out.data(), sizeof(W), out.size(), &count, counts.data()));
        out.resize(count);
        return counts;
    }

    /// Calls a function with the indices of every chunk that has any, in order, as a Span<const W>.
    template <class W, class F> void for_each_chunk(F &&function) const
    {
        std::vector<W> room(TBI_CHUNK_SIZE);
        for (std::uint64_t chunk = 0; chunk < chunk_count(); chunk++) {
            std::size_t count = 0;
            check(tbi_enumeration_chunk(get(), chunk, room.data(), sizeof(W), room.size(), &count, nullptr));
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
};

/// An index file, mapped into memory.
class IndexFile : public detail::Owned<tbi_file, tbi_file_close> {
public:
    using Owned::Owned;
    explicit IndexFile(const std::string &path) : Owned(detail::make<tbi_file>(tbi_file_open, detail::c_str(path))) {}

    Header header() const
    {
        Header header;
        check(tbi_file_header(get(), &header));
        return header;
    }
    std::uint64_t count() const { return header().count; }
    std::size_t word_bytes() const { return header().word_bytes; }
    Numbering numbering() const { return static_cast<Numbering>(header().numbering); }
    Side side() const { return static_cast<Side>(header().side); }
    tbi_claims claims() const { return header().claims; }
    bool is_compact() const { return header().is_compact; }
    Material material() const { return Material(header().material); }

    void verify(std::size_t threads = 0) const { check(tbi_file_verify(get(), threads)); }

    /// All indices, in the file's own memory: they are there as long as this object.
    template <class W> Span<const W> words() const
    {
        const void *words;
        std::size_t count;
        check(tbi_file_words(get(), &words, sizeof(W), &count));
        return {static_cast<const W *>(words), count};
    }

    /// Copies indices from position `first` on, of plain and compressed files alike.
    template <class Out> void read(std::uint64_t first, Out &&out) const
    {
        using W = typename detail::WordOf<Out>::Type;
        check(tbi_file_read(get(), first, std::data(out), sizeof(W), std::size(out)));
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
};

/// A file that is being written. Destroyed before finish(), it leaves nothing behind.
class IndexWriter : public detail::Owned<tbi_writer, tbi_writer_free> {
public:
    using Owned::Owned;
    IndexWriter(const std::string &path, const Material &material, Side side = Side::unknown, tbi_claims claims = 0,
                tbi_write_flags flags = 0, Numbering numbering = Numbering::natural)
        : Owned(detail::make<tbi_writer>(tbi_writer_create, detail::c_str(path), material.c_str(), detail::raw(numbering),
                                         detail::raw(side), claims, flags))
    {
    }

    template <class In> void write(const In &indices)
    {
        using W = typename detail::WordOf<const In>::Type;
        check(tbi_writer_write(get(), std::data(indices), sizeof(W), std::size(indices)));
    }

    /// Completes the file, and returns how many indices it holds.
    std::uint64_t finish()
    {
        std::uint64_t count = 0;
        check(tbi_writer_finish(get(), &count));
        return count;
    }
};

/// How to reduce files. 0 or an empty text is the default of each.
struct Reduction {
    /// The bytes that the whole process may have resident; by default one gibibyte.
    std::uint64_t memory = 0;
    /// How many threads work; by default one for each processor.
    std::size_t threads = 0;
    Method method = Method::automatic;
    /// The folder for temporary files; by default that of the new file.
    std::string temp;
};

/// Reduces files of one material and one side to move to one.
inline ReductionSummary reduce(const std::vector<std::string> &paths, const std::string &out, tbi_write_flags flags = 0,
                               Numbering numbering = Numbering::natural, const Reduction &how = {},
                               const Progress &progress = {})
{
    detail::Watch watch(progress);
    ReductionSummary summary{};
    std::vector<const char *> list = detail::pointers(paths);
    const tbi_reduction settings = {how.memory, how.threads, detail::raw(how.method),
                                    how.temp.empty() ? nullptr : detail::c_str(how.temp)};
    watch.check(tbi_files_reduce(list.data(), list.size(), detail::c_str(out), detail::raw(numbering), flags, &settings,
                                 watch.function(), &watch, &summary));
    return summary;
}

/// Combines sorted and distinct files into one, and returns how many indices it holds.
inline std::uint64_t combine(SetOperation operation, const std::vector<std::string> &paths, const std::string &out,
                             tbi_write_flags flags = 0, std::uint64_t memory = 0, std::size_t threads = 0,
                             const Progress &progress = {})
{
    detail::Watch watch(progress);
    std::uint64_t written = 0;
    std::vector<const char *> list = detail::pointers(paths);
    watch.check(tbi_files_combine(detail::raw(operation), list.data(), list.size(), detail::c_str(out), flags, memory,
                                  threads, watch.function(), &watch, &written));
    return written;
}

using Value = tbi_value;

/// The side to move in positions: one in all, or a side for each.
class Sides {
public:
    Sides(Side side) noexcept : side_(detail::raw(side)), same_(true) {}
    template <class Each, class = std::enable_if_t<std::is_constructible<Span<const Side>, const Each &>::value>>
    Sides(const Each &each)
    {
        for (const Side side : Span<const Side>(each))
            each_.push_back(detail::raw(side));
    }

private:
    friend class Tables;
    const tbi_side *each(std::size_t count) const
    {
        if (same_)
            return nullptr;
        if (each_.size() != count)
            throw Error(TBI_ERROR_ARGUMENT, "there are more or fewer sides than positions");
        return each_.data();
    }

    tbi_side side_ = TBI_SIDE_WHITE;
    bool same_ = false;
    std::vector<tbi_side> each_;
};

/// The tables of a folder: the values of many positions. `out` has a Value for each; `distances` is TBI_VALUE_DTZ,
/// TBI_VALUE_DTM, both, or 0 for outcomes alone.
class Tables : public detail::Owned<tbi_tables, tbi_tables_close> {
public:
    using Owned::Owned;
    explicit Tables(const std::string &folder, std::size_t memory = 0)
        : Owned(detail::make<tbi_tables>(tbi_tables_open, detail::c_str(folder), memory))
    {
    }

    template <class In>
    void probe_into(const Material &material, const Sides &sides, tbi_value_flags distances, const In &in,
                    Span<Value> out, Numbering numbering = Numbering::natural) const
    {
        using W = typename detail::WordOf<In>::Type;
        fit(std::size(in), out.size());
        check(tbi_tables_probe(get(), material.c_str(), detail::raw(numbering), sides.side_, sides.each(out.size()),
                               distances, std::data(in), out.data(), sizeof(W), out.size()));
    }
    void probe_rows_into(const Material &material, const Sides &sides, tbi_value_flags distances,
                         Span<const std::uint8_t> rows, Span<Value> out) const
    {
        fit(rows.size(), out.size() * material.piece_count());
        check(tbi_tables_probe_rows(get(), material.c_str(), sides.side_, sides.each(out.size()), distances,
                                    rows.data(), out.data(), out.size()));
    }
    std::vector<Value> probe(const std::vector<std::string> &fens, tbi_value_flags distances = TBI_VALUE_DTZ) const
    {
        std::vector<Value> values(fens.size());
        const std::vector<const char *> list = detail::pointers(fens);
        check(tbi_tables_probe_fens(get(), distances, list.data(), values.data(), list.size()));
        return values;
    }

    /// The reasons why positions had no value, and how many there were for each.
    std::vector<std::pair<std::string, std::uint64_t>> failures() const
    {
        std::vector<std::pair<std::string, std::uint64_t>> all;
        std::size_t needed;
        std::uint64_t count;
        while (tbi_tables_failure(get(), all.size(), nullptr, 0, &needed, &count) == TBI_ERROR_BUFFER) {
            std::string reason(needed, '\0');
            check(tbi_tables_failure(get(), all.size(), reason.data(), needed, nullptr, &count));
            reason.pop_back();
            all.emplace_back(std::move(reason), count);
        }
        return all;
    }

private:
    static void fit(std::size_t found, std::size_t expected)
    {
        if (found != expected)
            throw Error(TBI_ERROR_ARGUMENT, "the buffers have different lengths");
    }
};

} // namespace tbindex

#endif /* TBINDEX_HPP */
