#include "engine/device/torch_defaults.h"

#include <ATen/Context.h>
#include <ATen/SDPBackend.h>

#include <cstdint>
#include <vector>

namespace scalemark::device {

void pin_attention_order() {
  // The flag is needed, too: at its first choice on a Hopper GPU, torch replaces the order by one
  // that begins with cuDNN.
  at::globalContext().setSDPUseCuDNN(false);
  using enum at::SDPBackend;
  std::vector<std::int64_t> order;
  for (const auto backend :
       {flash_attention, efficient_attention, math, cudnn_attention, overrideable}) {
    order.push_back(static_cast<std::int64_t>(backend));
  }
  at::globalContext().setSDPPriorityOrder(order);
}

}  // namespace scalemark::device
