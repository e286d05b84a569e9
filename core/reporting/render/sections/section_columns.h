// Columns of the sections of a sweep, from records. Private to this folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/reporting/record/sweep_records.h"
#include "core/reporting/render/sections/sweep_sections.h"

namespace scalemark::reporting {

template <class Row>
Column column(std::vector<std::string> head, bool left, const std::vector<Row>& rows,
              const std::function<std::string(const Row&)>& text) {
  Column result{std::move(head), left, {}};
  for (const Row& row : rows) result.cells.push_back(text(row));
  return result;
}

inline std::string or_absent(const std::optional<double>& value, std::string (*text)(double)) {
  return value ? text(*value) : kAbsent;
}

std::string milliseconds(double seconds);

// "at least +-0.80": of `value`, one run of which stands alone; "-" without a share.
std::string at_least_text(const std::optional<double>& share, double value,
                          std::string (*text)(double));

// Shows one slice: speed-up and efficiency, and, where runs have phases, what is lost to what.
std::vector<Section> scaling_sections(const ScalingTable& table,
                                      const std::vector<ScalingTable>& all);

}  // namespace scalemark::reporting
