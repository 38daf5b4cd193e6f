#include "kernels/registry/read_kernel_yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "base/words.hpp"
#include "kernels/operators/parse.hpp"
#include "kernels/operators/rules.hpp"
#include "kernels/registry/kernel_entry.hpp"
#include "schema/place.hpp"
#include "schema/yaml.hpp"

namespace kbench {
namespace {

using json::Kind;

// Keys that torchgen takes beside op, func, kernels and the aliases; none of them changes the
// registrations.
constexpr std::string_view other_entry_keys[] = {"autogen",
                                                 "category_override",
                                                 "cpp_no_default_args",
                                                 "device_check",
                                                 "device_guard",
                                                 "manual_cpp_binding",
                                                 "manual_kernel_registration",
                                                 "precomputed",
                                                 "python_module",
                                                 "structured",
                                                 "structured_delegate",
                                                 "structured_inherits",
                                                 "tags",
                                                 "ufunc_inner_loop",
                                                 "use_const_ref_for_mutable_tensors",
                                                 "variants"};
constexpr std::string_view own_keys[] = {"op",       "func",       "kernels",
                                         "dispatch", "type_alias", "dim_order_alias"};

class KernelLibraryReader {
 public:
  KernelLibraryReader(const Source& source, const ops::Catalogue* catalogue,
                      Level without_catalogue, Diagnostics& out)
      : place_{source, out}, catalogue_(catalogue), without_catalogue_(without_catalogue) {
    library_.path = source.path;
  }

  KernelLibrary read(const json::Value& root) {
    if (root.kind == Kind::null) return std::move(library_);  // file is empty
    if (root.kind != Kind::array) {
      place_.out.error(place_.at(root), "a kernel library is a list of operators",
                       "each entry begins with \"- op: \" or \"- func: \"");
      return std::move(library_);
    }
    for (std::size_t i = 0; i < root.items.size(); ++i)
      read_entry(root.items[i], fmt::format("/{}", i));
    return std::move(library_);
  }

 private:
  void read_entry(const json::Value& entry, const std::string& pointer) {
    if (!entry.is_object())
      return place_.out.error(place_.at(entry, pointer),
                              "an entry must be a map with op or func, and kernels");
    check_keys(entry, pointer);
    const json::Value* const func = entry.find("func");
    const json::Value* const op = entry.find("op");
    if (func == nullptr && op == nullptr)
      return place_.out.error(place_.at(entry, pointer), "an entry must have op or func",
                              "\"op: add.out\", or \"func: \" and a schema");
    OperatorEntry read;
    read.is_custom = func != nullptr;
    read.where = place_.at(entry, pointer);
    const auto schema =
        func != nullptr ? read_func(*func, pointer + "/func") : read_op(*op, pointer + "/op");
    check_tags(entry, pointer);
    read.kernels = read_kernels(entry, pointer, schema ? &*schema : nullptr, place_);
    if (!schema) return;
    read.schema = *schema;
    check_variants(entry, pointer, read.schema);
    if (is_new(read)) library_.operators.push_back(std::move(read));
  }

  void check_keys(const json::Value& entry, const std::string& pointer) {
    const bool has_both = entry.find("func") != nullptr && entry.find("op") != nullptr;
    for (const json::Member& member : entry.members) {
      const bool is_second = has_both && member.key == "op";
      const bool is_known =
          is_one_of(member.key, own_keys) || is_one_of(member.key, other_entry_keys);
      if (is_known && !is_second) continue;
      std::vector<std::string> known(std::begin(own_keys), std::end(own_keys));
      known.insert(known.end(), std::begin(other_entry_keys), std::end(other_entry_keys));
      place_.out.error(
          place_.key(member, fmt::format("{}/{}", pointer, member.key)),
          fmt::format("leftover entries: {}", member.key),
          is_second ? "an entry has op or func, not both" : did_you_mean(member.key, known));
    }
  }

  bool report(const std::vector<ops::Flaw>& flaws, const json::Value& text,
              const std::string& pointer) {
    bool is_good = true;
    for (const ops::Flaw& flaw : flaws) {
      // Blanks that torchgen does not read cannot be part of a file that its tools are to take.
      const Level level = flaw.is_blank ? Level::error : flaw.level;
      place_.out.add({level, place_.inside(text, flaw.at, pointer), flaw.message, flaw.hint});
      is_good &= level != Level::error;
    }
    return is_good;
  }

  std::optional<ops::Schema> read_func(const json::Value& func, const std::string& pointer) {
    if (!func.is_string()) {
      place_.out.error(place_.at(func, pointer), "func must be the schema of an operator");
      return std::nullopt;
    }
    const ops::ParsedSchema parsed = ops::parse_schema(func.text);
    bool is_good = report(parsed.flaws, func, pointer);
    if (!parsed.schema) return std::nullopt;
    ops::Schema schema = *parsed.schema;
    is_good &= report(ops::check_schema(schema), func, pointer);
    is_good &= report(ops::check_for_kernel(schema, true), func, pointer);
    if (!is_good) return std::nullopt;
    if (schema.name.name_space.empty()) schema.name.name_space = "aten";
    return schema;
  }

  std::optional<ops::Schema> read_op(const json::Value& op, const std::string& pointer) {
    if (!op.is_string()) {
      place_.out.error(place_.at(op, pointer), "op must be the name of an operator");
      return std::nullopt;
    }
    if (catalogue_ == nullptr) {
      place_.out.add({without_catalogue_, place_.at(op, pointer),
                      fmt::format("the schema of {} is not known: there is no "
                                  "native_functions.yaml",
                                  op.text),
                      "it comes with torch: set KBENCH_TORCH to a virtual environment that has it "
                      "(kbench doctor --setup says how to make one), or write the schema under "
                      "func"});
      return std::nullopt;
    }
    const auto known = catalogue_->find(op.text);
    if (!known) {
      place_.out.error(place_.at(op, pointer), fmt::format("unknown operator {}", op.text),
                       hint_for(op.text));
      return std::nullopt;
    }
    ops::Schema schema = known->schema;
    schema.name.name_space = "aten";
    if (!report_of_known(ops::check_for_kernel(schema, false), op, pointer)) return std::nullopt;
    return schema;
  }

