#include "apps/scalemark/predict_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/scalemark/predict_assumptions.h"
#include "apps/scalemark/predict_format.h"

namespace scalemark::cli {
namespace {

constexpr const char* kRow = "%9s %7s %14s %9s %11s %14s %25s  %10s %28s  %s\n";

// These cells stand in the columns that a measured count leaves empty.
struct PredictedCells {
  std::string model, rule, predictor, band;
};

std::string row(int ranks, int nodes, double samples_per_sec, double one_rank,
                const PredictedCells& cells, const std::string& basis) {
  const double speedup = samples_per_sec / one_rank;
  return text(kRow, std::to_string(ranks).c_str(), std::to_string(nodes).c_str(),
              rate(samples_per_sec).c_str(), text("%.2f", speedup).c_str(),
              text("%.1f %%", 100 * speedup / ranks).c_str(), cells.model.c_str(),
              cells.rule.c_str(), cells.predictor.c_str(), cells.band.c_str(), basis.c_str());
}

std::string band_of(const reporting::Prediction& record) {
  if (!record.low || !record.high || !record.band_coverage) return "not testable";
  return rate(*record.low) + " to " + rate(*record.high) +
         text(" (%.0f %%)", 100 * *record.band_coverage);
}

// "assumed, indicative" -> "assumed links, indicative"
std::string links_in_words(const std::string& basis) {
  const std::size_t end = std::min(basis.find(','), basis.size());
  return basis.substr(0, end) + " links" + basis.substr(end);
}

std::string table(const WeakSeries& series, const SeriesPrediction& made,
                  const std::vector<reporting::Prediction>& records) {
  const double one_rank = one_rank_of(series);
  std::string out =
      text(kRow, "ranks", "nodes", "samples/s", "speed-up", "efficiency", "model",
           "rule (2 % per doubling)", "prediction", "band (coverage in tests)", "rests on");
  for (const SeriesRow& measured : series.rows) {
    out += row(measured.world_size, measured.nodes, measured.samples_per_sec, one_rank, {},
               "measured itself");
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    const reporting::Prediction& record = records[i];
    out += row(record.world_size, made.forecasts[i].layout.nodes, record.samples_per_sec, one_rank,
               {rate(*record.model_samples_per_sec), rate(*record.rule_samples_per_sec),
                record.predictor, band_of(record)},
               links_in_words(record.basis));
  }
  return out;
}

// One line per reason, with the ranks that it holds for.
std::string reason_lines(const std::vector<reporting::Prediction>& records) {
  std::vector<std::pair<std::string, std::string>> ranks_of;  // by reason, in order
  for (const reporting::Prediction& record : records) {
    const std::string why = record.predictor + ": " + record.reason;
    auto known = std::ranges::find(ranks_of, why, &std::pair<std::string, std::string>::first);
    if (known == ranks_of.end()) known = ranks_of.insert(known, {why, ""});
    known->second += (known->second.empty() ? "" : ", ") + std::to_string(record.world_size);
  }
  std::string out;
  for (const auto& [why, ranks] : ranks_of) {
    out += "- " + ranks + (ranks == "1" ? " rank: the " : " ranks: the ") + why + ".\n";
  }
  return out.empty() ? out : "The prediction is, for\n" + out;
}

std::string band_lines(const std::vector<reporting::Prediction>& records) {
  const bool any = std::ranges::any_of(
      records, [](const reporting::Prediction& record) { return record.low.has_value(); });
  return any ? "A band is how far such predictions were off on published series; in brackets, how "
               "many lay inside\nbands made without their own source (docs/PREDICTION.md).\n"
             : "";
}

std::string error_in_words(double error) {
  return text("%.1f %% %s", 100 * std::abs(error), error < 0 ? "below" : "above");
}

std::string layout_line(const SeriesPrediction& made) {
  return text("%d ranks on each node, ", made.ranks_per_node) +
         (made.ranks_per_node_given ? "as given\n"
                                    : "as many as were measured on one (--ranks-per-node)\n");
}

// The model and the rule say what ranks add; here they have taken away.
std::string pay_line(const WeakSeries& series) {
  const auto& largest = series.rows.back();
  if (largest.samples_per_sec >= series.rows.front().samples_per_sec) return "";
  return text("More ranks do not pay here: %d are slower than %d.\n", largest.world_size,
              series.rows.front().world_size);
}

std::string fit_lines(const WeakSeries& series, const SeriesPrediction& made) {
  double worst = 0;
  for (const double error : made.fit.relative_errors) worst = std::max(worst, std::abs(error));
  std::string out =
      text("The model's step times are within %.1f %% of those measured.", 100 * worst);
  const int largest = series.rows.back().world_size;
  if (made.left_out) {
    out += " Left out, " + std::to_string(largest) + " ranks are predicted " +
           error_in_words(made.left_out->model) + " what was measured by the model, " +
           error_in_words(made.left_out->rule) + " by the rule.\n";
  } else {
    out += " Two world sizes only: how well it predicts could not be tried on them.\n";
  }
  return out;
}

}  // namespace

std::string prediction_text(const WeakSeries& series, const SeriesPrediction& prediction,
                            const std::vector<reporting::Prediction>& records) {
  std::string out = series.title + "\n" + layout_line(prediction) + pay_line(series) + "\n" +
                    table(series, prediction, records) + "\n";
  if (series.rows.front().world_size > 1) {
    out += text("Speed-up and efficiency are relative to %d ranks: one rank was not measured.\n",
                series.rows.front().world_size);
  }
  out += reason_lines(records) + band_lines(records) + fit_lines(series, prediction);
  return out + assumptions_text(series, prediction);
}

}  // namespace scalemark::cli
