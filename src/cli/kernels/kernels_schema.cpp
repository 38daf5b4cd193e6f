// kbench kernels schema: an operator's schema in its canonical form, and its prototype in C++.

#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/kernels/kernels.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "kernels/contract/kernel_set.hpp"
#include "kernels/operators/catalogue.hpp"
#include "kernels/operators/parse.hpp"
#include "kernels/operators/rules.hpp"
#include "kernels/operators/schema.hpp"
#include "schema/scan.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct KernelsSchemaOptions {
  std::vector<std::string> words;
  bool out_variant = false;
  std::string format = "text";
};

// A word of the command line, or a line of stdin.
struct Asked {
  Source source;
  int line = 1;
};

struct Printed {
  std::string schema;
  std::string prototype;  // "" where no kernel can be called by it
};

void report(const std::vector<ops::Flaw>& flaws, const Source& source, Diagnostics& out) {
  for (const ops::Flaw& flaw : flaws)
    out.add({flaw.level, locate(source, flaw.at), flaw.message, flaw.hint});
}

// Finds the schema of a name in PyTorch, else in the current trace set.
std::optional<ops::Schema> find_named(const std::string& name) {
  const ops::Catalogue* const catalogue = ops::installed_catalogue();
  if (const auto known = catalogue == nullptr ? std::nullopt : catalogue->find(name))
    return known->schema;
  if (!find_root("")) return std::nullopt;
  Diagnostics ignored;  // problems of libraries that nobody asked for
  return find_schema(load_kernels({}, ignored), name);
}

// A schema, or the name of one.
std::optional<ops::Schema> read_schema(const Source& source, Diagnostics& out) {
  const std::string& word = source.text;
  if (word.find('(') != std::string::npos) {
    ops::ParsedSchema parsed = ops::parse_schema(word);
    report(parsed.flaws, source, out);
    if (parsed.schema) report(ops::check_schema(*parsed.schema), source, out);
    return parsed.schema;
  }
  if (auto known = find_named(word)) return known;
  if (ops::installed_catalogue() == nullptr) {
    out.error(locate(source, 0), "PyTorch's operators are not known: there is no package torch",
              "install torch, or write the schema itself");
  } else {
    out.error(locate(source, 0), "PyTorch has no operator " + word,
              operator_hint(word, KernelSet{}));
  }
  return std::nullopt;
}

std::optional<ops::Schema> out_variant_of(const ops::Schema& schema, const Source& source,
                                          Diagnostics& out) {
  const auto variant = ops::out_variant(schema);
  if (!variant)
    out.error(locate(source, 0), schema.out.empty()
                                     ? "it has no variant that writes to out arguments"
                                     : "it writes to out arguments itself");
  // An argument may be called as the new one is.
  if (variant) report(ops::check_schema(*variant), {source.path, ops::text(*variant)}, out);
  return variant;
}

std::optional<Printed> printed(const Asked& asked, const KernelsSchemaOptions& options,
                               Diagnostics& out) {
  Diagnostics own;
  const Source& source = asked.source;
  auto schema = read_schema(source, own);
  if (schema && options.out_variant) schema = out_variant_of(*schema, source, own);
  const bool is_good = own.errors() == 0;
  std::vector<ops::Flaw> unkernelled;
  if (schema && is_good) {
    const bool is_custom = source.text.find('(') != std::string::npos && !options.out_variant;
    unkernelled = ops::check_for_kernel(*schema, is_custom);
    if (is_custom) report(unkernelled, source, own);
  }
  append_at_line(out, own, asked.line);
  if (!schema || !is_good) return std::nullopt;
  return Printed{ops::text(*schema),
                 unkernelled.empty() ? ops::prototype(*schema, ops::function_name(*schema)) : ""};
}

// Reads the schemas from the words, or from each line of stdin for "-".
std::vector<Asked> schemas_of(const std::vector<std::string>& words) {
  std::vector<Asked> all;
  for (const std::string& word : words) {
    if (word != "-") {
      all.push_back({{"<schema>", word}});
      continue;
    }
    int number = 0;
    const std::string text = read_file("/dev/stdin");
    for (const std::string_view line : split(text, '\n')) {
      ++number;
      if (!trim(line).empty()) all.push_back({{"<stdin>", std::string(trim(line))}, number});
    }
  }
  return all;
}

void print_text(const std::vector<Printed>& all) {
  for (const auto& [schema, prototype] : all)
    print(schema + "\n" + (prototype.empty() ? "" : prototype + "\n"));
}

// Prints a list; a single word gives only the object itself.
void print_json(const std::vector<Printed>& all, const KernelsSchemaOptions& options) {
  Json list = Json::array();
  for (const auto& [schema, prototype] : all)
    list.push_back(
        {{"schema", schema}, {"prototype", prototype.empty() ? Json() : Json(prototype)}});
  const bool is_one = options.words.size() == 1 && options.words[0] != "-" && list.size() == 1;
  print((is_one ? list[0] : list).dump(2) + "\n");
}

int print_schemas(const KernelsSchemaOptions& options) {
  Diagnostics problems;
  std::vector<Printed> all;
  for (const Asked& asked : schemas_of(options.words)) {
    if (auto one = printed(asked, options, problems)) all.push_back(std::move(*one));
  }
  if (options.format == "text") print_text(all);
  if (options.format == "json" && (!all.empty() || problems.errors() == 0))
    print_json(all, options);
  return exit_after(problems, exit_good);
}

}  // namespace

std::function<int()> declare_kernels_schema(CommandLine line) {
  auto options = std::make_shared<KernelsSchemaOptions>();
  line.add_option("schema SCHEMA|NAME...", options->words,
                  "Schemas, names of PyTorch's operators, - for one a line of stdin")
      .required();
  line.add_flag("--out-variant", options->out_variant,
                "Of the variant that writes its results to out arguments");
  line.add_option("--format FORMAT", options->format, "text or json").one_of({"text", "json"});
  return [options] { return print_schemas(*options); };
}

}  // namespace kbench
