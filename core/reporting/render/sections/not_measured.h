// Rows without a number, and why: once for each group and reason. Private to this folder.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/reporting/record/records.h"
#include "core/reporting/render/sections/sweep_sections.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {

// `rows`: points or collectives.
template <class Row>
Section not_measured_section(const std::vector<Row>& rows) {
  struct Reason {
    const Row* run;
    int runs = 0;
  };
  std::vector<Reason> reasons;
  for (const Row& run : rows) {
    if (run.status == PointStatus::kOk) continue;
    const auto same = [&](const Reason& known) {
      return known.run->group == run.group && known.run->status == run.status &&
             known.run->reason == run.reason;
    };
    const auto known = std::ranges::find_if(reasons, same);
    if (known == reasons.end()) {
      reasons.push_back({&run, 1});
    } else {
      ++known->runs;
    }
  }
  Section section{"Not measured", {}, {}};
  for (const auto& [run, runs] : reasons) {
    std::string line = run->group + ": " + std::string(name_of(run->status));
    if (runs > 1) line += " in " + counted(runs, "run");
    section.lines.push_back(line + (run->reason.empty() ? "" : ", " + run->reason));
  }
  return section;
}

}  // namespace scalemark::reporting
