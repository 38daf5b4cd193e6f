// Reads FlatBuffers that nobody vouches for: every offset is checked before it is followed, and no
// more is visited than the bytes have room for. Source: the format's "FlatBuffer Internals".
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench::flat {

// Exception for bytes that are no such buffer: the mistake and its byte.
struct Broken {
  std::size_t at = 0;
  std::string message;
};

class Buffer {
 public:
  explicit Buffer(std::string_view bytes) : bytes_(bytes), budget_(bytes.size()) {}

  template <class Number>
  Number number(std::size_t at) const {
    Number out{};
    std::memcpy(&out, span(at, sizeof out).data(), sizeof out);
    return out;
  }
  std::string_view span(std::size_t at, std::size_t size) const;
  // Returns where the offset at `at` leads.
  std::size_t follow(std::size_t at) const;
  // Counts what is visited: buffers that are whole have a byte at least for each.
  void spend(std::size_t count, std::size_t at);

 private:
  std::string_view bytes_;
  std::size_t budget_;
};

// Fields are named by their numbers in the schema; a union takes two, its kind and its value.
class Table {
 public:
  Table(Buffer& buffer, std::size_t at);

  std::size_t at() const { return at_; }
  template <class Number>
  Number number(int field, Number otherwise = {}) const {
    const std::size_t place = find(field);
    return place == 0 ? otherwise : buffer_->number<Number>(place);
  }
  std::string text(int field) const;
  std::optional<Table> table(int field) const;
  std::vector<Table> tables(int field) const;
  template <class Number>
  std::vector<Number> numbers(int field) const {
    const Elements elements = elements_of(field, sizeof(Number));
    std::vector<Number> out;
    for (std::size_t i = 0; i < elements.count; ++i)
      out.push_back(buffer_->number<Number>(elements.at + i * sizeof(Number)));
    return out;
  }

 private:
  struct Elements {
    std::size_t at = 0;
    std::size_t count = 0;
  };
  std::size_t find(int field) const;  // returns 0 where it is not there
  Elements elements_of(int field, std::size_t size) const;

  Buffer* buffer_;
  std::size_t at_;
  std::size_t fields_;       // entries of the table of offsets
  std::size_t field_bytes_;  // bytes of that table
  std::size_t table_bytes_;
};

// The table that a buffer is about.
Table root(Buffer& buffer);

}  // namespace kbench::flat
