#include "apps/scalemark/predict_records.h"

namespace scalemark::cli {
namespace {

using prediction::Forecast;
using prediction::LinkOrigin;

// What the links are that this world size needs.
std::string basis_of(const SeriesPrediction& made, const Forecast& forecast) {
  const auto given = [&](int ranks, std::size_t level) {
    return ranks > 1 && made.fit.links[level] == LinkOrigin::kGiven;
  };
  const bool any_given = given(forecast.layout.nodes, prediction::kInterNode) ||
                         given(forecast.layout.ranks_per_node, prediction::kIntraNode);
  const std::string links = forecast.assumed_link ? "assumed" : any_given ? "given" : "measured";
  return forecast.indicative ? links + ", indicative" : links;
}

}  // namespace

double one_rank_of(const WeakSeries& series) {
  const SeriesRow& first = series.rows.front();
  return first.samples_per_sec / first.world_size;
}

std::vector<reporting::Prediction> prediction_records(const WeakSeries& series,
                                                      const SeriesPrediction& made) {
  std::vector<reporting::Prediction> records;
  for (const Forecast& forecast : made.forecasts) {
    const double rate = series.samples_per_rank_step * forecast.world_size / forecast.step_s;
    records.push_back({.slice = series.title,
                       .world_size = forecast.world_size,
                       .samples_per_sec = rate,
                       .efficiency = rate / one_rank_of(series) / forecast.world_size,
                       .low = rate * forecast.band.low,
                       .high = rate * forecast.band.high,
                       .basis = basis_of(made, forecast)});
  }
  return records;
}

}  // namespace scalemark::cli
