#include "apps/scalemark/predict_assumptions.h"

#include "core/base/text.h"

namespace scalemark::cli {
namespace {

using prediction::LinkOrigin;

std::string link_line(const prediction::Fit& fit, std::size_t level, bool payload_known) {
  const prediction::Link& link = fit.model.links[level];
  const std::string where = level == prediction::kInterNode ? "between nodes" : "within a node";
  switch (fit.links[level]) {
    case LinkOrigin::kAssumed:
      return "links " + where +
             " were not measured and are not given: taken to be like the other level";
    case LinkOrigin::kGiven:
    case LinkOrigin::kMeasured:
      break;
  }
  const char* origin = fit.links[level] == LinkOrigin::kGiven ? "given" : "fitted";
  if (!payload_known)
    return "links " + where + ": " + origin + ", as seconds per step: the payload is unknown";
  const std::string bandwidth = link.s_per_byte > 0
                                    ? significant(1e-9 / link.s_per_byte, 3) + " GB/s"
                                    : std::string("no cost per byte seen");
  return "links " + where + ": alpha " + significant(link.alpha_s * 1e6, 3) + " us, " + bandwidth +
         " (" + origin + ")";
}

std::string overlap_line(const WeakSeries& series, const SeriesPrediction& made) {
  if (made.fit.links[prediction::kIntraNode] == LinkOrigin::kGiven && series.measured.backward_s) {
    return printed("%.0f %% of backward (", 100 * made.fit.model.overlap) +
           significant(1e3 * made.fit.model.backward_s, 3) + " ms) hides communication";
  }
  return "overlap with backward cannot be told from a faster link here: links are what is not "
         "hidden";
}

}  // namespace

std::vector<std::string> assumption_lines(const WeakSeries& series, const SeriesPrediction& made) {
  const prediction::CostModel& model = made.fit.model;
  const bool payload_known = series.measured.payload_bytes.has_value();
  const std::string payload = payload_known
                                  ? significant(*series.measured.payload_bytes / 1e6, 4) + " MB"
                                  : "the same bytes";
  return {"each rank goes on with the same batch, on machines and software like those measured",
          "computing takes " + significant(1e3 * model.compute_s, 4) +
              printed(" ms on one rank, and %.2f %% more per factor of e in ranks",
                      100 * model.jitter_growth),
          "each step all-reduces " + payload + " by ring or tree, whichever is cheaper",
          link_line(made.fit, prediction::kIntraNode, payload_known),
          link_line(made.fit, prediction::kInterNode, payload_known),
          overlap_line(series, made),
          "growth is pulled towards \"the last efficiency holds\", as far as that paid off on "
          "published series"};
}

}  // namespace scalemark::cli
