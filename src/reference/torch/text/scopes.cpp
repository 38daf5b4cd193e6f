#include "reference/torch/text/scopes.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace kbench {
namespace {

bool is_inside(const Scope& inner, std::size_t token) {
  return token >= inner.first && token < inner.last;
}

}  // namespace

int scope_at(const std::vector<Scope>& scopes, std::size_t token) {
  int found = -1;
  for (std::size_t i = 0; i < scopes.size(); ++i)
    if (is_inside(scopes[i], token)) found = static_cast<int>(i);
  return found;
}

namespace {

using NameSet = std::set<std::string, std::less<>>;

// One parameter: tokens [first, last) between two commas.
void add_parameter(const Draft& draft, std::size_t first, std::size_t last, Scope& scope,
                   bool& keyword_only) {
  if (first == last || draft.word(first) == "/") return;
  if (draft.word(first) == "*" || draft.word(first) == "**") {
    keyword_only = true;
    if (first + 1 < last) {
      scope.parameters.push_back({std::string(draft.word(first + 1)), "", true, true});
    }
    return;
  }
  ParameterText parameter{std::string(draft.word(first)), "", keyword_only, false};
  for (std::size_t i = first + 1; i < last; ++i) {
    const std::string_view w = draft.word(i);
    i = draft.past(i);
    if (w == "=") {
      parameter.default_value = draft.render(i + 1, last);
      break;
    }
  }
  scope.parameters.push_back(std::move(parameter));
}

void read_parameters(const Draft& draft, std::size_t first, std::size_t last, Scope& scope) {
  bool keyword_only = false;
  std::size_t begin = first;
  for (std::size_t i = first; i < last; ++i) {
    const std::string_view w = draft.word(i);
    i = draft.past(i);
    if (w == ",") {
      add_parameter(draft, begin, i, scope, keyword_only);
      begin = i + 1;
    }
  }
  add_parameter(draft, begin, last, scope, keyword_only);
}

Scope read_def(const Draft& draft, const DraftLine& line, std::size_t next_line_at_level) {
  Scope scope;
  scope.first = line.first;
  scope.name = draft.word(line.first + 1);
  const std::size_t close = draft.closing(line.first + 2);
  read_parameters(draft, line.first + 3, close, scope);
  std::size_t colon = close + 1;
  while (colon < line.last && draft.word(colon) != ":") {
    colon = draft.word(colon) == "[" ? draft.closing(colon) + 1 : colon + 1;
  }
  scope.body = colon + 1;
  scope.last = next_line_at_level;
  return scope;
}

Scope read_lambda(const Draft& draft, const DraftLine& line) {
  Scope scope;
  scope.is_lambda = true;
  scope.first = line.first;
  scope.last = line.last;
  scope.name = draft.word(line.first);
  std::size_t colon = line.first + 3;
  while (colon < line.last && draft.word(colon) != ":") ++colon;
  read_parameters(draft, line.first + 3, colon, scope);
  scope.body = colon + 1;
  return scope;
}

// x in f(x=1) is the name of a parameter, x in a.x that of an attribute.
bool is_use(const Draft& draft, std::size_t i, std::size_t first) {
  if (!draft.is_name(i)) return false;
  if (i > first && draft.word(i - 1) == ".") return false;
  const bool after_bracket = i > first && (draft.word(i - 1) == "(" || draft.word(i - 1) == ",");
  return !(after_bracket && draft.word(i + 1) == "=" && !draft.starts_line(i));
}

NameSet used_names(const Draft& draft, const Scope& scope) {
  NameSet names;
  for (std::size_t i = scope.body; i < scope.last; ++i) {
    if (is_use(draft, i, scope.body)) names.insert(std::string(draft.word(i)));
  }
  return names;
}

// =, += and their like.
bool ends_as_assignment(const Draft& draft, std::size_t i) {
  constexpr std::string_view comparisons[] = {"==", "!=", "<=", ">="};
  const std::string_view w = draft.word(i);
  if (draft.kind(i) != python::TokenKind::op || w.back() != '=') return false;
  return std::find(std::begin(comparisons), std::end(comparisons), w) == std::end(comparisons);
}

// Names in tokens [first, last), attributes not among them.
void add_names(const Draft& draft, std::size_t first, std::size_t last, NameSet& names) {
  for (std::size_t i = first; i < last; ++i) {
    const bool is_attribute = i > first && draft.word(i - 1) == ".";
    if (draft.is_name(i) && !is_attribute) names.insert(std::string(draft.word(i)));
  }
}

void add_assigned(const Draft& draft, const DraftLine& line, NameSet& names) {
  std::size_t targets_end = line.first;  // the last '=' outside brackets
  for (std::size_t i = line.first; i < line.last; i = draft.past(i) + 1) {
    if (ends_as_assignment(draft, i)) targets_end = i;
  }
  add_names(draft, line.first, targets_end, names);
}

void add_loop_variables(const Draft& draft, const DraftLine& line, NameSet& names) {
  for (std::size_t i = line.first; i < line.last; ++i) {
    if (draft.word(i) != "for") continue;
    std::size_t in = i + 1;
    while (in < line.last && draft.word(in) != "in") ++in;
    add_names(draft, i + 1, in, names);
  }
}

// Names that a function binds itself: parameters, assignments, loop variables.
NameSet bound_names(const Draft& draft, const std::vector<Scope>& scopes, std::size_t index) {
  const Scope& scope = scopes[index];
  NameSet names;
  for (const ParameterText& parameter : scope.parameters) names.insert(parameter.name);
  if (scope.is_lambda) return names;
  for (const DraftLine& line : draft.lines()) {
    const bool is_ours = line.first >= scope.body && line.last <= scope.last &&
                         scope_at(scopes, line.first) == static_cast<int>(index);
    if (!is_ours) continue;
    add_assigned(draft, line, names);
    add_loop_variables(draft, line, names);
  }
  return names;
}

// The renamed function that a name means at a token; -1 for none.
int renamed_function(const std::vector<Scope>& scopes, std::string_view name, int from) {
  for (int around = from;; around = scopes[around].parent) {
    for (std::size_t i = 0; i < scopes.size(); ++i) {
      const bool is_renamed = scopes[i].unique != scopes[i].name;
      if (is_renamed && scopes[i].parent == around && scopes[i].name == name) {
        return static_cast<int>(i);
      }
    }
    if (around < 0) return -1;
  }
}

// LibTorch's compiler takes these names for its own before it asks for ours.
bool is_builtin(std::string_view name) {
  constexpr std::string_view names[] = {
      "abs",    "all",  "any", "bin",   "bool",       "chr",   "divmod", "enumerate",
      "float",  "hash", "hex", "int",   "isinstance", "len",   "list",   "max",
      "min",    "oct",  "ord", "pow",   "print",      "range", "round",  "slice",
      "sorted", "str",  "sum", "tuple", "zip"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

void add_free(Scope& scope, const std::string& name) {
  if (std::find(scope.free.begin(), scope.free.end(), name) == scope.free.end()) {
    scope.free.push_back(name);
  }
}

void find_free_names(const Draft& draft, std::vector<Scope>& scopes) {
  std::vector<NameSet> bound, used;
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    bound.push_back(bound_names(draft, scopes, i));
    used.push_back(used_names(draft, scopes[i]));
    for (const Scope& inner : scopes) bound.back().erase(inner.name);
  }
  for (std::size_t round = 0; round <= scopes.size(); ++round) {
    for (std::size_t i = 0; i < scopes.size(); ++i) {
      NameSet wanted = used[i];
      for (const std::string& name : used[i]) {
        const int callee = renamed_function(scopes, name, static_cast<int>(i));
        if (callee >= 0) wanted.insert(scopes[callee].free.begin(), scopes[callee].free.end());
      }
      for (const std::string& name : wanted) {
        if (bound[i].count(name) > 0) continue;
        for (int around = scopes[i].parent; around >= 0; around = scopes[around].parent) {
          if (bound[around].count(name) > 0) add_free(scopes[i], name);
        }
      }
    }
  }
}

void refuse_two_of_a_name(const Draft& draft, const std::vector<Scope>& scopes) {
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    for (std::size_t k = i + 1; k < scopes.size(); ++k) {
      if (scopes[i].parent >= 0 && scopes[i].unique == scopes[k].unique) {
        throw UnsupportedText{"a second function " + scopes[k].name + " in one function",
                              draft.line_of(scopes[k].first)};
      }
    }
  }
}

bool is_lambda_line(const Draft& draft, const DraftLine& line) {
  return draft.is_name(line.first) && draft.word(line.first + 1) == "=" &&
         draft.word(line.first + 2) == "lambda";
}

}  // namespace

