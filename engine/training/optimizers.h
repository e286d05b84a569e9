// The update rules behind make_optimizer(), one factory each.
#pragma once

#include <memory>
#include <vector>

#include "engine/training/optimizer.h"

namespace scalemark::training {

using Parameters = std::vector<NamedParameter>;
using settings::RecipeSettings;

#define SCALEMARK_OPTIMIZER(name, maker, state, update_copies) \
  std::unique_ptr<Optimizer> maker(const Parameters&, const RecipeSettings&, const WholeNorms&);
#include "core/catalogue/optimizer_list.inc"
#undef SCALEMARK_OPTIMIZER

}  // namespace scalemark::training
