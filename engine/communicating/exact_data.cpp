#include "engine/communicating/exact_data.h"

#include <ATen/ops/empty_like.h>

#include "core/collectives/check.h"

namespace scalemark::communicating {

void fill(const Buffers& buffers, const planning::CollectivePoint& point, int rank, int round) {
  clear(buffers);
  if (!buffers.input.defined()) return;
  const at::Tensor host = at::empty_like(buffers.input, buffers.input.options().device(at::kCPU));
  fill_input(exchange_of(point, round), rank, point.dtype, host.mutable_data_ptr());
  buffers.input.copy_(host);
}

void count_wrong(const Buffers& buffers, const planning::CollectivePoint& point, int rank,
                 int round, reporting::CollectiveTimes& times) {
  const auto exchange = exchange_of(point, round);
  if (!buffers.output.defined() || output_elements(exchange, rank) == 0) return;
  const at::Tensor host = buffers.output.cpu();
  const auto wrong = wrong_elements(exchange, rank, point.dtype, host.const_data_ptr());
  if (wrong.count > 0 && times.wrong == 0) {
    times.first_wrong = wrong.first;
    times.wrong_from = wrong.from;
  }
  times.wrong += wrong.count;
}

void clear(const Buffers& buffers) {
  if (buffers.input.defined()) buffers.input.zero_();
  if (buffers.output.defined()) buffers.output.zero_();
}

}  // namespace scalemark::communicating
