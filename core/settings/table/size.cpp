#include "core/settings/table/table.h"

namespace scalemark::settings::table {

std::vector<Option> size_options() {
  return {
      {.name = "batch_size",
       .kind = Kind::kCount,
       .commands = kDataBench,
       .field = kField<&SizeSettings::batch_size>,
       .identity = Identity::kAxis,
       .help = "samples per rank and micro-step",
       .range = kFromOne,
       .letter = 'b'},
      {.name = "global_batch_size",
       .kind = Kind::kCount,
       .field = kField<&SizeSettings::global_batch_size>,
       .identity = Identity::kAxis,
       .help = "samples per step over all ranks; the batch size follows from it",
       .range = kFromOne},
      {.name = "gradient_accumulation_steps",
       .kind = Kind::kCount,
       .field = kField<&SizeSettings::gradient_accumulation_steps>,
       .identity = Identity::kAxis,
       .help = "micro-steps per optimizer step; gradients are exchanged once per step",
       .range = kFromOne},
  };
}

}  // namespace scalemark::settings::table
