#include "import/definition_edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "import/undefined_names.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

using json::Member;
using json::Value;

struct RefusedDtype {
  std::string_view name;
  std::string_view hint;
};

constexpr std::string_view no_unsigned =
    "of unsigned integers the schema has uint8 alone: declare int16, int32 or int64 where the "
    "reference takes the same bits so";

constexpr RefusedDtype refused_dtypes[] = {
    {"float64", "the schema has no 64-bit floats: declare float32 where the reference allows it"},
    {"uint16", no_unsigned},
    {"uint32", no_unsigned},
    {"uint64", no_unsigned},
    {"string", "an input is a tensor or a number: write the text into the reference"},
    {"unknown", "the writer of this file did not see the argument: write its dtype"},
};

// How references import what most of them need, "" for any other name.
std::string_view import_of(std::string_view name) {
  if (name == "torch") return "import torch";
  if (name == "math") return "import math";
  return name == "F" ? "import torch.nn.functional as F" : "";
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Goes through the tensors of one definition; new axes are collected on the way.
class TensorEdit {
 public:
  TensorEdit(const Value& definition, const RecordDraft& draft) : draft_(draft), edit_(draft.edit) {
    const Value* axes = json::member(&definition, "axes");
    axes_ = axes != nullptr && axes->is_object() ? *axes : edit_.object({}, definition);
    has_axes_ = axes != nullptr && axes->is_object();
  }

  Value run(Value definition) {
    for (const std::string_view section : {"inputs", "outputs"}) {
      definition = with_members(definition, section, draft_, [&](const Member& one) {
        return Member{one.key, one.key_begin, tensor(one)};
      });
    }
    for (const auto& [key, users] : dropped_) report(key, users);
    return has_axes_ ? edit_.with(definition, "axes", axes_) : definition;
  }

 private:
  struct Users {
    Value first;
    std::vector<std::string> names;
  };

  Value tensor(const Member& one) {
    Value spec = one.value;
    if (!spec.is_object()) return spec;
    for (const std::string_view key : {"optional", "param"}) {
      const Value* said = spec.find(key);
      if (said == nullptr) continue;
      Users& users = dropped_.try_emplace(std::string(key), Users{*said, {}}).first->second;
      users.names.emplace_back(one.key);
      spec = edit_.without(spec, key);
    }
    if (const Value* dtype = spec.find("dtype"))
      spec = edit_.with(spec, "dtype", element(*dtype, one.key));
    if (const Value* shape = spec.find("shape"); shape && shape->kind == json::Kind::array)
      spec = edit_.with(spec, "shape", lengths(*shape));
    return spec;
  }

  Value element(const Value& dtype, std::string_view tensor) {
    const std::string_view name = json::text_of(&dtype);
    if (name == "float4_e2m1fn_x2") {
      draft_.warning(dtype, "dtype float4_e2m1fn_x2 is written as float4_e2m1",
                     "kbench counts elements, not pairs: see that the last axis does so, too");
      return edit_.string("float4_e2m1", dtype);
    }
    for (const RefusedDtype& refused : refused_dtypes) {
      if (name != refused.name) continue;
      draft_.error(
          dtype,
          fmt::format("dtype {} of \"{}\" has no counterpart: definition left out", name, tensor),
          std::string(refused.hint));
      return edit_.broken(dtype);
    }
    return dtype;
  }

  Value lengths(const Value& shape) {
    std::vector<Value> items;
    for (const Value& item : shape.items) {
      const std::string text(item.kind == json::Kind::integer ? item.text : json::text_of(&item));
      const bool declared = axes_.find(text) != nullptr;
      if (is_number(text) && !(declared && item.is_string())) {
        items.push_back(constant(text, item));
      } else {
        if (is_name(text) && !declared) declare(text, item);
        items.push_back(item);
      }
    }
    return edit_.array(items, shape);
  }

  // The name of the const axis of this length, made where there is none.
  Value constant(const std::string& length, const Value& at) {
    const std::string name = "size_" + length;
    if (axes_.find(name) == nullptr) {
      draft_.info(at,
                  fmt::format("length {} in a shape becomes the const axis \"{}\"", length, name));
      const Value type = edit_.string("const", at);
      const Value value = edit_.integer(std::stoll(length), at);
      add_axis(name, {{"type", at.begin, type}, {"value", at.begin, value}}, at);
    }
    return edit_.string(name, at);
  }

  void declare(const std::string& name, const Value& at) {
    draft_.warning(at, fmt::format("axis \"{}\" is not declared: it becomes a var axis", name),
                   "each workload gives its length");
    add_axis(name, {{"type", at.begin, edit_.string("var", at)}}, at);
  }

  void add_axis(const std::string& name, const std::vector<Member>& members, const Value& at) {
    axes_ = edit_.with(axes_, name, edit_.object(members, at));
  }

  void report(const std::string& key, const Users& users) {
    draft_.warning(
        users.first,
        fmt::format("key \"{}\" of {} is not carried over", key, join(users.names, ", ")),
        key == "optional" ? "every workload gives every input" : "");
  }

  const RecordDraft& draft_;
  const json::Editor& edit_;
  Value axes_;
  bool has_axes_ = false;
  std::map<std::string, Users> dropped_;
};

}  // namespace

