// Views of lists inside message bodies. Whoever made one has checked that all of it is there, so
// walking it cannot fail. Before a loop over a list give its message a name: a Result that was
// never named ends before the loop begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "forebay/wire/protocol/bytes.hpp"

namespace forebay::wire {

// Nothing: SQL's null.
using Value = std::optional<std::string_view>;

// Numbers of two bytes (formats) or four (types).
template <class Number>
class NumberList {
 public:
  NumberList() = default;
  explicit NumberList(std::string_view bytes) : bytes_(bytes) {}

  std::size_t size() const { return bytes_.size() / sizeof(Number); }
  bool empty() const { return bytes_.empty(); }
  Number operator[](std::size_t place) const {
    static_assert(sizeof(Number) == 2 || sizeof(Number) == 4);
    const std::size_t at = place * sizeof(Number);
    if constexpr (sizeof(Number) == 2) {
      return static_cast<Number>(read_uint16(bytes_, at));
    } else {
      return static_cast<Number>(read_uint32(bytes_, at));
    }
  }

 private:
  std::string_view bytes_;
};
using FormatList = NumberList<std::int16_t>;  // 0 is text, 1 is binary
using TypeList = NumberList<std::uint32_t>;   // object ids

// What a list of elements of different lengths has in common. Codec::take(bytes) takes one element
// off the front.
template <class Codec>
class ElementList {
 public:
  using Element = typename Codec::Element;

  class Iterator {
   public:
    using value_type = Element;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using pointer = void;
    using reference = Element;

    Iterator() = default;
    explicit Iterator(std::string_view rest) : rest_(rest) {}
    Element operator*() const {
      std::string_view rest = rest_;
      return Codec::take(rest);
    }
    Iterator& operator++() {
      static_cast<void>(Codec::take(rest_));
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& one, const Iterator& other) {
      return one.rest_.size() == other.rest_.size();
    }

   private:
    std::string_view rest_;
  };

  ElementList() = default;
  ElementList(std::size_t size, std::string_view bytes) : size_(size), bytes_(bytes) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Iterator begin() const { return Iterator(bytes_); }
  Iterator end() const { return Iterator(); }
  std::string_view bytes() const { return bytes_; }  // as they stand in the message

 private:
  std::size_t size_ = 0;
  std::string_view bytes_;
};

// A text that ends with a zero byte. REQUIRES: it does.
inline std::string_view take_text(std::string_view& from) {
  const std::size_t size = from.find('\0');
  const std::string_view text = from.substr(0, size);
  from.remove_prefix(size + 1);
  return text;
}

struct ValueCodec {
  using Element = Value;
  static Value take(std::string_view& from) {
    const auto size = static_cast<std::int32_t>(read_uint32(from));
    from.remove_prefix(4);
    if (size < 0) return std::nullopt;
    const std::string_view value = from.substr(0, static_cast<std::size_t>(size));
    from.remove_prefix(value.size());
    return value;
  }
};
using ValueList = ElementList<ValueCodec>;  // parameters of Bind, columns of DataRow

struct TextCodec {
  using Element = std::string_view;
  static std::string_view take(std::string_view& from) { return take_text(from); }
};
using TextList = ElementList<TextCodec>;  // mechanisms of SASL, names of options

// A name and its value.
struct SettingCodec {
  using Element = std::pair<std::string_view, std::string_view>;
  static Element take(std::string_view& from) {
    const std::string_view name = take_text(from);
    return {name, take_text(from)};
  }
};
using SettingList = ElementList<SettingCodec>;

}  // namespace forebay::wire
