#include "core/settings/table/table.h"

namespace scalemark::settings::table {

// Options of data loading: what happens to images between decoding and network.
std::vector<Option> augmenting_options() {
  constexpr Range kProbability{.low = 0, .high = 1};
  constexpr Range kAlpha{.low = 0, .high = 1000};
  return {
      {.name = "augment",
       .kind = Kind::kChoice,
       .commands = kDataBench | kDataShow,
       .field = kField<&LoadingSettings::augment>,
       .identity = Identity::kAxis,
       .default_text = "basic",
       .help = "what training does to images: random crop and flip (basic), and then one operation "
               "(trivial), two (randaugment) or other colours (colour-jitter); all but basic need "
               "OpenCV",
       .choices = names_of<Augment>()},
      {.name = "random_erasing",
       .kind = Kind::kNumber,
       .commands = kDataBench | kDataShow,
       .field = kField<&LoadingSettings::random_erasing>,
       .identity = Identity::kAxis,
       .default_text = "0",
       .help = "share of the images of which a rectangle is erased",
       .value_name = "P",
       .range = kProbability},
      {.name = "mixup",
       .kind = Kind::kNumber,
       .commands = kDataBench | kDataShow,
       .field = kField<&LoadingSettings::mixup>,
       .identity = Identity::kAxis,
       .default_text = "0",
       .help = "blend the images and labels of a batch by a share from Beta(A, A); 0: do not",
       .value_name = "A",
       .range = kAlpha},
      {.name = "cutmix",
       .kind = Kind::kNumber,
       .commands = kDataBench | kDataShow,
       .field = kField<&LoadingSettings::cutmix>,
       .identity = Identity::kAxis,
       .default_text = "0",
       .help = "paste a rectangle of another image, its area from Beta(A, A); with --mixup each "
               "batch gets one of the two; 0: do not",
       .value_name = "A",
       .range = kAlpha},
  };
}

}  // namespace scalemark::settings::table
