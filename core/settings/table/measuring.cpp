#include "core/settings/table/table.h"

namespace scalemark::settings::table {

std::vector<Option> measuring_options() {
  constexpr Group kGroup = Group::kMeasuring;
  return {
      {.name = "iters",
       .kind = Kind::kCount,
       .group = kGroup,
       .field = kField<&MeasuringSettings::iters>,
       .identity = Identity::kPoint,
       .default_text = "auto",
       .help = "measured steps (auto: at least 100, and at least 2 s)",
       .value_name = "N|auto",
       .words = {"auto"},
       .range = kFromOne},
      {.name = "warmup_iters",
       .kind = Kind::kCount,
       .group = kGroup,
       .field = kField<&MeasuringSettings::warmup_iters>,
       .identity = Identity::kPoint,
       .default_text = "auto",
       .help = "steps before the window (auto: at least 20, and 2 s on cpu, 10 s on cuda)",
       .value_name = "N|auto",
       .words = {"auto"},
       .range = kFromZero},
      {.name = "epochs",
       .kind = Kind::kCount,
       .group = kGroup,
       .without = kSweep,
       .field = kField<&MeasuringSettings::epochs>,
       .identity = Identity::kPoint,
       .default_text = "none",
       .help = "train for real: so many passes over the data, with evaluation",
       .value_name = "N|none",
       .words = {"none"},
       .range = kFromOne},
      {.name = "min_time",
       .kind = Kind::kSeconds,
       .group = kGroup,
       .field = kField<&MeasuringSettings::min_time_s>,
       .identity = Identity::kPoint,
       .default_text = "0",
       .help = "the window lasts at least so long",
       .value_name = "SECONDS",
       .range = {.low = 0, .high = 1e6}},
      {.name = "communication_cost",
       .kind = Kind::kFlag,
       .group = kGroup,
       .field = kField<&MeasuringSettings::communication_cost>,
       .identity = Identity::kPoint,
       .default_text = "off",
       .help = "after the window as many steps again, half of them without communication"},
  };
}

}  // namespace scalemark::settings::table
