// Many texts beside CPython: real references and constraints, one snippet per grammar rule, and
// mutations of all of them. KBENCH_MUTATIONS sets how many (default 6000). A text that CPython
// takes is taken, with the same functions and parameters; an expression that it refuses is refused,
// but for the insides of f-strings; of modules that it refuses, most are.
//
// Exceptions, none of which the texts here reach: the names in \N{…} are not looked up (the table
// of names is not in kbench), identifiers are not normalised to NFKC, and CPython's own recursion
// ends at other depths than max_depth.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "syntax/python.hpp"

namespace kbench::python {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Item {
  std::string mode;  // "exec" or "eval"
  std::string text;
  bool operator<(const Item& other) const {
    return std::tie(mode, text) < std::tie(other.mode, other.text);
  }
};

const fs::path here = fs::path(KBENCH_SOURCE_DIR) / "tests/syntax";
constexpr const char* interpreter = "/usr/bin/python3";

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

// Adds each whole snippet, each of its lines alone, with and without the last line break.
void add_snippets(std::set<Item>& items) {
  std::string all = read(here / "snippets.txt"), separator = "%%\n";
  for (std::size_t at = 0; at < all.size();) {
    std::size_t end = std::min(all.find(separator, at), all.size());
    std::string text = all.substr(at, end - at);
    items.insert({"exec", text});
    items.insert({"exec", text.substr(0, text.size() - 1)});
    std::stringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      items.insert({"exec", line + "\n"});
      items.insert({"eval", line});
    }
    at = end + separator.size();
  }
}

void add_strings(const json& value, std::set<Item>& items) {
  if (value.is_object() && value.contains("reference") && value["reference"].is_string()) {
    items.insert({"exec", value["reference"]});
  }
  if (value.is_object() && value.contains("constraints") && value["constraints"].is_array()) {
    for (const json& text : value["constraints"]) {
      if (text.is_string()) items.insert({"eval", text});
    }
  }
  if (value.is_structured()) {
    for (const json& part : value) add_strings(part, items);
  }
}

void add_outside(std::set<Item>& items) {
  const char* set = std::getenv("KBENCH_OUTSIDE");
  fs::path root = set ? fs::path(set) : fs::path(KBENCH_SOURCE_DIR) / "../shared/outside";
  if (!fs::exists(root)) return;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    std::string extension = entry.path().extension();
    if (extension == ".json") add_strings(json::parse(read(entry.path()), nullptr, false), items);
    if (extension != ".jsonl") continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      add_strings(json::parse(line, nullptr, false), items);
    }
  }
}

// Cuts a text where a mutation may: into tokens and the space between them, or characters.
std::vector<std::string> pieces(const std::string& text, bool by_token) {
  std::vector<std::string> out;
  auto tokens = tokenize(text);
  if (by_token && tokens.index() == 0) {
    std::size_t at = 0;
    for (const Token& token : std::get<0>(tokens)) {
      if (token.begin > at) out.push_back(text.substr(at, token.begin - at));
      if (token.end > token.begin) out.push_back(text.substr(token.begin, token.end - token.begin));
      at = std::max(at, token.end);
    }
    return out;
  }
  for (char c : text) {
    bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80 && !out.empty();
    if (continues) {
      out.back() += c;
    } else {
      out.emplace_back(1, c);
    }
  }
  return out;
}

class Mutator {
 public:
  explicit Mutator(const std::set<Item>& items) : items_(items.begin(), items.end()) {
    for (const Item& item : items_) {
      if (item.text.size() > 400) continue;
      for (std::string& piece : pieces(item.text, true)) pool_.push_back(std::move(piece));
    }
    std::size_t rare = pool_.size() / 200;
    for (const char* piece :
         {"\t", "\r", "\f", "\r\n", "\\\n", "\\", "'", "\"\"\"", "{", "\u00a0", "\u00e9"}) {
      pool_.insert(pool_.end(), rare, piece);
    }
  }

  Item next() {
    Item item = items_[below(items_.size())];
    // Long references are rare: most of their mutations say the same.
    for (int i = 0; i < 4 && item.text.size() > 400; ++i) item = items_[below(items_.size())];
    std::vector<std::string> parts = pieces(item.text, below(10) < 7);
    for (std::size_t n = below(3); n <= 2 && !parts.empty(); ++n) change(parts);
    item.text.clear();
    for (const std::string& part : parts) item.text += part;
    return item;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }

