#include "core/prediction/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/prediction/least_squares.h"

namespace scalemark::prediction {
namespace {

constexpr double kOverlapStep = 0.05;
constexpr int kHingeRounds = 6;
constexpr int kChunksOfUnknownPayload = 16;
// A message of so many bytes spends half its time in alpha (Hockney's half-performance length):
// Gloo and InfiniBand have 50 to 200 kB, NVLink about 1 MB.
constexpr double kHalfPerformanceBytes = 200e3;

// Where compute times were measured apart from step times, communication is seen, not inferred.
constexpr double kPullWhenComputeIsKnown = 1.0 / 30;

bool compute_is_known(const Measured& measured) {
  return std::all_of(measured.points.begin(), measured.points.end(),
                     [](const MeasuredPoint& point) { return point.own_max_s.has_value(); });
}

// One unknown of the fit: what it multiplies at each point, and where its value goes.
struct Unknown {
  std::vector<double> factors;  // per point
  double largest = 0;  // of `factors`: unknowns are solved for as a share of the first step
  double* value = nullptr;
  bool communication = false;
  double pull = 1;  // how much harder than others it is pulled towards 0
};

// One try: an algorithm and an overlap, with everything else solved for.
class Attempt {
 public:
  Attempt(const Measured& measured, Algorithm algorithm, double overlap, double pull)
      : measured_(measured),
        pull_(compute_is_known(measured) ? pull * kPullWhenComputeIsKnown : pull),
        first_step_s_(measured.points[0].step_s) {
    CostModel& model = fit_.model;
    model.overlap = overlap;
    model.backward_s = measured.backward_s.value_or(0);
    model.payload_bytes = measured.payload_bytes.value_or(1);
    model.chunks =
        measured.payload_bytes ? chunks_of(*measured.payload_bytes) : kChunksOfUnknownPayload;
    for (const MeasuredPoint& point : measured.points) {
      terms_.push_back(allreduce_terms(algorithm, point.layout, model.payload_bytes, model.chunks));
      exposed_.push_back(point.world_size > 1);
    }
    list_unknowns();
  }

  // Which points expose communication depends on the solution, and the other way round: a few
  // rounds until they agree.
  Fit run() {
    for (int round = 0; round < kHingeRounds; ++round) {
      const std::vector<Equation> equations = make_equations();
      take(non_negative_least_squares(equations));
      if (!exposure_changed()) break;
    }
    assume_missing_links();
    finish();
    return fit_;
  }

 private:
  void list_unknowns() {
    CostModel& model = fit_.model;
    add(model.compute_s, false, [](std::size_t) { return 1.0; });
    add(growth_s_, false, [&](std::size_t i) { return std::log(measured_.points[i].world_size); });
    for (std::size_t level = 0; level < kLevels; ++level) {
      const KnownLink& known = measured_.known_links[level];
      Link& link = model.links[level];
      link = {known.alpha_s.value_or(0), known.s_per_byte.value_or(0)};
      const double alpha_share = likely_alpha_share(level);
      if (!known.alpha_s) {
        add(
            link.alpha_s, true, [&](auto i) { return terms_[i].messages[level]; },
            0.5 / alpha_share);
      }
      if (!known.s_per_byte) {
        add(
            link.s_per_byte, true, [&](auto i) { return terms_[i].bytes[level]; },
            0.5 / (1 - alpha_share));
      }
    }
  }

  // A few counts cannot separate alpha from beta. What is likely depends on the size of the
  // messages: megabytes are not slow because of microseconds.
  double likely_alpha_share(std::size_t level) const {
    if (!measured_.payload_bytes) return 0.5;
    double largest_message = 0;
    for (const CostTerms& terms : terms_) {
      if (terms.messages[level] > 0) {
        largest_message = std::max(largest_message, terms.bytes[level] / terms.messages[level]);
      }
    }
    return kHalfPerformanceBytes / (kHalfPerformanceBytes + std::max(largest_message, 1.0));
  }

  template <class Factor>
  void add(double& value, bool communication, Factor factor, double pull = 1) {
    Unknown unknown{.value = &value, .communication = communication, .pull = pull};
    for (std::size_t i = 0; i < measured_.points.size(); ++i) {
      unknown.factors.push_back(factor(i));
      unknown.largest = std::max(unknown.largest, unknown.factors.back());
    }
    if (unknown.largest > 0) unknowns_.push_back(std::move(unknown));
  }

  // Communication that is known beforehand, less what backward hides.
  double known_communication_s(std::size_t i) const {
    double known = -fit_.model.overlap * fit_.model.backward_s;
    for (std::size_t level = 0; level < kLevels; ++level) {
      const KnownLink& link = measured_.known_links[level];
      known += terms_[i].messages[level] * link.alpha_s.value_or(0) +
               terms_[i].bytes[level] * link.s_per_byte.value_or(0);
    }
    return known;
  }

