#include "apps/scalemark/augmentation_values.h"

namespace scalemark::cli {

data::Augmentation augmentation_of(const settings::ToolValues& values) {
  return {.augment = find_word<data::Augment>(*values.text("augment")).value(),
          .random_erasing = *values.number("random_erasing"),
          .mixing = {.mixup = *values.number("mixup"), .cutmix = *values.number("cutmix")}};
}

}  // namespace scalemark::cli
