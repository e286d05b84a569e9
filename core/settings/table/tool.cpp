#include "core/settings/table/table.h"

namespace scalemark::settings::table {

// Options of the commands that train nothing: report, compare, predict, data, doctor.
std::vector<Option> tool_options() {
  constexpr Group kGroup = Group::kTool;
  return {
      {.name = "format",
       .group = kGroup,
       .commands = kReport,
       .default_text = "table",
       .help = "how the report is shown: table, md, csv, jsonl, html, junit, superbench, prom, "
               "effects or links; "
               "several with commas between; FORMAT=FILE writes to a file instead of stdout",
       .value_name = "FORMAT[=FILE],..."},
      {.name = "redact",
       .kind = Kind::kFlag,
       .group = kGroup,
       .commands = kReport,
       .default_text = "off",
       .help = "hide host names, serial numbers, paths and addresses, for publishing"},
      {.name = "topology",
       .kind = Kind::kPath,
       .group = kGroup,
       .commands = kPredict,
       .help = "JSON file: ranks per node, alpha and bandwidth of the links within a node and "
               "between nodes, as far as they are known",
       .value_name = "FILE"},
      {.name = "old",
       .kind = Kind::kPath,
       .group = kGroup,
       .commands = kCompare,
       .help = "reports of the side that is compared with; a folder means its report.json",
       .value_name = "FILE...",
       .layer = true},
      {.name = "new",
       .kind = Kind::kPath,
       .group = kGroup,
       .commands = kCompare,
       .help = "reports of the other side; given again, a further side",
       .value_name = "FILE...",
       .layer = true},
      {.name = "threshold",
       .kind = Kind::kShare,
       .group = kGroup,
       .commands = kCompare,
       .default_text = "2%",
       .help = "the smallest change that counts",
       .value_name = "SHARE",
       .range = {.low = 0, .high = 1, .low_excluded = true, .high_excluded = true}},
      {.name = "same_session",
       .kind = Kind::kFlag,
       .group = kGroup,
       .commands = kCompare,
       .default_text = "off",
       .help = "both sides were measured in one go on one machine: a difference is no session's"},
      {.name = "classes",
       .kind = Kind::kCount,
       .group = kGroup,
       .commands = kDataGenerate,
       .default_text = "10",
       .help = "classes of the image tree",
       .value_name = "N",
       .range = {.low = 2, .high = 10}},
      {.name = "samples",
       .kind = Kind::kCount,
       .group = kGroup,
       .commands = kDataGenerate,
       .help = "images for training (a fifth more for evaluation; 500 when absent), or documents "
               "of the "
               "corpus (1000)",
       .value_name = "N",
       .range = {.low = 1, .high = 10'000'000}},
      {.name = "measure",
       .kind = Kind::kFlag,
       .group = kGroup,
       .commands = kDoctor,
       .default_text = "off",
       .help = "measure what this machine does by itself: matrix products, memory, copy to the "
               "GPU, image loader, disk; takes 2 s for each"},
  };
}

}  // namespace scalemark::settings::table
