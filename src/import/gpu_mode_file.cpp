#include "import/gpu_mode_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "import/json_edit.hpp"
#include "import/python_answer.hpp"
#include "schema/json_tree.hpp"
#include "schema/lax.hpp"
#include "schema/yaml.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// A number, text or truth of YAML in Python.
std::string yaml_in_python(const json::Value& value) {
  if (value.is_string()) return compact_json(value);
  const std::string text = compact_json(value);
  return text == "true" ? "True" : text == "false" ? "False" : text == "null" ? "None" : text;
}

TaskArguments arguments_of(const json::Value& specification) {
  TaskArguments arguments;
  std::vector<std::string> pairs;
  for (const json::Member& one : specification.members) {
    pairs.push_back(fmt::format("\"{}\": {}", one.key, yaml_in_python(one.value)));
    if (const auto whole = lax_integer(one.value); whole && one.value.kind == json::Kind::integer)
      arguments.integers[std::string(one.key)] = *whole;
  }
  arguments.python = "{" + join(pairs, ", ") + "}";
  return arguments;
}

// The arguments with each whole number times another factor, so that lengths which are equal by
// chance are told apart and what must divide others still does.
TaskArguments spread(const json::Value& specification) {
  TaskArguments arguments = arguments_of(specification);
  std::vector<std::string> pairs;
  std::int64_t factor = 1;
  for (const json::Member& one : specification.members) {
    const std::string name(one.key);
    const bool is_whole = arguments.integers.contains(name);
    if (is_whole && name != "seed") arguments.integers[name] *= factor++;
    pairs.push_back(fmt::format(
        "\"{}\": {}", name,
        is_whole ? fmt::format("{}", arguments.integers[name]) : yaml_in_python(one.value)));
  }
  arguments.python = "{" + join(pairs, ", ") + "}";
  return arguments;
}

// A file that task.yml, in this folder, names by its way from there. None is outside of what is
// imported, or of the folder of a task that is imported alone.
std::optional<std::string> text_at(const std::vector<ForeignFile>& files, const fs::path& folder,
                                   const std::string& from) {
  const fs::path wanted = (folder / from).lexically_normal();
  for (const ForeignFile& file : files)
    if (fs::path(file.source->path).lexically_normal() == wanted) return file.source->text;
  const fs::path way = wanted.lexically_relative(folder.lexically_normal());
  const bool is_inside = !way.empty() && *way.begin() != "..";
  return is_inside && wanted.extension() == ".py" ? read_file_if_there(wanted) : std::nullopt;
}

// A module goes before the first that imports it.
void add_module(const std::string& name, const std::string& text, PythonModules& to) {
  const auto before = std::find_if(
      to.begin(), to.end(), [&](const auto& other) { return imports_module(other.second, name); });
  to.insert(before, {name, text});
}

struct TaskFile {
  std::string name;                 // of its module
  std::string from;                 // where task.yml says that it is
  std::size_t at = 0;               // byte of task.yml
  std::optional<std::string> text;  // nothing where it is not there
};

// The modules that a task names; the answer's place among them is left out.
std::vector<TaskFile> files_of(const std::vector<ForeignFile>& files, std::size_t file,
                               const json::Value& value) {
  std::vector<TaskFile> all;
  const fs::path folder = fs::path(files[file].source->path).parent_path();
  const json::Value* const list = json::member(&value, "files");
  for (const json::Value& one : list == nullptr ? std::span<const json::Value>() : list->items) {
    const std::string name(json::text_of(json::member(&one, "name")));
    const std::string from(json::text_of(json::member(&one, "source")));
    if (name.ends_with(".py") && !from.starts_with('@'))
      all.push_back(
          {name.substr(0, name.size() - 3), from, one.begin, text_at(files, folder, from)});
  }
  return all;
}

bool is_whole_reference(const std::string& text) {
  return defines_function(text, "ref_kernel") && defines_function(text, "generate_input");
}

bool read_modules(const std::vector<ForeignFile>& files, std::size_t file, const json::Value& value,
                  Task& task, TaskDefect& said) {
  const std::vector<TaskFile> all = files_of(files, file, value);
  for (const TaskFile& one : all)
    if (one.name == "reference") task.reference = one.text.value_or("");
  for (const TaskFile& one : all) {  // eval.py, which nothing imports, is not asked for
    const bool is_imported = imports_module(task.reference, one.name);
    if (!one.text && (is_imported || one.name == "reference"))
      return said = {one.from + " is not there", one.at}, false;
    if (is_imported) add_module(one.name, *one.text, task.modules);
  }
  const bool is_whole = is_whole_reference(task.reference);
  if (!is_whole) said = {"reference.py has no ref_kernel() and generate_input()", 0};
  return is_whole;
}

void read_arguments(const json::Value& value, Task& task) {
  for (const std::string_view list : {"tests", "benchmarks"}) {
    const json::Value* const all = json::member(&value, list);
    for (const json::Value& one : all == nullptr ? std::span<const json::Value>() : all->items) {
      if (task.arguments.empty()) task.spread = spread(one);
      task.arguments.push_back(arguments_of(one));
    }
  }
}

}  // namespace

bool imports_module(std::string_view text, std::string_view module) {
  return text.find(fmt::format("import {}", module)) != text.npos ||
         text.find(fmt::format("from {} ", module)) != text.npos;
}

bool defines_function(std::string_view text, std::string_view function) {
  const auto parsed = python::parse_module(text);
  const auto* const module = std::get_if<python::Module>(&parsed);
  return module != nullptr && has_function(*module, function);
}

std::optional<Task> read_task(const std::vector<ForeignFile>& files, std::size_t file,
                              TaskDefect& said) {
  json::Memory memory;
  Diagnostics problems;
  const json::Value value = parse_yaml(*files[file].source, memory, problems);
  for (const Diagnostic& one : problems.items())
    if (one.level == Level::error) return said = {one.message, 0}, std::nullopt;
  const json::Value* const language = json::member(&value, "lang");
  if (language != nullptr && json::text_of(language) != "py")
    return said = {fmt::format("its lang is {}, not py", compact_json(*language)), language->begin},
           std::nullopt;
  Task task;
  task.description = trim(json::text_of(json::member(&value, "description")));
  read_arguments(value, task);
  if (task.arguments.empty())
    return said = {"it has neither tests nor benchmarks", 0}, std::nullopt;
  if (!read_modules(files, file, value, task, said)) return std::nullopt;
  return task;
}

}  // namespace kbench
