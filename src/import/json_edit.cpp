#include "import/json_edit.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

namespace kbench::json {
namespace {

Value placed(Kind kind, const Value& at) {
  Value value;
  value.kind = kind;
  value.begin = at.begin;
  value.end = at.end;
  return value;
}

}  // namespace

std::string_view Editor::keep(std::string_view text) const {
  if (text.empty()) return "";
  char* kept = static_cast<char*>(memory_.allocate(text.size(), 1));
  std::memcpy(kept, text.data(), text.size());
  return {kept, text.size()};
}

template <class T>
std::span<const T> Editor::keep(const std::vector<T>& list) const {
  if (list.empty()) return {};
  T* kept = static_cast<T*>(memory_.allocate(list.size() * sizeof(T), alignof(T)));
  std::uninitialized_copy(list.begin(), list.end(), kept);
  return {kept, list.size()};
}

Value Editor::string(std::string_view text, const Value& at) const {
  Value value = placed(Kind::string, at);
  value.text = keep(text);
  return value;
}

Value Editor::integer(std::int64_t number, const Value& at) const {
  Value value = placed(Kind::integer, at);
  value.text = keep(std::to_string(number));
  return value;
}

Value Editor::boolean(bool truth, const Value& at) const {
  Value value = placed(Kind::boolean, at);
  value.truth = truth;
  return value;
}

Value Editor::null(const Value& at) const { return placed(Kind::null, at); }

Value Editor::broken(const Value& at) const { return placed(Kind::broken, at); }

Value Editor::array(const std::vector<Value>& items, const Value& at) const {
  Value value = placed(Kind::array, at);
  value.items = keep(items);
  return value;
}

Value Editor::strings(const std::vector<std::string>& texts, const Value& at) const {
  std::vector<Value> items;
  for (const std::string& text : texts) items.push_back(string(text, at));
  return array(items, at);
}

Value Editor::object(const std::vector<Member>& members, const Value& at) const {
  Value value = placed(Kind::object, at);
  value.members = keep(members);
  return value;
}

Value Editor::with(const Value& object, std::string_view key, const Value& value) const {
  std::vector<Member> members(object.members.begin(), object.members.end());
  const auto old = std::find_if(members.rbegin(), members.rend(),
                                [&](const Member& one) { return one.key == key; });
  if (old != members.rend()) {
    old->value = value;
  } else {
    members.push_back({keep(key), value.begin, value});
  }
  return this->object(members, object);
}

Value Editor::without(const Value& object, std::string_view key) const {
  std::vector<Member> members(object.members.begin(), object.members.end());
  std::erase_if(members, [&](const Member& one) { return one.key == key; });
  return this->object(members, object);
}

Value Editor::renamed(const Value& object, std::string_view from, std::string_view to) const {
  std::vector<Member> members(object.members.begin(), object.members.end());
  for (Member& one : members) {
    if (one.key == from) one.key = keep(to);
  }
  return this->object(members, object);
}

const Value* member(const Value* value, std::string_view key) {
  return value == nullptr || !value->is_object() ? nullptr : value->find(key);
}

std::string_view text_of(const Value* value) {
  return value != nullptr && value->is_string() ? value->text : "";
}

bool is_list_or_absent(const Value* value) {
  return value == nullptr || value->kind == Kind::array;
}

bool is_empty(const Value& value) {
  switch (value.kind) {
    case Kind::null:
      return true;
    case Kind::string:
      return value.text.empty();
    case Kind::array:
      return value.items.empty();
    case Kind::object:
      return value.members.empty();
    default:
      return false;
  }
}

}  // namespace kbench::json
