// Arguments of a command. CLI11 does the work, and is seen by few files: it is 9,000 lines of
// inline code, which every file that includes it compiles anew.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kbench {

// Checks of the numbers that an option takes return "" for a good value, else what is wrong.

using ValueCheck = std::function<std::string(const std::string& text)>;

constexpr double any_size = std::numeric_limits<double>::max();  // excludes infinity

// Returns nothing for a text that is no integer of 64 bits.
std::optional<std::int64_t> parse_integer(const std::string& text);
ValueCheck integer(std::int64_t lowest, std::int64_t highest);
ValueCheck unsigned_integer();  // takes 64 bits
ValueCheck positive(double highest = any_size);
ValueCheck number(double lowest, double highest = any_size);

// "0.5%" or "0.005". A text that is no such number, or not within 0 and 1, gives nothing.
std::optional<double> parse_share(const std::string& text);
ValueCheck share();

// An option, a flag or a positional argument that was added: a handle to it.
class Argument {
 public:
  explicit Argument(CLI::Option& option) : option_(&option) {}

  Argument& text(const std::string& placeholder);  // replaces the one behind its names
  Argument& doc(const std::string& doc);
  Argument& required();
  Argument& check(const ValueCheck& check);
  Argument& one_of(const std::vector<std::string>& words);
  Argument& existing_file();
  Argument& delimiter(char separator);  // separates several values in one word
  Argument& one_word();                 // takes one word each time: the next is none of its own
  Argument& maybe_empty();              // allows it without a value
  Argument& excludes(const std::string& other);
  Argument& needs(const std::string& other);

 private:
  CLI::Option* option_;
};

// An option as it was given.
struct GivenOption {
  std::string name;                 // "seed"
  std::vector<std::string> values;  // empty for a flag
};

// The arguments of one command: a handle that is copied.
class CommandLine {
 public:
  explicit CommandLine(CLI::App& app) : app_(&app) {}

  // `names` are "-s,--seed N", or a positional argument's name, "path [PATH]...": the word behind
  // them is what --help has in the place of the value. The value given is stored in `value`, which
  // lives on: a text, a number, or a list of them (command_line.cpp has the types).
  template <class T>
  Argument add_option(const std::string& names, T& value, const std::string& doc);
  Argument add_flag(const std::string& names, bool& value, const std::string& doc);
  // Calls `action` where the flag is given.
  Argument add_action(const std::string& names, const std::function<void()>& action,
                      const std::string& doc);
  // Gives the value to `read`, which throws what is wrong with it.
  Argument add_read(const std::string& names, const std::function<void(const std::string&)>& read,
                    const std::string& doc);
  // CommandLine of which exactly one has to be given.
  CommandLine add_choice(const std::string& name, const std::string& doc);

  Argument find(const std::string& name);
  bool has(const std::string& name) const;  // tells whether there is such an option
  void remove(const std::string& name);
  void take_one_word_each();  // sets one_word() for all that would take several

  std::vector<GivenOption> given() const;  // ordered as they were added
  bool is_given(const std::string& name) const;
  const CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
};

// Gives the words to a command line of their own: `declare` adds its arguments, and returns what is
// done when they are parsed. Returns what is wrong with them, "" where nothing is.
std::string parse_words(std::vector<std::string> words,
                        const std::function<std::function<void()>(CommandLine line)>& declare);

}  // namespace kbench
