// kbench kernels schema: an operator's schema in its canonical form, and its prototype in C++.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/kernel_set.hpp"
#include "cli/kernels.hpp"
#include "cli/terminal.hpp"
#include "operators/catalogue.hpp"
#include "operators/parse.hpp"
#include "operators/prototype.hpp"
#include "operators/rules.hpp"
#include "operators/variants.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> words;
  bool out_variant = false;
  std::string format = "text";
};

struct Printed {
  std::string schema;
  std::string prototype;  // "" where no kernel can be called by it
};

void report(const std::vector<ops::Flaw>& flaws, const Source& source, Diagnostics& out) {
  for (const ops::Flaw& flaw : flaws)
    out.add({flaw.level, locate(source, flaw.at), flaw.message, flaw.hint});
}

// A schema, or the name of one that PyTorch has.
std::optional<ops::Schema> read_schema(const std::string& word, Diagnostics& out) {
  const Source source{"<schema>", word};
  if (word.find('(') != std::string::npos) {
    ops::ParsedSchema parsed = ops::parse_schema(word);
    report(parsed.flaws, source, out);
    if (parsed.schema) report(ops::check_schema(*parsed.schema), source, out);
    return parsed.schema;
  }
  const ops::Catalogue* const catalogue = ops::installed_catalogue();
  const auto known = catalogue == nullptr ? std::nullopt : catalogue->find(word);
  if (known) return known->schema;
  if (catalogue == nullptr) {
    out.error(locate(source, 0), "PyTorch's operators are not known: there is no package torch",
              "install torch, or write the schema itself");
  } else {
    const auto overloads = catalogue->overloads(word);
    out.error(locate(source, 0), "PyTorch has no operator " + word,
              overloads.empty() ? did_you_mean(word, catalogue->names())
                                : "its overloads are " + join(overloads, ", "));
  }
  return std::nullopt;
}

std::optional<Printed> printed(const std::string& word, const Options& options, Diagnostics& out) {
  Diagnostics own;
  auto schema = read_schema(word, own);
  const Source source{"<schema>", word};
  if (schema && options.out_variant) {
    const auto variant = ops::out_variant(*schema);
    if (!variant) own.error(locate(source, 0), "it has no variant that writes to out arguments");
    schema = variant;
  }
  const bool is_good = own.errors() == 0;
  std::vector<ops::Flaw> unkernelled;
  if (schema && is_good) {
    const bool is_custom = word.find('(') != std::string::npos && !options.out_variant;
    unkernelled = ops::check_for_kernel(*schema, is_custom);
    if (is_custom) report(unkernelled, source, own);
  }
  out.append(std::move(own));
  if (!schema || !is_good) return std::nullopt;
  return Printed{ops::text(*schema),
                 unkernelled.empty() ? ops::prototype(*schema, ops::function_name(*schema)) : ""};
}

// Of the words, or each line of stdin for "-".
std::vector<std::string> schemas_of(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  for (const std::string& word : words) {
    if (word != "-") {
      all.push_back(word);
      continue;
    }
    const std::string text = read_file("/dev/stdin");
    for (const std::string_view line : split(text, '\n')) {
      if (!trim(line).empty()) all.emplace_back(trim(line));
    }
  }
  return all;
}

void print_text(const std::vector<Printed>& all) {
  for (const auto& [schema, prototype] : all)
    print(schema + "\n" + (prototype.empty() ? "" : prototype + "\n"));
}

// Of one word the object alone.
void print_json(const std::vector<Printed>& all, const Options& options) {
  Json list = Json::array();
  for (const auto& [schema, prototype] : all)
    list.push_back(
        {{"schema", schema}, {"prototype", prototype.empty() ? Json() : Json(prototype)}});
  const bool is_one = options.words.size() == 1 && options.words[0] != "-" && list.size() == 1;
  print((is_one ? list[0] : list).dump(2) + "\n");
}

int print_schemas(const Options& options) {
  Diagnostics problems;
  std::vector<Printed> all;
  for (const std::string& word : schemas_of(options.words)) {
    if (auto one = printed(word, options, problems)) all.push_back(std::move(*one));
  }
  if (options.format == "text") print_text(all);
  if (options.format == "json" && (!all.empty() || problems.errors() == 0))
    print_json(all, options);
  return exit_after(problems, exit_good);
}

}  // namespace

std::function<int()> declare_kernels_schema(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("schema", options->words,
                 "Schemas, names of PyTorch's operators, - for one a line of stdin")
      ->required()
      ->option_text("SCHEMA|NAME...");
  app.add_flag("--out-variant", options->out_variant,
               "Of the variant that writes its results to out arguments");
  app.add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->option_text("FORMAT");
  return [options] { return print_schemas(*options); };
}

}  // namespace kbench
