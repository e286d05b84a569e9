#include "apps/scalemark/predict_records.h"

#include "apps/scalemark/predict_format.h"

namespace scalemark::cli {
namespace {

using prediction::Forecast;
using prediction::LinkOrigin;
using prediction::Predictor;

// Names the links that this world size needs, and where their values come from.
std::string basis_of(const SeriesPrediction& made, const Forecast& forecast) {
  const auto given = [&](int ranks, std::size_t level) {
    return ranks > 1 && made.fit.links[level] == LinkOrigin::kGiven;
  };
  const bool any_given = given(forecast.layout.nodes, prediction::kInterNode) ||
                         given(forecast.layout.ranks_per_node, prediction::kIntraNode);
  const std::string links = forecast.assumed_link ? "assumed" : any_given ? "given" : "measured";
  return forecast.indicative ? links + ", indicative" : links;
}

// Why the prediction is the model's or the rule's.
std::string reason_of(const Forecast& forecast) {
  if (forecast.below_largest) return "fewer ranks than were measured: the model runs between them";
  if (!forecast.test) {
    return text("not testable: fewer than %d published series of %d sources go so far",
                prediction::kFewestSeries, prediction::kFewestSources);
  }
  const prediction::PublishedTest& test = *forecast.test;
  return text(
      "to %d times the ranks%s, median errors on %d published series of %d sources are %.1f %% "
      "(model) and %.1f %% (rule), difference %+.2f to %+.2f points (95 %% over sources), %s",
      1 << test.doublings, test.new_link_level ? " over links not measured" : "", test.series,
      test.sources, 100 * test.model_error, 100 * test.rule_error, 100 * test.difference_low,
      100 * test.difference_high,
      forecast.predictor == Predictor::kModel ? "below 0" : "not below 0");
}

void add_test(reporting::Prediction& record, const prediction::PublishedTest& test) {
  record.low = record.samples_per_sec * test.band.low;
  record.high = record.samples_per_sec * test.band.high;
  record.band_coverage = test.coverage;
  record.tested_series = test.series;
  record.tested_sources = test.sources;
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
    const double samples = series.samples_per_rank_step * forecast.world_size;
    const double rate = samples / predicted_step_s(forecast);
    reporting::Prediction record{
        .slice = series.title,
        .world_size = forecast.world_size,
        .samples_per_sec = rate,
        .efficiency = rate / one_rank_of(series) / forecast.world_size,
        .predictor = forecast.predictor == Predictor::kModel ? "model" : "rule",
        .reason = reason_of(forecast),
        .model_samples_per_sec = samples / forecast.model_step_s,
        .rule_samples_per_sec = samples / forecast.rule_step_s,
        .basis = basis_of(made, forecast)};
    if (forecast.test) add_test(record, *forecast.test);
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace scalemark::cli
