#include "cli/shell/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <exception>
#include <system_error>

namespace kbench {

Argument& Argument::text(const std::string& placeholder) {
  option_->option_text(placeholder);
  return *this;
}

Argument& Argument::doc(const std::string& doc) {
  option_->description(doc);
  return *this;
}

Argument& Argument::required() {
  option_->required();
  return *this;
}

Argument& Argument::check(const ValueCheck& check) {
  option_->check(CLI::Validator(check, "", ""));
  return *this;
}

Argument& Argument::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Argument& Argument::existing_file() {
  option_->check(CLI::ExistingFile);
  return *this;
}

Argument& Argument::delimiter(char separator) {
  option_->delimiter(separator);
  return *this;
}

Argument& Argument::one_word() {
  option_->allow_extra_args(false);
  return *this;
}

Argument& Argument::maybe_empty() {
  option_->expected(0, option_->get_expected_max());
  return *this;
}

Argument& Argument::excludes(const std::string& other) {
  option_->excludes(other);
  return *this;
}

Argument& Argument::needs(const std::string& other) {
  option_->needs(other);
  return *this;
}

namespace {

// Adds an option by `add`, which takes its names; the word behind these is its placeholder.
template <class Add>
Argument add_named(const std::string& names, const Add& add) {
  const std::size_t end = names.find(' ');
  CLI::Option* const option = add(names.substr(0, end));
  if (end != names.npos) option->option_text(names.substr(end + 1));
  return Argument(*option);
}

}  // namespace

template <class T>
Argument CommandLine::add_option(const std::string& names, T& value, const std::string& doc) {
  return add_named(names, [&](auto own) { return app_->add_option(std::move(own), value, doc); });
}

Argument CommandLine::add_flag(const std::string& names, bool& value, const std::string& doc) {
  return Argument(*app_->add_flag(names, value, doc));
}

Argument CommandLine::add_action(const std::string& names, const std::function<void()>& action,
                                 const std::string& doc) {
  return Argument(*app_->add_flag_callback(names, action, doc));
}

Argument CommandLine::add_read(const std::string& names,
                               const std::function<void(const std::string&)>& read,
                               const std::string& doc) {
  return add_named(names, [&](const std::string& own) {
    const auto try_to_read = [own, read](const std::string& value) {
      try {
        read(value);
      } catch (const std::exception& error) {
        throw CLI::ValidationError(own, error.what());
      }
    };
    return app_->add_option_function<std::string>(own, try_to_read, doc);
  });
}

CommandLine CommandLine::add_choice(const std::string& name, const std::string& doc) {
  auto* const group = app_->add_option_group(name, doc);
  group->require_option(1);
  group->fallthrough(false);  // CLI11 sets it for those that are there before it parses
  return CommandLine(*group);
}

Argument CommandLine::find(const std::string& name) { return Argument(*app_->get_option(name)); }

bool CommandLine::has(const std::string& name) const {
  return app_->get_option_no_throw(name) != nullptr;
}

void CommandLine::remove(const std::string& name) { app_->remove_option(app_->get_option(name)); }

void CommandLine::take_one_word_each() {
  for (CLI::Option* option : app_->get_options()) {
    if (option->get_items_expected_max() == 1 || option->get_lnames().empty()) continue;
    const std::string text = option->get_option_text();
    option->allow_extra_args(false)->option_text(text.substr(0, text.find("...")));
  }
}

std::vector<GivenOption> CommandLine::given() const {
  std::vector<GivenOption> out;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    if (option->count() == 0 || option->get_positional()) continue;
    const bool is_flag = option->get_items_expected_max() == 0;
    out.push_back(
        {option->get_lnames().front(), is_flag ? std::vector<std::string>() : option->results()});
  }
  return out;
}

bool CommandLine::is_given(const std::string& name) const { return app_->count(name) > 0; }

std::string parse_words(std::vector<std::string> words,
                        const std::function<std::function<void()>(CommandLine line)>& declare) {
  CLI::App app;
  app.set_help_flag();  // none
  const std::function<void()> done = declare(CommandLine(app));
  std::reverse(words.begin(), words.end());  // CLI11 takes them so
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  done();
  return "";
}

// Types that options are stored in.
#define KBENCH_STORES(...) \
  template Argument CommandLine::add_option(const std::string&, __VA_ARGS__&, const std::string&)
KBENCH_STORES(std::string);
KBENCH_STORES(int);
KBENCH_STORES(std::int64_t);
KBENCH_STORES(std::uint64_t);
KBENCH_STORES(double);
KBENCH_STORES(std::optional<std::string>);
KBENCH_STORES(std::optional<std::int64_t>);
KBENCH_STORES(std::optional<std::uint64_t>);
KBENCH_STORES(std::optional<double>);
KBENCH_STORES(std::vector<std::string>);
KBENCH_STORES(std::vector<double>);
#undef KBENCH_STORES

namespace {

template <class T>
std::optional<T> parse(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

template <class T>
ValueCheck integer_of(T lowest, T highest) {
  return [=](const std::string& text) -> std::string {
    const auto value = parse<T>(text);
    if (value && *value >= lowest && *value <= highest) return "";
    return fmt::format("expected an integer from {} to {}, found {}", lowest, highest, text);
  };
}

// `what` says which numbers are good.
ValueCheck number_of(const std::function<bool(double)>& is_good, const std::string& what) {
  return [=](const std::string& text) -> std::string {
    const auto value = parse<double>(text);
    return value && is_good(*value) ? "" : fmt::format("expected {}, found {}", what, text);
  };
}

}  // namespace

std::optional<std::int64_t> parse_integer(const std::string& text) {
  return parse<std::int64_t>(text);
}

ValueCheck integer(std::int64_t lowest, std::int64_t highest) {
  return integer_of(lowest, highest);
}

ValueCheck unsigned_integer() { return integer_of<std::uint64_t>(0, UINT64_MAX); }

ValueCheck positive(double highest) {
  return number_of(
      [=](double value) { return value > 0 && value <= highest; },
      highest < any_size ? fmt::format("a number > 0 and <= {}", highest) : "a finite number > 0");
}

ValueCheck number(double lowest, double highest) {
  return number_of([=](double value) { return value >= lowest && value <= highest; },
                   highest < any_size ? fmt::format("a number from {} to {}", lowest, highest)
                                      : fmt::format("a finite number >= {}", lowest));
}

std::optional<double> parse_share(const std::string& text) {
  const bool is_percent = text.ends_with('%');
  const auto value = parse<double>(is_percent ? text.substr(0, text.size() - 1) : text);
  const double highest = is_percent ? 99.999 : 0.99999;
  if (!value || !(*value > 0 && *value <= highest)) return std::nullopt;
  return *value / (is_percent ? 100 : 1);
}

ValueCheck share() {
  return [](const std::string& text) {
    return parse_share(text) ? "" : "it is a share between 0 and 1, as 0.5% or 0.005";
  };
}

}  // namespace kbench
