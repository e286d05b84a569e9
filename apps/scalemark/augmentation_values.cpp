#include "apps/scalemark/augmentation_values.h"

namespace scalemark::cli {

data::Augmentation augmentation_of(const settings::ToolValues& values) {
  return {.augment = find_word<data::Augment>(*values.text("augment")).value(),
          .random_erasing = *values.share("random_erasing"),
          .mixing = {.mixup = *values.share("mixup"), .cutmix = *values.share("cutmix")}};
}

}  // namespace scalemark::cli