  // Flaws all stand at the operator's name: its schema stands elsewhere.
  bool report_of_known(const std::vector<ops::Flaw>& flaws, const json::Value& op,
                       const std::string& pointer) {
    for (const ops::Flaw& flaw : flaws)
      place_.out.error(place_.at(op, pointer), fmt::format("{}: {}", op.text, flaw.message),
                       flaw.hint);
    return flaws.empty();
  }

  std::string hint_for(std::string_view name) const {
    const ops::OperatorName asked = ops::operator_name(name);
    if (!asked.name_space.empty() && asked.name_space != "aten")
      return "op is for those of PyTorch (aten); a custom operator has its schema under func";
    const std::vector<std::string> overloads = catalogue_->overloads(asked.base);
    if (!overloads.empty()) return "its overloads are " + join(overloads, ", ");
    return did_you_mean(ops::text_without_namespace(asked), catalogue_->names());
  }

  void check_variants(const json::Value& entry, const std::string& pointer,
                      const ops::Schema& schema) {
    const json::Value* const variants = entry.find("variants");
    if (variants == nullptr || schema.out.empty()) return;
    if (variants->text.find("method") != std::string_view::npos)
      place_.out.error(place_.at(*variants, pointer + "/variants"),
                       "Native functions with out arguments MUST be declared with only function "
                       "variant; e.g., variants: function");
  }

  void check_tags(const json::Value& entry, const std::string& pointer) {
    const json::Value* const tags = entry.find("tags");
    if (tags == nullptr || catalogue_ == nullptr) return;
    const std::vector<std::string>& known = catalogue_->tags();
    const std::span<const json::Value> all =
        tags->kind == Kind::array ? tags->items : std::span(tags, 1);
    for (const json::Value& tag : all) {
      if (known.empty() || std::find(known.begin(), known.end(), tag.text) != known.end()) continue;
      place_.out.error(place_.at(tag, pointer + "/tags"),
                       fmt::format("illegal tag {}", python_text(tag)),
                       did_you_mean(tag.text, known));
    }
  }

  bool is_new(const OperatorEntry& entry) {
    const std::string name = ops::full_name(entry.schema.name);
    const auto [first, inserted] = places_.try_emplace(name, entry.where);
    if (!inserted)
      place_.out.error(entry.where,
                       fmt::format("Duplicate func found in yaml: {} already",
                                   ops::text_without_namespace(entry.schema.name)),
                       fmt::format("the other entry: {}", short_place(first->second)));
    return inserted;
  }

  YamlPlace place_;
  const ops::Catalogue* catalogue_;
  Level without_catalogue_;
  KernelLibrary library_;
  std::map<std::string, Where> places_;  // places of operators
};

}  // namespace

KernelLibrary read_kernel_library(const Source& source, const ops::Catalogue* catalogue,
                                  Diagnostics& diagnostics, Level without_catalogue) {
  json::Memory memory;
  // PyYAML takes the last of two keys in silence: here the kernels of the first would be lost.
  const json::Value root = parse_yaml(source, memory, diagnostics, Level::error);
  return KernelLibraryReader(source, catalogue, without_catalogue, diagnostics).read(root);
}

bool is_always_there(const Kernel& kernel) {
  return kernel.conditions.empty() && kernel.platform == "cpp" &&
         kernel.backend.refinement.empty() &&
         (kernel.backend.device == "cpu" || kernel.backend.is_any());
}

namespace {

void set_platform(Kernel& kernel, const std::string& name) {
  kernel.platform = name;
  kernel.backend = {std::string(find_platform(name)->backend), ""};
}

}  // namespace

KernelLibrary with_sidecar(KernelLibrary library, const Sidecar& sidecar) {
  library.sources = sidecar.sources;
  for (OperatorEntry& entry : library.operators) {
    for (Kernel& kernel : entry.kernels) {
      const KernelSettings said = settings_of(sidecar, kernel.name);
      if (said.platform) set_platform(kernel, *said.platform);
      kernel.backend = said.backend.value_or(kernel.backend);
      kernel.priority = said.priority.value_or(kernel.priority);
      kernel.conditions = said.conditions;
    }
  }
  return library;
}

void check_schemas(const std::vector<KernelLibrary>& libraries, Diagnostics& diagnostics) {
  std::map<std::string, const OperatorEntry*> known;
  for (const KernelLibrary& library : libraries) {
    for (const OperatorEntry& entry : library.operators) {
      const std::string name = ops::full_name(entry.schema.name);
      const OperatorEntry& first = *known.try_emplace(name, &entry).first->second;
      if (ops::text(first.schema) == ops::text(entry.schema)) continue;
      diagnostics.error(entry.where, fmt::format("{} has another schema in another library", name),
                        fmt::format("{}: {}", short_place(first.where), ops::text(first.schema)));
    }
  }
}

std::vector<std::string> operator_names(const std::vector<KernelLibrary>& libraries) {
  std::vector<std::string> names;
  for (const KernelLibrary& library : libraries) {
    for (const OperatorEntry& entry : library.operators)
      names.push_back(ops::full_name(entry.schema.name));
  }
  return names;
}

}  // namespace kbench
