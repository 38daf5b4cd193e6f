#include "tune/selection_event.hpp"

#include <nlohmann/json.hpp>

namespace kbench {

std::string event_line(const SelectionEvent& event) {
  nlohmann::ordered_json line{{"event", event.event}};
  const std::pair<const char*, const std::string&> rest[] = {{"level", event.level},
                                                             {"definition", event.definition},
                                                             {"solution", event.solution},
                                                             {"key", event.key},
                                                             {"direction", event.direction},
                                                             {"objective", event.objective},
                                                             {"configuration", event.configuration},
                                                             {"detail", event.detail}};
  for (const auto& [name, text] : rest) {
    if (!text.empty()) line[name] = text;
  }
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace kbench
