// Values of the commands that train nothing: the same table, layers and refusals as for training,
// read one by one instead of into Settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/settings/layers.h"
#include "core/settings/reader.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

class ToolValues {
 public:
  // Throws refusal() (78) when a value is not allowed; `problems` are those of the layers. All
  // problem lines go to `lines` first.
  ToolValues(const Layers& layers, Command command, std::vector<std::string>& lines);

  std::optional<std::string> text(std::string_view name) const;  // absent: none given
  std::optional<std::int64_t> count(std::string_view name) const {
    return value_in<std::int64_t>(raw_, name);
  }
  // Numbers, times in seconds, and shares: "2%" -> 0.02.
  std::optional<double> number(std::string_view name) const { return value_in<double>(raw_, name); }
  bool on(std::string_view name) const { return is_on(raw_, name); }
  bool given(std::string_view name) const;  // by a person, not by default
  // Reads an option that takes a list, `world_sizes`: "16,64" or "16..256x2". Empty: none given.
  std::vector<std::int64_t> counts(const std::string& name) const;
  // Reads the options that training has, too, into its settings.
  Settings settings() const;

 private:
  RawSettings raw_;
};

}  // namespace scalemark::settings
