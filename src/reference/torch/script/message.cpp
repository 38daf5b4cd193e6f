#include <algorithm>

#include "base/text.hpp"
#include "reference/torch/script/program.hpp"

namespace kbench {
namespace {

constexpr std::string_view place = "  File \"reference\", line ";
constexpr std::size_t longest_message = 600;

int number_at(std::string_view text, std::size_t at) {
  int value = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9')
    value = 10 * value + (text[at++] - '0');
  return value;
}

std::string shortened(std::string_view text) {
  std::string out(trim(text));
  if (out.size() > longest_message) out = out.substr(0, longest_message) + "…";
  return out;
}

// Returns the line that LibTorch underlines with tildes.
std::string_view underlined(std::string_view what) {
  std::string_view before;
  for (const std::string_view line : split(what, '\n')) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin != line.npos && line[begin] == '~') return before;
    before = line;
  }
  return "";
}

// "Arguments for call are not valid" says nothing; the reasons below it do.
std::string first_sentence(std::string_view head) {
  std::string out;
  for (const std::string_view raw : split(head, '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty()) continue;
    if (out.empty()) out = line;
    if (line.rfind("Expected a value of type", 0) == 0 || line.rfind("Unknown keyword", 0) == 0) {
      out = line;
      break;
    }
  }
  while (!out.empty() && (out.back() == ':' || out.back() == '.')) out.pop_back();
  return out;
}

// Returns the last exception, without the lines around its place and without C++'s own backtrace.
std::string_view raised(std::string_view what) {
  const std::size_t here = what.rfind("<--- HERE\n");
  std::string_view tail = here == std::string_view::npos ? what : what.substr(here + 10);
  while (here != std::string_view::npos && !tail.empty() && (tail[0] == ' ' || tail[0] == '\n'))
    tail = tail.substr(std::min(tail.find('\n'), tail.size() - 1) + 1);
  return tail.substr(0, tail.find("\nException raised from "));
}

bool means_no_memory(std::string_view what) {
  for (const std::string_view sign : {"can't allocate memory", "bad_alloc", "not enough memory",
                                      "Cannot allocate memory", "std::length_error"}) {
    if (what.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::string CompileError::message() const {
  if (detail.starts_with("undefined value ")) return "'" + detail.substr(16) + "' is not defined";
  if (detail.find("() takes ") != std::string::npos) return detail;
  std::string out = construct.empty() ? "this reference" : construct;
  out += " is not supported by LibTorch's compiler";
  return detail.empty() ? out : out + ": " + detail;
}

CompileError compile_error(std::string_view what) {
  CompileError error;
  const std::size_t at = what.find(place);
  const std::size_t file = what.find("  File \"");
  error.detail = shortened(first_sentence(what.substr(0, file)));
  if (at == std::string_view::npos) return error;
  error.line = number_at(what, at + place.size());
  error.construct = shortened(underlined(what.substr(at)));
  return error;
}

ReferenceReply run_error(std::string_view what) {
  ReferenceReply reply;
  const std::size_t at = what.rfind(place);
  if (at != std::string_view::npos) reply.line = number_at(what, at + place.size());
  if (means_no_memory(what)) {
    reply.outcome = ReferenceOutcome::out_of_memory;
    reply.message = "the reference needs more memory than its limit";
    return reply;
  }
  reply.outcome = ReferenceOutcome::failed;
  reply.message = shortened(raised(what));
  return reply;
}

}  // namespace kbench
