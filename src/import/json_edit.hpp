// Edits of parsed JSON: from value to value, nothing is changed in place. What an edit makes stands
// where the value it is made of stood, so that problems found later are shown in the user's text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace kbench::json {

class Editor {
 public:
  // The texts and lists of new values live in `memory`.
  explicit Editor(Memory& memory) : memory_(memory) {}

  Value string(std::string_view text, const Value& at) const;
  Value integer(std::int64_t number, const Value& at) const;
  Value boolean(bool truth, const Value& at) const;
  Value null(const Value& at) const;
  // A value of which a mistake has been reported: readers say nothing about it.
  Value broken(const Value& at) const;
  Value array(const std::vector<Value>& items, const Value& at) const;
  Value strings(const std::vector<std::string>& texts, const Value& at) const;
  Value object(const std::vector<Member>& members, const Value& at) const;

  // `object` with this key's value; a new key comes last.
  Value with(const Value& object, std::string_view key, const Value& value) const;
  Value without(const Value& object, std::string_view key) const;
  // The key `from`, if it is there, under another name in the same place.
  Value renamed(const Value& object, std::string_view from, std::string_view to) const;

 private:
  std::string_view keep(std::string_view text) const;
  template <class T>
  std::span<const T> keep(const std::vector<T>& list) const;

  Memory& memory_;
};

// ---- Looking into a value; each takes a null pointer or a value of another kind as "not there"
// ----

// The member `key`, nullptr where `value` is no object or has none.
const Value* member(const Value* value, std::string_view key);
// The text of a string, "" of anything else.
std::string_view text_of(const Value* value);
// False where something else than an array stands: the reader of the record says so.
bool is_list_or_absent(const Value* value);
// Null, or an empty string, array or object.
bool is_empty(const Value& value);

}  // namespace kbench::json
