// What the definitions of several formats need before they are FlashInfer-Bench's.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "import/json_records.hpp"

namespace kbench {

// Constant axes without a value become variable ones.
json::Value with_axis_values(const json::Value& definition, const RecordDraft& draft);

// "inputs" and "outputs": dtypes that the schema does not have are refused, keys that it does not
// have ("optional", "param") reported; numbers in shapes and undeclared names become axes.
json::Value with_tidy_tensors(const json::Value& definition, const RecordDraft& draft);

// Names that the reference uses and nothing in it defines: torch, math and F are imported, of
// others is warned.
json::Value with_imports(const json::Value& definition, const RecordDraft& draft);

// The members of the object under `section` through `change`: nothing drops one. What is no object
// is left as it is.
using MemberEdit = std::function<std::optional<json::Member>(const json::Member& member)>;
json::Value with_members(const json::Value& object, std::string_view section,
                         const RecordDraft& draft, const MemberEdit& change);

// Drops a key and warns of it where it says anything.
json::Value without_reported(const json::Value& object, std::string_view key,
                             const RecordDraft& draft, std::string hint);

}  // namespace kbench
