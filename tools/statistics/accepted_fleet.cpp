#include "tools/statistics/accepted_fleet.h"

#include <algorithm>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/student_t_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <cstdio>
#include <limits>
#include <ranges>
#include <span>
#include <utility>

#include "core/settings/config_file.h"
#include "core/statistics/acceptance_basis.h"
#include "core/statistics/summary.h"

namespace scalemark::trials {
namespace {

using Verdict = statistics::AcceptanceJudgement;

constexpr std::size_t kMostSessions = 6;  // three reach the last look

// The mean is 0 and the standard deviation 1.
double drawn(Random& random, Shape shape) {
  if (shape == Shape::kSkewed) {
    return 2 - boost::random::gamma_distribution<double>(4, 0.5)(random);
  }
  if (shape == Shape::kHeavyTails) {
    return boost::random::student_t_distribution<double>(5)(random) / std::sqrt(5.0 / 3);
  }
  return normal(random);
}

}  // namespace

acceptance::Rules shipped_rules(const std::string& file) {
  const std::string path = std::string(SCALEMARK_SOURCE_DIR) + "/configs/acceptance/rules/" + file;
  return acceptance::parse_rules(settings::read_text_file(path), path);
}

const char* name_of(Shape shape) {
  if (shape == Shape::kNormal) return "normal";
  return shape == Shape::kSkewed ? "skewed" : "t5";
}

Levels levels_of(Random& random, const Fleet& fleet) {
  Levels levels;
  for (std::size_t node = 0; node < fleet.nodes; ++node) {
    const double of_node = fleet.node * drawn(random, fleet.shape);
    for (std::size_t device = 0; device < fleet.per_node; ++device) {
      levels.push_back(of_node + fleet.device * drawn(random, fleet.shape));
    }
  }
  return levels;
}

double true_reference(const Levels& levels) {
  return statistics::reference_of_fleet(levels, 0).ln_value;
}

void plant(Levels& levels, std::size_t device, double below) {
  levels[device] = -std::numeric_limits<double>::infinity();
  levels[device] = true_reference(levels) - below;
}

MeasuredFleet::MeasuredFleet(Random& random, Levels levels, std::size_t per_node,
                             const Starts& starts)
    : random_(random),
      levels_(std::move(levels)),
      per_node_(per_node),
      starts_(starts),
      parts_(levels_.size()) {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    noises_.push_back(starts.noise * std::exp(starts.noises_differ_by * normal(random)));
    last_.push_back(normal(random));
  }
  noises_[0] *= starts.first_noisier;
}

double MeasuredFleet::noise_of(std::size_t device) {
  constexpr double kCorrelation = 0.8;
  if (starts_.shape == StartShape::kHeavy) return heavy(random_);
  if (starts_.shape == StartShape::kNormal) return normal(random_);
  last_[device] =
      kCorrelation * last_[device] + std::sqrt(1 - kCorrelation * kCorrelation) * normal(random_);
  return last_[device];
}

void MeasuredFleet::start_node(std::size_t first, std::size_t times) {
  boost::random::uniform_01<double> uniform;
  std::vector<double> of_start;
  for (std::size_t k = 0; k < times; ++k) {
    const std::size_t number = parts_[first].values.size() + k;
    double common = sessions_ > 0 ? starts_.later_sessions : 0;
    common += starts_.each_start * static_cast<double>(number);
    if (starts_.of_node > 0) common += starts_.of_node * normal(random_);
    if (number == 0 && first / per_node_ % 2 == 1) common += starts_.half_first_start;
    of_start.push_back(common);
  }
  for (std::size_t i = first; i < first + per_node_; ++i) {
    const bool other = i == 0 && starts_.first_slow_share > 0;
    const double share = other ? starts_.first_slow_share : starts_.slow_share;
    const double slow_by = other ? starts_.first_slow_by : starts_.slow_by;
    for (std::size_t k = 0; k < times; ++k) {
      const bool is_slow = share > 0 && uniform(random_) < share;
      parts_[i].values.push_back(levels_[i] + noises_[i] * noise_of(i) + of_start[k] -
                                 (is_slow ? slow_by : 0));
      parts_[i].sessions.push_back(sessions_);
    }
  }
}

void MeasuredFleet::start_all(std::size_t times) {
  for (std::size_t first = 0; first < parts_.size(); first += per_node_) start_node(first, times);
  ++sessions_;
}

// Two decided nodes, none of whose devices failed, are started with them: passes in doubt are such,
// too.
bool MeasuredFleet::start_undecided(
    const std::vector<statistics::AcceptanceJudgement>& judgements) {
  std::vector<std::size_t> undecided, controls;
  std::size_t times = 0;
  for (std::size_t first = 0; first < parts_.size(); first += per_node_) {
    const auto node = std::span(judgements).subspan(first, per_node_);
    const std::size_t more =
        std::ranges::max(node, {}, &Verdict::more_repetitions).more_repetitions;
    times = std::max(times, more);
    if (more > 0) undecided.push_back(first);
    const bool passed = std::ranges::all_of(node, [](const Verdict& one) {
      return one.outcome != statistics::AcceptanceOutcome::kFail;
    });
    if (more == 0 && passed && controls.size() < statistics::kControlsOfSession)
      controls.push_back(first);
  }
  // Where no node is left to compare them with, more starts decide nothing.
  if (undecided.empty() || sessions_ >= kMostSessions) return false;
  for (const std::size_t first : undecided) start_node(first, times);
  for (const std::size_t first : controls) start_node(first, times);
  ++sessions_;
  return true;
}

statistics::ClassJudgement MeasuredFleet::judge(
    const statistics::AcceptanceRule& rule,
    const std::optional<statistics::AcceptanceReference>& baseline) {
  for (;;) {
    auto judgement = statistics::judge_class(parts_, rule, baseline);
    if (!start_undecided(judgement.parts)) return judgement;
  }
}

double MeasuredFleet::repetitions() const {
  double all = 0;
  for (const auto& part : parts_) all += static_cast<double>(part.values.size());
  return all / static_cast<double>(parts_.size());
}

double MeasuredFleet::reached_by_30_percent() const {
  std::vector<double> means;
  for (const auto& part : parts_) means.push_back(statistics::mean(part.values));
  return statistics::reference_of_fleet(means, 0).ln_value;
}

void TrialMean::add(double value) {
  ++count_;
  sum_ += value;
  squares_ += value * value;
}

double TrialMean::mean() const { return sum_ / std::max(1.0, count_); }

double TrialMean::margin() const {
  if (count_ < 2) return 1;
  const double variance = (squares_ - sum_ * sum_ / count_) / (count_ - 1);
  if (variance < 1e-12) return 1 - std::pow(0.05, 1 / count_);
  return 1.645 * std::sqrt(variance / count_);
}

void print_mean(const char* name, const TrialMean& mean) {
  std::printf(", \"%s\": %.6f, \"%s_margin\": %.6f", name, mean.mean(), name, mean.margin());
}

}  // namespace scalemark::trials