Value with_members(const Value& object, std::string_view section, const RecordDraft& draft,
                   const MemberEdit& change) {
  const Value* old = json::member(&object, section);
  if (old == nullptr || !old->is_object()) return object;
  std::vector<Member> members;
  for (const Member& one : old->members) {
    if (auto changed = change(one)) members.push_back(*changed);
  }
  return draft.edit.with(object, section, draft.edit.object(members, *old));
}

Value without_reported(const Value& object, std::string_view key, const RecordDraft& draft,
                       std::string hint) {
  const Value* said = json::member(&object, key);
  if (said == nullptr) return object;
  if (!json::is_empty(*said))
    draft.warning(*said, fmt::format("\"{}\" is not carried over", key), std::move(hint));
  return draft.edit.without(object, key);
}

Value with_axis_values(const Value& definition, const RecordDraft& draft) {
  return with_members(definition, "axes", draft, [&](const Member& one) {
    const Value* value = json::member(&one.value, "value");
    if (json::text_of(json::member(&one.value, "type")) != "const" ||
        (value != nullptr && value->kind != json::Kind::null))
      return one;
    draft.warning(one.value,
                  fmt::format("const axis \"{}\" has no value: it becomes a var axis", one.key),
                  "each workload gives its length");
    const Value type = draft.edit.string("var", one.value);
    const Value axis = draft.edit.with(one.value, "type", type);
    return Member{one.key, one.key_begin, draft.edit.without(axis, "value")};
  });
}

Value with_imports(const Value& definition, const RecordDraft& draft) {
  const Value* reference = json::member(&definition, "reference");
  if (reference == nullptr || !reference->is_string()) return definition;
  const std::string_view text = reference->text;
  if (!std::holds_alternative<python::Module>(python::parse_module(text))) return definition;
  // Nothing may stand before `from __future__`.
  const bool open_above = text.find("__future__") == std::string_view::npos;
  std::string imports;
  for (const UndefinedName& undefined : undefined_names(text)) {
    Value place = *reference;
    place.begin = static_cast<std::uint32_t>(
        json::string_offset(*draft.document.source, *reference, undefined.offset));
    const std::string_view import = import_of(undefined.name);
    if (!import.empty() && open_above) {
      draft.info(place, fmt::format("\"{}\" is added to the reference", import));
      imports += fmt::format("{}\n", import);
    } else {
      draft.warning(place,
                    fmt::format("the reference uses {}, which it does not define", undefined.name),
                    "it will fail there: write the definition, or the import, into it");
    }
  }
  if (imports.empty()) return definition;
  const std::string whole = fmt::format("{}\n{}", imports, text);
  return draft.edit.with(definition, "reference", draft.edit.string(whole, *reference));
}

Value with_tidy_tensors(const Value& definition, const RecordDraft& draft) {
  return TensorEdit(definition, draft).run(definition);
}

}  // namespace kbench
