// Where things stand in a kernel yaml.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/json.hpp"

namespace kbench {

// What reads a kernel yaml has with it.
struct YamlPlace {
  const Source& source;
  Diagnostics& out;

  Where at(const json::Value& value, std::string pointer = "") const {
    return locate(source, value.begin, std::move(pointer));
  }
  Where key(const json::Member& member, std::string pointer = "") const {
    return locate(source, member.key_begin, std::move(pointer));
  }
  // Reports a value that is not what is wanted there: "must be an integer, not 1.5".
  void wrong(const json::Value& value, const std::string& pointer, std::string_view wanted,
             std::string hint = "") const;
  // Byte `index` of a string, where that stands in the file as it is.
  Where inside(const json::Value& string, std::size_t index, std::string pointer = "") const;
};

// "file:line", to name the other of two places; of a whole file its name.
std::string short_place(const Where& where);

// A value as a message shows it: 3, 'add.out', {…}.
std::string python_text(const json::Value& value);

}  // namespace kbench
