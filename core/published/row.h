// One throughput that somebody published, with its source. Values are the source's own, errors
// included; nothing here judges them. Form and origin: results/published/README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::published {

struct Row {
  std::string id;     // "pub-0001": never changes
  std::string group;  // the table it comes from
  // Its place in the source. Commit and line are absent where they are not known.
  std::string repo, path;
  std::optional<std::string> commit;
  std::optional<std::int64_t> line;
  // These members say what was measured.
  std::string framework, system, workload, precision;
  std::optional<std::string> phase, data;
  std::optional<std::int64_t> sequence_length;
  std::int64_t gpus = 0;
  std::optional<std::int64_t> nodes;
  std::optional<double> batch_per_gpu;  // of a whole submission it may be a fraction
  std::optional<std::int64_t> gradient_accumulation_steps, global_batch_size;
  // The result.
  std::optional<double> throughput;  // in `unit`; absent where only a training time was published
  std::string unit;                  // "img/s" | "seq/s" | ...
  std::optional<double> published_speedup, time_to_train_min;
  std::optional<std::string> scaling_label, note;
};

// One row per line (JSON Lines), in the order of the text. Throws bad_data() (65) naming `origin`
// and the line for what is not JSON, an unknown or missing field, one of the wrong type, and a
// count or a throughput that is not positive.
std::vector<Row> parse_rows(std::string_view text, std::string_view origin);

}  // namespace scalemark::published