  void change(std::vector<std::string>& parts) {
    std::size_t i = below(parts.size());
    auto at = parts.begin() + static_cast<std::ptrdiff_t>(i);
    switch (below(6)) {
      case 0:
        parts.erase(at);
        break;
      case 1:
        parts.insert(at, std::string(*at));
        break;
      case 2:
        std::swap(*at, parts[below(parts.size())]);
        break;
      case 3:
        parts.resize(i);
        break;
      case 4:
        parts.insert(at, pool_[below(pool_.size())]);
        break;
      default:
        *at = pool_[below(pool_.size())];
    }
  }

  std::vector<Item> items_;
  std::vector<std::string> pool_;
  std::mt19937 random_{20240611};  // the same texts in every run
};

json python_verdicts(const std::vector<Item>& items) {
  json request = json::array();
  for (const Item& item : items) request.push_back({{"mode", item.mode}, {"text", item.text}});
  fs::path base = fs::temp_directory_path() / ("kbench_ast_" + std::to_string(getpid()));
  fs::path in = base.string() + "_in.json", out = base.string() + "_out.json";
  std::ofstream(in) << request.dump();
  std::string command = std::string(interpreter) + " '" + (here / "ast_oracle.py").string() +
                        "' '" + in.string() + "' '" + out.string() + "'";
  int status = std::system(command.c_str());
  json verdicts = status == 0 ? json::parse(read(out)) : json();
  fs::remove(in);
  fs::remove(out);
  return verdicts;
}

json own_verdict(const Item& item) {
  if (item.mode == "eval") {
    auto result = parse_expression(item.text);
    if (auto* error = std::get_if<SyntaxError>(&result)) return {{"error", error->message}};
    return {{"functions", json::array()}};
  }
  auto result = parse_module(item.text);
  if (auto* error = std::get_if<SyntaxError>(&result)) return {{"error", error->message}};
  json functions = json::array();
  for (const Function& function : std::get<Module>(result).functions) {
    json names = json::array();
    for (const Parameter& parameter : function.parameters) names.push_back(parameter.name);
    functions.push_back({function.name, names});
  }
  return {{"functions", functions}};
}

// Tells texts that only the program which runs them has to refuse.
bool may_pass(const Item& item, const json& expected) {
  const bool has_f_string =
      item.text.find("f'") != item.text.npos || item.text.find("f\"") != item.text.npos;
  return expected.contains("error") && (item.mode == "exec" || has_f_string);
}

void compare(const std::vector<Item>& items) {
  json expected = python_verdicts(items);
  ASSERT_EQ(expected.size(), items.size());
  std::size_t accepted = 0, refused = 0, let_through = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    json own = own_verdict(items[i]);
    accepted += own.contains("functions");
    refused += expected[i].contains("error");
    if (own.contains("functions") && may_pass(items[i], expected[i])) {
      ++let_through;
      continue;
    }
    bool same = own.contains("error") == expected[i].contains("error") &&
                own.value("functions", json()) == expected[i].value("functions", json());
    EXPECT_TRUE(same) << items[i].mode << ": " << json(items[i].text).dump() << "\n  CPython "
                      << expected[i].dump() << "\n  kbench  " << own.dump();
  }
  // A comparison of errors alone would say little.
  EXPECT_GT(accepted * 20, items.size());
  EXPECT_LT(let_through * 4, refused) << let_through << " of " << refused;
}

class Differential : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system((std::string(interpreter) +
                     " -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'")
                        .c_str()) != 0) {
      GTEST_SKIP() << "needs CPython 3.11 as " << interpreter;
    }
    add_snippets(items_);
    add_outside(items_);
  }
  std::set<Item> items_;
};

TEST_F(Differential, SnippetsAndReferencesAreJudgedAsByCPython) {
  ASSERT_GT(items_.size(), 700u);
  compare({items_.begin(), items_.end()});
}

TEST_F(Differential, MutationsAreJudgedAsByCPython) {
  const char* set = std::getenv("KBENCH_MUTATIONS");
  std::size_t count = set ? std::strtoul(set, nullptr, 10) : 6000;
  Mutator mutator(items_);
  std::vector<Item> mutations;
  while (mutations.size() < count) mutations.push_back(mutator.next());
  compare(mutations);
}

}  // namespace
}  // namespace kbench::python
