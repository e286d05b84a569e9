// The optimizers, as far as settings and estimates need to know them. Their update rules are in
// engine/training/.
#pragma once

#include <string_view>
#include <vector>

namespace scalemark::catalogue {

// An optimizer keeps this between steps, in tensors of the parameters' size.
enum class OptimizerState {
  kMomentum,    // one, with momentum; else none
  kTwoMoments,  // two
};

// In the order of optimizer_list.inc.
std::vector<std::string_view> optimizer_names();

// How many tensors of the parameters' size `optimizer` keeps; bug() for an unknown name.
int state_copies(std::string_view optimizer, double momentum);

// How many such tensors an update makes, and frees at its end; bug() for an unknown name.
int update_copies(std::string_view optimizer);

}  // namespace scalemark::catalogue
