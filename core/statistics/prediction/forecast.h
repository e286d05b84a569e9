// Predicts the throughput of world sizes that were not measured: beyond them by a rule, between
// them on a line; and says how far off the rule was on published series (PREDICTION_STUDY.md).
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace scalemark::prediction {

// The rule: efficiency falls by so much with each doubling of the ranks, whatever was measured.
inline constexpr double kLossPerDoubling = 0.02;
// Fewer measured world sizes say nothing of growth.
inline constexpr std::size_t kFewestPoints = 2;
// A prediction beyond this many times the largest measured world size is only indicative.
inline constexpr int kIndicativeBeyond = 4;

// A point of weak scaling: each rank has the same batch at every world size.
struct MeasuredPoint {
  int world_size = 1, nodes = 1;
  double samples_per_sec = 0;
};
using MeasuredPoints = std::span<const MeasuredPoint>;  // ascending, each world size once

// How far a prediction goes beyond what was measured.
struct Reach {
  // It goes over links between nodes, or within one, that no point has used.
  bool new_link_level = false;
  double doublings = 0;  // log2(world size / largest one measured); negative below it
  int world_size = 1;    // the world size that is predicted
};
Reach reach_of(MeasuredPoints measured, int world_size, int nodes);

// Factors on the predicted samples per second.
struct Band {
  double low = 1, high = 1;
};

// Predictions of one class by the rule, tried on published series, each with the same weight.
struct PublishedTest {
  bool new_link_level = false;
  int doublings = 1;  // the class has more than doublings - 1 of them, and at most so many
  int series = 0, sources = 0;
  int largest_world_size = 0;  // at least kFewestSeries series of kFewestSources sources reach it
  double median_error = 0;     // median of |predicted / published - 1|
  Band band;                   // holds 95 % of published / predicted
  double coverage = 0;         // share of the predictions inside bands made without their source
};

// Fewer series or sources test nothing: then there is no band.
inline constexpr int kFewestSeries = 5, kFewestSources = 3;
inline constexpr int kMostDoublings = 3;

// The classes that are tested, from results/published: scripts/prediction finds the numbers.
std::span<const PublishedTest> published_tests();

// Number of the class: 1 up to twice the ranks, 2 up to 4 times, ...; 0 where nothing is predicted
// beyond what was measured.
int doublings_class(double doublings);

// The test that covers this reach, or null: not testable.
const PublishedTest* test_of(std::span<const PublishedTest> tests, const Reach& reach);

enum class Predictor { kRule, kInterpolation };

struct Forecast {
  int world_size = 1, nodes = 1;
  double samples_per_sec = 0;
  Predictor predictor = Predictor::kRule;
  std::optional<PublishedTest> test;  // unset: no published series test it
  bool assumed_link = false, indicative = false;
};

// Beyond the largest measured world size N_last the rule predicts
//   E(N) = E(N_last) x (1 - kLossPerDoubling)^log2(N / N_last);
// between two measured ones E is linear in log N. Absent below the smallest one, for which there is
// neither. Throws bug() for fewer than kFewestPoints points, points that are not ascending, a rate
// that is not positive, and a world size that was measured.
std::optional<Forecast> forecast(MeasuredPoints measured, int world_size, int nodes,
                                 std::span<const PublishedTest> tests = published_tests());

// Returns predicted / measured - 1 for the samples per second of the largest point, which the rule
// predicts from the one before it. Absent with fewer than 3 points.
std::optional<double> miss_of_the_largest(MeasuredPoints measured);

}  // namespace scalemark::prediction
