// Values of the commands that train nothing: the same table, layers and refusals as for training,
// read one by one instead of into Settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/settings/layers.h"

namespace scalemark::settings {

class ToolValues {
 public:
  // Throws refusal() (78) when a value is not allowed; `problems` are those of the layers. All
  // problem lines go to `lines` first.
  ToolValues(const Layers& layers, Command command, std::vector<std::string>& lines);

  std::optional<std::string> text(std::string_view name) const;  // absent: none given
  std::optional<std::int64_t> count(std::string_view name) const;
  // Reads an option that takes a list, `world_sizes`: "16,64" or "16..256x2". Empty: none given.
  std::vector<std::int64_t> counts(std::string_view name) const;
  std::optional<double> share(std::string_view name) const;  // "2%" -> 0.02
  bool on(std::string_view name) const;
  bool given(std::string_view name) const;  // by a person, not by default

 private:
  RawSettings raw_;
};

// A problem for each value in `raw` that its option does not allow.
std::vector<Problem> bad_values(const RawSettings& raw);

}  // namespace scalemark::settings
