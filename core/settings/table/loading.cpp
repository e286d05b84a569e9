#include "core/settings/table/table.h"

namespace scalemark::settings::table {

std::vector<Option> loading_options() {
  return {
      {.name = "workers",
       .kind = Kind::kCount,
       .commands = kDataGenerate | kDataTokenize | kDataPack | kDataVerify | kDataBench,
       .field = kField<&LoadingSettings::workers>,
       .identity = Identity::kAxis,
       .default_text = "2",
       .help =
           "threads (per rank) that read, decode or write files (0: the calling thread does it)",
       .range = {.low = 0, .high = 1024},
       .letter = 'j',
       .tune_values = "2,0,1,4,8"},
      {.name = "pin_memory",
       .kind = Kind::kSwitch,
       .field = kField<&LoadingSettings::pin_memory>,
       .identity = Identity::kAxis,
       .default_text = "on",
       .help = "page-locked batches (cuda)"},
      {.name = "prefetch",
       .kind = Kind::kCount,
       .commands = kDataBench,
       .field = kField<&LoadingSettings::prefetch>,
       .identity = Identity::kAxis,
       .default_text = "2",
       .help = "batches (per rank) that are ready or being made ahead of the step",
       .range = {.low = 1, .high = 64}},
      {.name = "drop_last",
       .kind = Kind::kFlag,
       .field = kField<&LoadingSettings::drop_last>,
       .identity = Identity::kAxis,
       .default_text = "off",
       .help = "drop the samples that do not divide among the ranks instead of repeating some"},
      {.name = "on_bad_sample",
       .kind = Kind::kChoice,
       .commands = kDataPack | kDataBench | kDataShow,
       .field = kField<&LoadingSettings::on_bad_sample>,
       .identity = Identity::kAxis,
       .default_text = "fail",
       .help = "a file that cannot be decoded ends the run (65), or is counted and listed",
       .choices = names_of<OnBadSample>()},
      {.name = "image_decoding",
       .kind = Kind::kChoice,
       .commands = kDataBench | kDataShow,
       .field = kField<&LoadingSettings::image_decoding>,
       .identity = Identity::kAxis,
       .default_text = "exact",
       .help = "JPEG files: exact converts to RGB and then resizes, as torchvision does; fast "
               "resizes what they store (Y, Cb, Cr) and converts only the result",
       .choices = names_of<ImageDecoding>()},
      {.name = "synthetic_in_loop",
       .kind = Kind::kSwitch,
       .field = kField<&LoadingSettings::synthetic_in_loop>,
       .identity = Identity::kAxis,
       .default_text = "off",
       .help = "with synthetic data: on makes a new random batch in each step, as many published "
               "benchmarks do, and its time counts; off makes them before"},
  };
}

}  // namespace scalemark::settings::table
