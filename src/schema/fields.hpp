// Tables of fields of all records (schema/field.hpp), for the code that reads, writes and describes
// them.
#pragma once

#include "schema/compiled.hpp"
#include "schema/config.hpp"
#include "schema/configuration.hpp"
#include "schema/definition.hpp"
#include "schema/detail_records.hpp"
#include "schema/details.hpp"
#include "schema/gate_policy.hpp"
#include "schema/judge_settings.hpp"
#include "schema/plan_file.hpp"
#include "schema/solution.hpp"
#include "schema/trace.hpp"
#include "schema/tuned_entry.hpp"
