#include "engine/training/joined_batch.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <cstdint>
#include <utility>

namespace scalemark::training {
namespace {

at::Tensor joined_field(const std::vector<data::Batch>& parts, const std::string& name,
                        bool pinned) {
  std::vector<at::Tensor> tensors;
  for (const data::Batch& part : parts) tensors.push_back(part[name]);
  at::Tensor whole = at::empty({0}, tensors.front().options().pinned_memory(pinned));
  return at::cat_out(whole, tensors);
}

data::Share share_like(const data::Batch& part) {
  data::Share share{.samples = part.samples, .non_pad_tokens = part.non_pad_tokens};
  for (const auto& [name, tensor] : part.tensors) share.rows[name] = tensor.size(0);
  return share;
}

}  // namespace

data::Batch join(std::vector<data::Batch> parts, bool pinned) {
  if (parts.size() == 1) return std::move(parts.front());
  data::Batch whole;
  for (const data::Batch& part : parts) {
    if (part.tensors.empty()) return {};  // no more batches
    whole.shares.push_back(share_like(part));
    whole.samples += part.samples;
    whole.padding += part.padding;
    whole.non_pad_tokens += part.non_pad_tokens;
    whole.wait_s += part.wait_s;
  }
  for (const auto& [name, tensor] : parts.front().tensors) {
    whole.tensors[name] = joined_field(parts, name, pinned);
  }
  return whole;
}

data::Batch share_of(const data::Batch& whole, std::size_t i) {
  const data::Share& share = whole.shares.at(i);
  data::Batch part{.samples = share.samples, .non_pad_tokens = share.non_pad_tokens};
  for (const auto& [name, tensor] : whole.tensors) {
    std::int64_t begin = 0;
    for (std::size_t before = 0; before < i; ++before) {
      begin += whole.shares[before].rows.find(name)->second;
    }
    part.tensors[name] = tensor.narrow(0, begin, share.rows.find(name)->second);
  }
  return part;
}

}  // namespace scalemark::training
