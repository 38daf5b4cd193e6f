// kbench show: one record as kbench reads it, with every default filled in.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "judge/output_check.hpp"
#include "schema/definition.hpp"
#include "schema/kinds.hpp"
#include "schema/scan.hpp"
#include "schema/solution.hpp"
#include "schema/targets.hpp"
#include "validate/validate.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct ShowOptions {
  std::string word;
  std::string root;
  std::string kind;
  std::string format = "json";
};

struct Record {
  std::string kind;
  std::string json;  // written in full
  std::optional<std::string> hash;
  std::vector<ExpectedStandard> judged_by;  // standards of a definition's outputs
};

std::string kind_of(const Source& source, const ShowOptions& options) {
  if (!options.kind.empty()) return options.kind;
  json::Memory memory;
  Diagnostics ignored;
  const json::Value value = json::parse(source, 0, source.text.size(), memory, ignored);
  return std::string(guess_kind(value, source.path));
}

std::optional<Record> read_source(const Source& source, const ShowOptions& options,
                                  Diagnostics& problems) {
  const std::string kind = kind_of(source, options);
  if (kind.empty()) {
    problems.error(locate(source, 0), "cannot tell what kind of record this is", "say --kind K");
    return std::nullopt;
  }
  const ReadOptions read{false, fs::path(source.path).parent_path()};
  Record record{kind, find_kind(kind)->check(source, read, problems), std::nullopt, {}};
  if (record.json.empty()) return std::nullopt;
  if (kind == "solution") {
    Diagnostics said;
    const auto solution = read_text<Solution>(source, read, said);
    if (solution) record.hash = solution_hash(*solution);
  }
  if (kind == "definition") {
    Diagnostics said;
    const auto definition = read_text<Definition>(source, read, said);
    if (definition) record.judged_by = expected_standards(*definition);
  }
  return record;
}

void print_json(const Record& record) {
  const Json hash = record.hash ? Json(*record.hash) : Json();
  Json all{{"kind", record.kind}, {"record", Json::parse(record.json)}, {"hash", hash}};
  for (const auto& [output, standard, why] : record.judged_by)
    all["judged_by"][output] = {{"standard", standard}, {"why", why}};
  print(all.dump(2) + "\n");
}

// "name: value" a line; long texts as they are, below their name.
void print_text(const Record& record) {
  std::string text = fmt::format("kind: {}\n", record.kind);
  if (record.hash) text += fmt::format("hash: {}\n", *record.hash);
  const Json fields = Json::parse(record.json);
  for (const auto& [name, value] : fields.items()) {
    const bool block =
        value.is_string() && value.get_ref<const std::string&>().find('\n') != std::string::npos;
    text += block ? fmt::format("{}:\n{}\n", name, value.get<std::string>())
                  : fmt::format("{}: {}\n", name,
                                value.is_string() ? value.get<std::string>() : value.dump());
  }
  if (!record.judged_by.empty()) text += "judged by the rule kbench:\n";
  for (const auto& [output, standard, why] : record.judged_by)
    text += fmt::format("  {}: {} ({})\n", output, standard, why);
  print(printable_lines(text));
}

// A record's text, and the line of the file that it begins at.
struct Text {
  Source source;
  int line = 1;
};

// One record a file, one record a line in a .jsonl file.
std::vector<Text> texts_of(const fs::path& path) {
  const std::string shown = path == "-" ? "<stdin>" : path.string();
  Source whole{shown, read_file(path == "-" ? "/dev/stdin" : path)};
  if (path.extension() != ".jsonl") return {{std::move(whole), 1}};
  std::vector<Text> lines;
  int number = 0;
  for (const std::string_view line : split(whole.text, '\n')) {
    ++number;
    if (!trim(line).empty()) lines.push_back({{shown, std::string(line)}, number});
  }
  return lines;
}

int complain(const FoundFiles& found) {
  say_error("kbench show", found.message, found.hint);
  return exit_input;
}

int show_record(const ShowOptions& options) {
  FoundFiles found{{options.word}, "", ""};
  std::error_code error;
  if (options.word != "-" && !fs::is_regular_file(options.word, error)) {
    found = is_path(options.word)
                ? FoundFiles{{}, fmt::format("{}: no such file", options.word), ""}
                : find_records(options.word, options.root);
  }
  if (found.files.empty()) return complain(found);
  Diagnostics problems;
  for (const fs::path& file : found.files) {
    for (const Text& text : texts_of(file)) {
      Diagnostics found;
      const auto record = read_source(text.source, options, found);
      append_at_line(problems, found, text.line);
      if (record) options.format == "json" ? print_json(*record) : print_text(*record);
    }
  }
  return exit_after(problems, exit_good);
}

}  // namespace

std::function<int()> declare_show(CommandLine line) {
  auto options = std::make_shared<ShowOptions>();
  line.add_option("what FILE|NAME", options->word,
                  "A file, the name of a definition or solution, or - for stdin")
      .required();
  line.add_option("--root DIR", options->root, "Trace set in which names are looked up");
  line.add_option("--kind KIND", options->kind, "Kind of record, when it cannot be guessed")
      .one_of(kind_names());
  line.add_option("--format FORMAT", options->format, "json or text").one_of({"json", "text"});
  return [options] { return show_record(*options); };
}

}  // namespace kbench
