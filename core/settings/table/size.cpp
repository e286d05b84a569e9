#include "core/settings/table/table.h"

namespace scalemark::settings::table {

std::vector<Option> size_options() {
  constexpr Group kGroup = Group::kSize;
  return {
      {.name = "batch_size",
       .kind = Kind::kCount,
       .group = kGroup,
       .commands = kDataBench,
       .field = kField<&SizeSettings::batch_size>,
       .identity = Identity::kAxis,
       .help = "samples per rank and micro-step",
       .value_name = "N",
       .range = kFromOne,
       .letter = 'b'},
      {.name = "global_batch_size",
       .kind = Kind::kCount,
       .group = kGroup,
       .field = kField<&SizeSettings::global_batch_size>,
       .identity = Identity::kAxis,
       .help = "samples per step over all ranks; the batch size follows from it",
       .value_name = "N",
       .range = kFromOne},
      {.name = "gradient_accumulation_steps",
       .kind = Kind::kCount,
       .group = kGroup,
       .field = kField<&SizeSettings::gradient_accumulation_steps>,
       .identity = Identity::kAxis,
       .help = "micro-steps per optimizer step; gradients are exchanged once per step",
       .value_name = "N",
       .range = kFromOne},
  };
}

}  // namespace scalemark::settings::table
