#include "apps/scalemark/predict_text.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace scalemark::cli {
namespace {

using prediction::Forecast;
using prediction::LinkOrigin;

constexpr const char* kRow = "%9s %7s %14s %9s %11s %27s  %s\n";

// printf into a string, for its columns and rounding.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char buffer[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(buffer, sizeof buffer, format, values);
  va_end(values);
  return buffer;
}

// 12345.6 -> "12,346"; below 100 two decimals.
std::string rate(double value) {
  if (value < 100) return text("%.2f", value);
  std::string digits = text("%.0f", value);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), ",");
  }
  return digits;
}

std::string row(int ranks, int nodes, double samples_per_sec, double one_rank,
                const std::string& band, const std::string& basis) {
  const double speedup = samples_per_sec / one_rank;
  return text(kRow, std::to_string(ranks).c_str(), std::to_string(nodes).c_str(),
              rate(samples_per_sec).c_str(), text("%.2f", speedup).c_str(),
              text("%.1f %%", 100 * speedup / ranks).c_str(), band.c_str(), basis.c_str());
}

// "assumed, indicative" -> "assumed links, indicative"
std::string links_in_words(const std::string& basis) {
  const std::size_t end = std::min(basis.find(','), basis.size());
  return basis.substr(0, end) + " links" + basis.substr(end);
}

std::string table(const WeakSeries& series, const SeriesPrediction& made,
                  const std::vector<reporting::Prediction>& records) {
  const double one_rank = one_rank_of(series);
  std::string out = text(kRow, "ranks", "nodes", "samples/s", "speed-up", "efficiency",
                         "9 in 10 between", "rests on");
  for (const SeriesRow& measured : series.rows) {
    out += row(measured.world_size, measured.nodes, measured.samples_per_sec, one_rank, "",
               "measured itself");
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    const reporting::Prediction& record = records[i];
    out += row(record.world_size, made.forecasts[i].layout.nodes, record.samples_per_sec, one_rank,
               rate(*record.low) + " and " + rate(*record.high), links_in_words(record.basis));
  }
  return out;
}

std::string fit_lines(const WeakSeries& series, const SeriesPrediction& made) {
  double worst = 0;
  for (const double error : made.fit.relative_errors) worst = std::max(worst, std::abs(error));
  std::string out =
      text("The model's step times are within %.1f %% of those measured.", 100 * worst);
  const int largest = series.rows.back().world_size;
  if (made.left_out_error) {
    out += text(" Left out, %d ranks are predicted %.1f %% %s what was measured.\n", largest,
                100 * std::abs(*made.left_out_error), *made.left_out_error < 0 ? "below" : "above");
  } else {
    out += " Two world sizes only: how well it predicts could not be tried on them.\n";
  }
  return out;
}

std::string link_line(const prediction::Fit& fit, std::size_t level, bool payload_known) {
  const prediction::Link& link = fit.model.links[level];
  const std::string where = level == prediction::kInterNode ? "between nodes" : "within a node";
  switch (fit.links[level]) {
    case LinkOrigin::kAssumed:
      return "- Links " + where +
             " were not measured and are not given: taken to be like the other level.\n";
    case LinkOrigin::kGiven:
    case LinkOrigin::kMeasured:
      break;
  }
  const char* origin = fit.links[level] == LinkOrigin::kGiven ? "given" : "fitted";
  if (!payload_known)
    return "- Links " + where + ": " + origin + ", as seconds per step: the payload is unknown.\n";
  const std::string bandwidth = link.s_per_byte > 0 ? text("%.3g GB/s", 1e-9 / link.s_per_byte)
                                                    : std::string("no cost per byte seen");
  return text("- Links %s: alpha %.3g us, %s (%s).\n", where.c_str(), link.alpha_s * 1e6,
              bandwidth.c_str(), origin);
}

std::string overlap_line(const WeakSeries& series, const SeriesPrediction& made) {
  if (made.fit.links[prediction::kIntraNode] == LinkOrigin::kGiven && series.measured.backward_s) {
    return text("- %.0f %% of backward (%.3g ms) hides communication.\n",
                100 * made.fit.model.overlap, 1e3 * made.fit.model.backward_s);
  }
  return "- Overlap with backward cannot be told from a faster link here: links are what is not "
         "hidden.\n";
}

std::string assumption_lines(const WeakSeries& series, const SeriesPrediction& made) {
  const prediction::CostModel& model = made.fit.model;
  const bool payload_known = series.measured.payload_bytes.has_value();
  std::string out = "It assumes:\n";
  out += "- Each rank goes on with the same batch, on machines and software like those measured.\n";
  out += text(
      "- %d ranks stand on a node (%s).\n", made.ranks_per_node,
      made.ranks_per_node_given ? "from the topology file" : "the most that were measured on one");
  out += text("- Computing takes %.4g ms on one rank, and %.2f %% more per factor of e in ranks.\n",
              1e3 * model.compute_s, 100 * model.jitter_growth);
  out += payload_known
             ? text("- Each step all-reduces %.4g MB by ring or tree, whichever is cheaper.\n",
                    *series.measured.payload_bytes / 1e6)
             : std::string(
                   "- Each step all-reduces the same bytes by ring or tree, "
                   "whichever is cheaper.\n");
  out += link_line(made.fit, prediction::kIntraNode, payload_known);
  out += link_line(made.fit, prediction::kInterNode, payload_known);
  out += overlap_line(series, made);
  out +=
      "- Growth is pulled towards \"the last efficiency holds\", as far as that paid off on "
      "published series.\n";
  out +=
      "- \"9 in 10\" is how far this method was off on published series, links assumed or not "
      "(docs/PREDICTION.md).\n";
  if (std::any_of(made.forecasts.begin(), made.forecasts.end(),
                  [](const Forecast& forecast) { return forecast.indicative; })) {
    out += text("- \"indicative\": more than %d times the ranks that were measured.\n",
                prediction::kIndicativeBeyond);
  }
  return out;
}

}  // namespace

std::string prediction_text(const WeakSeries& series, const SeriesPrediction& prediction,
                            const std::vector<reporting::Prediction>& records) {
  std::string out = series.title + "\n\n" + table(series, prediction, records) + "\n";
  if (series.rows.front().world_size > 1) {
    out += text("Speed-up and efficiency are relative to %d ranks: one rank was not measured.\n",
                series.rows.front().world_size);
  }
  return out + fit_lines(series, prediction) + assumption_lines(series, prediction);
}

}  // namespace scalemark::cli
