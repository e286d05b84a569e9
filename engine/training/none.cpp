// Strategy none: the true baseline, without a reducer. With N ranks, N independent replicas.
#include "engine/training/strategy.h"

namespace scalemark::training {

std::unique_ptr<Strategy> make_none(StrategyInput input) {
  return std::make_unique<Strategy>(std::move(input.parameters));
}

}  // namespace scalemark::training
