// Which predictions the published series test, which of model and rule erred less there, and how
// far off it was (docs/PREDICTION.md). Knows no series: scripts/prediction finds the numbers. Pure.
#pragma once

#include <span>

namespace scalemark::prediction {

// The cost model (cost_model.h), or "efficiency falls 2 % per doubling" (doubling_rule.h).
enum class Predictor { kModel, kRule };

// Factors on the predicted samples per second.
struct Band {
  double low = 1, high = 1;
};

// How far a prediction goes beyond what was measured.
struct Reach {
  bool new_link_level = false;  // over links between nodes, or within one, that no point has used
  double doublings = 0;         // log2(world size / largest one measured); negative below it
  int world_size = 1;           // that is predicted
};

// Predictions of one class, tried on published series, each series with the same weight. Errors are
// shares: |predicted / published - 1|.
struct PublishedTest {
  bool new_link_level = false;
  int doublings = 1;  // more than doublings - 1, at most so many
  int series = 0, sources = 0;
  int largest_world_size = 0;  // that at least kFewestSeries series of kFewestSources reach
  double model_error = 0, rule_error = 0;          // medians
  double difference_low = 0, difference_high = 0;  // of the medians, model - rule: 95 % interval
                                                   // over sources
  Band band;            // that holds 95 % of measured / predicted by the better predictor
  double coverage = 0;  // share of the predictions inside bands made without their source
};

// Fewer than so many test nothing: then there is no band, and the rule predicts.
inline constexpr int kFewestSeries = 5, kFewestSources = 3;
inline constexpr int kMostDoublings = 3;

// The classes that are tested, from results/published.
std::span<const PublishedTest> published_tests();

// Number of the class: 1 up to twice the ranks, 2 up to 4 times, ...; 0 where nothing is predicted
// beyond what was measured.
int doublings_class(double doublings);

// The test that covers this reach, or null: not testable.
const PublishedTest* test_of(std::span<const PublishedTest> tests, const Reach& reach);

// The model where the interval of its median error minus the rule's lies below 0, else the rule.
Predictor better_predictor(const PublishedTest& test);

}  // namespace scalemark::prediction