std::vector<Scope> find_scopes(const Draft& draft) {
  std::vector<Scope> scopes;
  const auto& lines = draft.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Scope scope;
    if (draft.word(lines[i].first) == "def") {
      std::size_t next = i + 1;
      while (next < lines.size() && lines[next].level > lines[i].level) ++next;
      scope = read_def(draft, lines[i], next < lines.size() ? lines[next].first : draft.size());
    } else if (is_lambda_line(draft, lines[i])) {
      scope = read_lambda(draft, lines[i]);
    } else {
      continue;
    }
    scope.parent = scope_at(scopes, lines[i].first);
    scope.unique = scope.name;
    if (scope.parent >= 0) scope.unique += "__in_" + scopes[scope.parent].unique;
    if (scope.parent < 0 && is_builtin(scope.name)) scope.unique += "__own";
    scopes.push_back(std::move(scope));
  }
  refuse_two_of_a_name(draft, scopes);
  find_free_names(draft, scopes);
  return scopes;
}

void lift_inner_functions(Draft& draft, const std::vector<Scope>& scopes) {
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!is_use(draft, i, 0)) continue;
    const int callee = renamed_function(scopes, draft.word(i), scope_at(scopes, i));
    if (callee < 0 || scopes[callee].first == i || scopes[callee].first + 1 == i) continue;
    draft.replace(i, scopes[callee].unique);
    if (draft.word(i + 1) != "(" || scopes[callee].free.empty()) continue;
    const std::size_t close = draft.closing(i + 1);
    std::vector<std::string> handed;
    for (const std::string& name : scopes[callee].free)
      handed.push_back(std::string(name).append("=").append(name));
    const bool needs_comma = close > i + 2 && draft.word(close - 1) != ",";
    draft.insert_before(close, (needs_comma ? ", " : "") + join(handed, ", "));
  }
}

FunctionText function_text(const Draft& draft, const Scope& scope) {
  FunctionText out;
  out.name = scope.unique;
  out.parameters = scope.parameters;
  for (const std::string& name : scope.free) out.parameters.push_back({name, "", true, false});
  out.line = draft.line_of(scope.first);
  const std::size_t header = scope.body - 1;
  if (scope.is_lambda || draft.line_of(scope.body) == draft.line_of(header)) {
    const std::string body = draft.render(scope.body, scope.last);
    out.body = scope.is_lambda ? "\n  return (" + body + ")\n" : "\n  " + body + "\n";
    out.body_line = out.line - 1;
  } else {
    out.body = draft.render(scope.body, scope.last, true) + "\n";
    out.body_line = draft.line_of(header);
  }
  return out;
}

}  // namespace kbench