  Equation equation(std::size_t i, double seen_s, bool with_communication) const {
    const double step_s = measured_.points[i].step_s;
    Equation made;
    for (const Unknown& unknown : unknowns_) {
      const bool counts = with_communication || !unknown.communication;
      made.coefficients.push_back(
          counts ? unknown.factors[i] / unknown.largest * first_step_s_ / step_s : 0);
    }
    made.target = (seen_s - (with_communication ? known_communication_s(i) : 0)) / step_s;
    return made;
  }

  std::vector<Equation> make_equations() const {
    std::vector<Equation> equations;
    for (std::size_t i = 0; i < measured_.points.size(); ++i) {
      const MeasuredPoint& point = measured_.points[i];
      equations.push_back(equation(i, point.step_s, exposed_[i]));
      if (point.own_max_s) equations.push_back(equation(i, *point.own_max_s, false));
    }
    for (std::size_t j = 1; j < unknowns_.size(); ++j) {  // all but T_1 are pulled towards 0
      Equation pull{.coefficients = std::vector<double>(unknowns_.size(), 0.0)};
      pull.coefficients[j] = std::sqrt(pull_) * unknowns_[j].pull;
      equations.push_back(std::move(pull));
    }
    return equations;
  }

  void take(const std::vector<double>& shares) {
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      *unknowns_[j].value = shares[j] * first_step_s_ / unknowns_[j].largest;
    }
    CostModel& model = fit_.model;
    model.jitter_growth = model.compute_s > 0 ? growth_s_ / model.compute_s : 0;
    fit_.objective = 0;
    for (std::size_t j = 1; j < shares.size(); ++j) {
      fit_.objective += pull_ * std::pow(unknowns_[j].pull * shares[j], 2);
    }
  }

  bool exposure_changed() {
    bool changed = false;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const bool now =
          measured_.points[i].world_size > 1 &&
          cost_s(terms_[i], fit_.model.links) > fit_.model.overlap * fit_.model.backward_s;
      changed |= now != exposed_[i];
      exposed_[i] = now;
    }
    return changed;
  }

  bool used(std::size_t level) const {
    return std::any_of(terms_.begin(), terms_.end(),
                       [&](const CostTerms& terms) { return terms.messages[level] > 0; });
  }

  void assume_missing_links() {
    for (std::size_t level = 0; level < kLevels; ++level) {
      const KnownLink& known = measured_.known_links[level];
      if (known.alpha_s && known.s_per_byte) {
        fit_.links[level] = LinkOrigin::kGiven;
      } else if (used(level)) {
        fit_.links[level] = LinkOrigin::kMeasured;
      }
    }
    for (std::size_t level = 0; level < kLevels; ++level) {
      if (fit_.links[level] != LinkOrigin::kAssumed) continue;
      const KnownLink& known = measured_.known_links[level];
      const Link& other = fit_.model.links[1 - level];
      fit_.model.links[level] = {known.alpha_s.value_or(other.alpha_s),
                                 known.s_per_byte.value_or(other.s_per_byte)};
    }
  }

  void finish() {
    for (const MeasuredPoint& point : measured_.points) {
      const double error = step_s(fit_.model, point.world_size, point.layout) / point.step_s - 1;
      fit_.relative_errors.push_back(error);
      fit_.objective += error * error;
      if (point.own_max_s) {
        const double own = compute_s(fit_.model, point.world_size) - *point.own_max_s;
        fit_.objective += own * own / (point.step_s * point.step_s);
      }
    }
    fit_.model.level = 1 / (1 + fit_.relative_errors.back());
  }

  const Measured& measured_;
  double pull_, first_step_s_;
  double growth_s_ = 0;  // T_1 s
  Fit fit_;
  std::vector<CostTerms> terms_;
  std::vector<bool> exposed_;
  std::vector<Unknown> unknowns_;
};

void refuse_nonsense(const Measured& measured) {
  if (measured.points.size() < kFewestPoints) throw bug("a fit of too few points");
  int last = 0;
  for (const MeasuredPoint& point : measured.points) {
    if (point.world_size <= last) throw bug("points of a fit are not ascending");
    if (!(point.step_s > 0)) throw bug("a step time of a fit is not positive");
    last = point.world_size;
  }
}

std::vector<double> overlaps_to_try(const Measured& measured) {
  const auto given = [](const KnownLink& link) { return link.alpha_s && link.s_per_byte; };
  std::vector<double> overlaps = {0};
  if (!measured.backward_s || !given(measured.known_links[kIntraNode])) return overlaps;
  for (int i = 1; i * kOverlapStep <= 1; ++i) overlaps.push_back(i * kOverlapStep);
  return overlaps;
}

}  // namespace

Fit fit(const Measured& measured, const FitOptions& options) {
  refuse_nonsense(measured);
  std::optional<Fit> best;
  for (const Algorithm algorithm : {Algorithm::kRing, Algorithm::kTree}) {
    if (options.algorithm && *options.algorithm != algorithm) continue;
    for (const double overlap : overlaps_to_try(measured)) {
      Fit found = Attempt(measured, algorithm, overlap, options.pull).run();
      // A negligible gain is no reason to leave the ring, or to claim overlap.
      if (!best || found.objective < best->objective * (1 - 1e-9) - 1e-15) best = std::move(found);
    }
  }
  return *best;
}

}  // namespace scalemark::prediction
