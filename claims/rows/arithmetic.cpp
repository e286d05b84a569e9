#include "claims/rows/arithmetic.h"

#include <utility>

#include "claims/rows/mapping.h"
#include "core/catalogue/workload.h"
#include "report/judge/point/fingerprint.h"

namespace scalemark::published {

std::optional<Arithmetic> arithmetic_of(const Row& row) {
  const TrainedAs trained = trained_as(row);
  const auto chip = chip_in(row.system);
  const catalogue::Workload* network = catalogue::find_workload(trained.workload);
  if (!chip || !network || !network->flops_per_sample) return std::nullopt;
  // Shorter sequences need fewer FLOPs, and MLPerf's have up to 512 tokens.
  if (network->transformer && !row.sequence_length) return std::nullopt;
  catalogue::ModelShape shape = network->default_shape;
  if (row.sequence_length) shape.sequence_length = *row.sequence_length;
  Arithmetic found{.flops_of_sample =
                       network->flops_per_sample(catalogue::resolved_shape(*network, shape))};
  for (const std::string& precision : trained.precisions) {
    // Formats of 16 bits are equally fast: "amp", "amp (submission)", "fp16_cast".
    const bool half = (precision.starts_with("amp") && !precision.starts_with("amp-")) ||
                      precision.ends_with("_cast");
    const auto peak = reporting::peak_flops(chip->name, half ? "fp16" : precision);
    if (!peak || peak->per_sec <= found.peak_per_sec) continue;
    found.peak_per_sec = peak->per_sec;
    found.source = peak->source;
  }
  return found.peak_per_sec > 0 ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace scalemark::published
