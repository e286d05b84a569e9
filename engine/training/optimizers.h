// The update rules behind make_optimizer(), one factory each.
#pragma once

#include <memory>
#include <vector>

#include "engine/training/optimizer.h"

namespace scalemark::training {

using Parameters = std::vector<NamedParameter>;
using settings::RecipeSettings;

std::unique_ptr<Optimizer> make_sgd(const Parameters&, const RecipeSettings&);
std::unique_ptr<Optimizer> make_adam(const Parameters&, const RecipeSettings&);
std::unique_ptr<Optimizer> make_adamw(const Parameters&, const RecipeSettings&);
std::unique_ptr<Optimizer> make_lamb(const Parameters&, const RecipeSettings&);
std::unique_ptr<Optimizer> make_lars(const Parameters&, const RecipeSettings&);

}  // namespace scalemark::training
