#include "problem/data/reference_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/words.hpp"

namespace kbench {
namespace {

using python::Expression;
using Node = Expression::Kind;
using Form = Expression::Form;

constexpr int deepest_call = 6;
constexpr int most_steps = 3000;

Value value_of_input(const std::string& name, const TensorSpec& spec) {
  Value out;
  out.input = name;
  const DTypeKind kind = info(spec.dtype).kind;
  out.is_mask = kind == DTypeKind::boolean;
  if (spec.shape) {
    out.shape = *spec.shape;
    if (kind == DTypeKind::integer) out.terms = {name};
    if (kind == DTypeKind::floating) {
      out.origin = name;
      out.summands.push_back({name});
    }
  } else if (kind == DTypeKind::integer) {
    out.number = name;
  }
  return out;
}

bool mentions(const python::Expression& e, const std::string& name) {
  return (e.kind == Node::name && e.text == name) ||
         std::any_of(e.operands.begin(), e.operands.end(),
                     [&](const auto& operand) { return mentions(*operand, name); });
}

// Returns "h" for h and h[:, t]; "" for anything else.
std::string root_name(const python::Expression& e) {
  const python::Expression* root = &e;
  while (root->kind == Node::subscript) root = root->operands[0].get();
  return root->kind == Node::name ? root->text : "";
}

std::string negated_comparison(const std::string& op) {
  constexpr std::pair<std::string_view, std::string_view> pairs[] = {
      {"<", ">="}, {"<=", ">"}, {">", "<="}, {">=", "<"}, {"==", "!="}, {"!=", "=="}};
  for (const auto& [from, to] : pairs)
    if (op == from) return std::string(to);
  return "";
}

// Returns what holds of each element: x of x.all(), torch.all(x), all(x), bool(x); of any() where
// `truth` is false.
const python::Expression* quantified(const python::Expression& e, bool truth) {
  if (e.kind != Node::call) return nullptr;
  const python::Expression& callee = *e.operands[0];
  const bool each = callee.text == (truth ? "all" : "any");
  const bool has_one = e.operands.size() == 2;
  if (callee.kind == Node::name && has_one && (each || callee.text == "bool"))
    return e.operands[1].get();
  if (callee.kind != Node::attribute || !each) return nullptr;
  return has_one ? e.operands[1].get() : callee.operands[0].get();
}

}  // namespace

void ReferenceReader::read(const std::vector<ReferenceStatement>& statements) {
  read_block(statements);
  const Environment globals = names_;
  ReferenceArguments arguments;
  Environment inputs = globals;
  for (const auto& [name, spec] : definition_.inputs) {
    inputs[name] = value_of_input(name, spec);
    arguments.positional.push_back(inputs[name]);
    arguments.named[name] = inputs[name];
  }
  const auto run = functions_.find("run");
  if (run != functions_.end()) {
    const auto& wanted = run->second->parameters;
    const auto known = [&](const std::string& p) { return definition_.inputs.contains(p); };
    if (std::all_of(wanted.begin(), wanted.end(), known)) arguments.positional.clear();
    read_function(*run->second, arguments);
  }
  read_unused(statements, inputs);
}

// Reads functions that nothing was seen to call, say a class's methods, with the inputs by name.
void ReferenceReader::read_unused(const std::vector<ReferenceStatement>& statements,
                                  const Environment& inputs) {
  for (const ReferenceStatement& statement : statements) {
    if (statement.keyword == "def" && !read_.contains(&statement)) {
      names_ = inputs;
      read_block(statement.body);
    }
    if (statement.keyword == "class") read_unused(statement.body, inputs);
  }
}

void ReferenceReader::read_block(const std::vector<ReferenceStatement>& block) {
  for (const ReferenceStatement& statement : block) {
    if (++steps_ > most_steps) return;
    read_statement(statement);
  }
}

void ReferenceReader::read_statement(const ReferenceStatement& statement) {
  if (statement.keyword == "class") return;
  if (statement.keyword == "def") {
    functions_[statement.name] = &statement;
  } else if (statement.keyword.empty()) {
    read_assignment(statement);
  } else if (statement.keyword == "for" || statement.keyword == "while") {
    read_loop(statement);
  } else if (statement.keyword == "return") {
    read_return(statement);
  } else if (is_one_of(statement.keyword, {"if", "elif", "assert"})) {
    read_condition(statement);
  } else {
    facts_.skips |= statement.keyword == "continue";
    read_block(statement.body);
  }
}

void ReferenceReader::read_assignment(const ReferenceStatement& statement) {
  if (statement.parts.empty()) return;
  Value value = evaluate(*statement.parts.back());
  const std::size_t targets = statement.parts.size() - 1;
  if (loops_ > 0 && targets == 1) read_recurrence(statement);
  if (statement.is_augmented && targets == 1) {
    const std::string op = statement.text.substr(0, statement.text.size() - 1);
    value = arithmetic(op, evaluate(*statement.parts[0]), value);
  }
  for (std::size_t i = 0; i < targets; ++i)
    assign(*statement.parts[i], value, statement.is_augmented);
}

// h = a * h + x, state[b] *= decay
void ReferenceReader::read_recurrence(const ReferenceStatement& statement) {
  const std::string state = root_name(*statement.parts[0]);
  const Expression& next = *statement.parts.back();
  const bool is_counter = names_.contains(state) && !names_.at(state).number.empty();
  if (state.empty() || is_counter || !(statement.is_augmented || mentions(next, state))) return;
  facts_.recurs = true;
  read_kept(next, state);
}

// A state times what a gate leaves, as in (1 - z) * h, is kept where the gate is shut.
void ReferenceReader::read_kept(const Expression& e, const std::string& state) {
  if (e.kind == Node::binary && e.text == "*") {
    for (const int side : {0, 1}) {
      if (!mentions(*e.operands[side], state)) continue;
      for (const Summand& gate : evaluate(*e.operands[1 - side]).gates)
        facts_.gates[gate.input] = gate.sign;
    }
  }
  for (const auto& operand : e.operands) read_kept(*operand, state);
}

void ReferenceReader::assign(const Expression& target, const Value& value, bool augmented) {
  if (target.kind == Node::name) return name(target.text, value);
  if (target.kind == Node::subscript) {
    subscript(target, augmented ? Access::update : Access::store);
  } else if (target.form == Form::sequence) {
    for (std::size_t i = 0; i < target.operands.size(); ++i) {
      const bool same = value.items.size() == target.operands.size();
      assign(*target.operands[i], same ? value.items[i] : element_of(value), augmented);
    }
  }
}

void ReferenceReader::name(const std::string& name, const Value& value) {
  names_[name] = value;
  if (depth_ > 1 || value.number == name) return;
  const auto known = facts_.sizes.find(name);
  if (known == facts_.sizes.end()) {
    if (!value.number.empty()) facts_.sizes.emplace(name, value.number);
  } else if (known->second != value.number) {
    known->second.clear();  // it stands for more than one
  }
}

void ReferenceReader::read_loop(const ReferenceStatement& statement) {
  const bool counted = statement.keyword == "for";
  if (counted && statement.parts.size() < 2) return read_block(statement.body);
  const Value over = statement.parts.empty() ? Value{} : evaluate(*statement.parts.back());
  const Environment before = names_;
  for (int round = 0; round < 2; ++round) {
    if (counted) assign(*statement.parts[0], element_of(over), false);
    ++loops_;
    read_block(statement.body);
    --loops_;
    for (auto& [name, value] : names_) {
      const auto was = before.find(name);
      if (was == before.end() || was->second.number.empty()) continue;
      if (value.number != was->second.number) value.number.clear();  // it changes in the loop
      if (value.terms.size() == 1 && was->second.number == "0") value.from_zero = true;
    }
  }
}

// `if …: raise` is a check.
void ReferenceReader::read_condition(const ReferenceStatement& statement) {
  const bool asserted = statement.keyword == "assert";
  const bool raises = !statement.body.empty() && statement.body.front().keyword == "raise";
  if (!statement.parts.empty()) {
    if (asserted || raises) {
      assume(*statement.parts[0], asserted);
    } else {
      evaluate(*statement.parts[0]);
    }
  }
  if (asserted || (raises && statement.keyword == "if")) {
    std::string check = asserted ? statement.text : fmt::format("not ({})", statement.text);
    auto& checks = facts_.checks;
    if (std::find(checks.begin(), checks.end(), check) == checks.end())
      checks.push_back(std::move(check));
  }
  read_block(statement.body);
}

void ReferenceReader::assume(const Expression& e, bool truth) {
  if (e.kind == Node::unary && e.text == "not") return assume(*e.operands[0], !truth);
  if (e.kind == Node::comparison) return assume_comparison(e, truth);
  if (e.kind == Node::boolean && (e.text == "and") == truth) {
    for (const auto& operand : e.operands) assume(*operand, truth);
  } else if (const Expression* all = quantified(e, truth)) {
    assume(*all, truth);
  } else {
    evaluate(e);
  }
}

void ReferenceReader::assume_comparison(const Expression& e, bool truth) {
  const bool known = truth || e.comparators.size() == 1;
  if (!known) {
    evaluate(e);
    return;
  }
  std::vector<Value> values;
  for (const auto& operand : e.operands) values.push_back(evaluate(*operand));
  for (std::size_t i = 0; i < e.comparators.size(); ++i)
    uses_.comparison(values[i], truth ? e.comparators[i] : negated_comparison(e.comparators[i]),
                     values[i + 1], true);
}

void ReferenceReader::read_return(const ReferenceStatement& statement) {
  if (statement.parts.empty()) return;
  const Value value = evaluate(*statement.parts[0]);
  if (!returned_ || !returned_->shape) returned_ = value;
  if (depth_ != 1) return;
  // A repeated tensor that is returned has an output's length.
  const auto& outputs = definition_.outputs.items;
  const std::vector<Value> items = value.items.empty() ? std::vector{value} : value.items;
  for (std::size_t i = 0; i < std::min(items.size(), outputs.size()); ++i) {
    const auto& shape = items[i].shape;
    const auto& declared = outputs[i].second.shape;
    if (!shape || !declared || shape->size() != declared->size()) continue;
    for (std::size_t d = 0; d < shape->size(); ++d) {
      const Size& size = (*shape)[d];
      if (!size.starts_with("sum(")) continue;
      Value counts;
      counts.terms = {size.substr(4, size.size() - 5)};
      uses_.sum(counts, (*declared)[d]);
    }
  }
}

void ReferenceReader::read_function(const ReferenceStatement& function,
                                    const ReferenceArguments& arguments) {
  read_.insert(&function);
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const std::string& parameter = function.parameters[i];
    names_[parameter] = arguments.get(i, {parameter.c_str()});
  }
  ++depth_;
  read_block(function.body);
  --depth_;
}

Value ReferenceReader::returned_by(const ReferenceStatement& function,
                                   const ReferenceArguments& arguments) {
  if (depth_ >= deepest_call) return {};
  const Environment outside = names_;
  const std::optional<Value> before = std::exchange(returned_, std::nullopt);
  read_function(function, arguments);
  Value out = returned_.value_or(Value{});
  returned_ = before;
  names_ = outside;
  return out;
}

}  // namespace kbench
