// Signed lines that somebody has changed: none of them is signed. KBENCH_FULL=1 tries 20,000.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "schema/record_lines.hpp"

namespace kbench {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Random = std::mt19937_64;

std::string signed_line(const std::function<void(Trace&)>& change) {
  Trace trace = record();
  trace.workload.axes["n"] = 4;
  change(trace);
  trace.evaluation->kbench->digest = record_digest(trace);
  sign(trace, *test_key());
  return line_of(trace);
}

std::size_t below(std::size_t count, Random& random) { return random() % count; }

void add_objects(OrderedJson& value, std::vector<OrderedJson*>& out) {
  if (value.is_object() && !value.empty()) out.push_back(&value);
  if (value.is_structured())
    for (OrderedJson& one : value) add_objects(one, out);
}

// Member of one of the objects, which is an array of keys and values then.
struct Member {
  OrderedJson& object;
  OrderedJson members = OrderedJson::array();
  std::size_t at = 0;

  Member(OrderedJson& whole, Random& random) : object(some_object(whole, random)) {
    for (const auto& [key, value] : object.items()) members.push_back({key, value});
    at = below(members.size(), random);
  }
  static OrderedJson& some_object(OrderedJson& whole, Random& random) {
    std::vector<OrderedJson*> all;
    add_objects(whole, all);
    return *all[below(all.size(), random)];
  }
  void write() const {
    object = OrderedJson::object();
    for (const OrderedJson& one : members) object[one[0].get<std::string>()] = one[1];
  }
};

// Text in the place of a key, for one that stands there twice.
constexpr const char* again = "@@";

std::string with_member(std::string line, const std::string& other, std::size_t how,
                        Random& random) {
  OrderedJson whole = OrderedJson::parse(line), another = OrderedJson::parse(other);
  Member one(whole, random);
  const Member theirs(another, random);
  const std::string key = one.members[one.at][0];
  const OrderedJson values[] = {nullptr, 1, "x", true, theirs.members[theirs.at][1]};
  if (how == 0) one.members[one.at][1] = values[below(std::size(values), random)];
  if (how == 1) one.members[one.at][0] = key + "s";
  if (how == 2) one.members.erase(one.at);
  if (how == 3) std::reverse(one.members.begin(), one.members.end());
  if (how == 4) one.members.insert(one.members.begin(), OrderedJson{again, values[4]});
  if (how == 5) one.members.push_back(theirs.members[theirs.at]);
  one.write();
  std::string text = whole.dump();
  if (const auto at = text.find(again); at != text.npos) text.replace(at, 2, key);
  return text;
}

std::string with_bytes(std::string line, const std::string& other, std::size_t how,
                       Random& random) {
  const std::size_t at = below(std::min(line.size(), other.size()), random);
  if (how == 0) line[at] = static_cast<char>(line[at] ^ (1 << below(7, random)));
  if (how == 1) line.erase(at, 1);
  if (how == 2) line.insert(at, 1, " \t\r"[below(3, random)]);
  if (how == 3 && std::isalnum(static_cast<unsigned char>(line[at])) != 0)
    line.replace(at, 1, fmt::format("\\u{:04x}", line[at]));
  if (how == 4) line = line.substr(0, at) + other.substr(at);
  if (how == 5) {  // puts the evaluation of one beside that of another
    OrderedJson whole = OrderedJson::parse(line);
    whole["emulation"] = OrderedJson::parse(other)["evaluation"];
    line = whole.dump();
  }
  return line;
}

// Returns the signer, "" for a line that is no record.
std::string signer_of_line(const std::string& line) {
  Diagnostics problems;
  auto trace = read_trace_line({"t.jsonl", line}, 1, {}, problems);
  if (trace && trace->emulation) trace->evaluation = *trace->emulation;
  return trace && problems.errors() == 0 ? signer_of(*trace) : "";
}

TEST(RecordMutations, AChangedLineIsSignedByNobody) {
  const std::vector<std::string> lines = {
      signed_line([](Trace&) {}), signed_line([](Trace& trace) { trace.solution = "evil"; }),
      signed_line([](Trace& trace) { trace.evaluation->kbench->emulation.emplace(); })};
  const std::size_t wanted = std::getenv("KBENCH_FULL") != nullptr ? 20'000 : 600;
  Random random(7);
  for (std::size_t i = 0, tried = 0; tried < wanted; ++i) {
    const std::string& line = lines[below(lines.size(), random)];
    const std::string& other = lines[below(lines.size(), random)];
    const std::string mutant =
        (i % 2 == 0 ? &with_member : &with_bytes)(line, other, i / 2 % 6, random);
    if (std::find(lines.begin(), lines.end(), mutant) != lines.end()) continue;
    ++tried;
    EXPECT_EQ(signer_of_line(mutant), "") << mutant << "\n from " << line;
  }
  for (const std::string& line : lines)
    EXPECT_EQ(signer_of_line(line), test_key()->public_key()) << line;
}

}  // namespace
}  // namespace kbench
