#include "tools/statistics/run_kinds.h"

#include <boost/random/student_t_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>

namespace scalemark::trials {
namespace {

constexpr double kUsual = 0.01, kQuiet = 0.003, kBlocks = 0.02;

// This share of the runs has ln X changed by `by`.
struct Slow {
  double share, by;
};

Slow slow_runs(RunKind kind) {
  if (kind == RunKind::kRareSlow) return {0.1, std::log1p(-0.05)};
  if (kind == RunKind::kRarerSlow) return {0.05, std::log1p(-0.10)};
  if (kind == RunKind::kTwoLevels) return {0.5, std::log1p(-0.05)};
  return {0, 0};
}

double correlation_of(RunKind kind) {
  if (kind == RunKind::kCorrelated5 || kind == RunKind::kBlockMeans5) return 0.5;
  if (kind == RunKind::kCorrelated8 || kind == RunKind::kBlockMeans8) return 0.8;
  return 0;
}

bool blocks_are_correlated(RunKind kind) {
  return kind == RunKind::kBlockMeans5 || kind == RunKind::kBlockMeans8;
}

double student3(Random& random) {
  boost::random::student_t_distribution<double> distribution(3);
  return distribution(random) / std::sqrt(3.0);  // its variance is 3
}

}  // namespace

const char* name_of(RunKind kind) {
  constexpr const char* kNames[] = {"normal",
                                    "normal, blocks differ as much",
                                    "correlated .5",
                                    "correlated .8",
                                    "Student t3",
                                    "one in 10 runs 5 % slower",
                                    "one in 20 runs 10 % slower",
                                    "one in 2 runs 5 % slower",
                                    "blocks correlated .5",
                                    "blocks correlated .8"};
  return kNames[static_cast<std::size_t>(kind)];
}

double mean_level(RunKind kind) { return slow_runs(kind).share * slow_runs(kind).by; }

RunModel::RunModel(Random& random, RunKind kind)
    : random_(random), kind_(kind), state_(normal(random)) {}

double RunModel::correlated(double& state, double phi) {
  state = phi * state + std::sqrt(1 - phi * phi) * normal(random_);
  return state;
}

void RunModel::begin_block() {
  if (kind_ == RunKind::kBlocksDiffer) block_ = kUsual * normal(random_);
  if (blocks_are_correlated(kind_)) block_ = kBlocks * correlated(state_, correlation_of(kind_));
}

double RunModel::slow(double share, double by) {
  return boost::random::uniform_01<double>()(random_) < share ? by : 0;
}

double RunModel::next() {
  if (kind_ == RunKind::kStudent3) return kUsual * student3(random_);
  if (blocks_are_correlated(kind_)) return block_ + kQuiet * normal(random_);
  if (const double phi = correlation_of(kind_); phi > 0) return kUsual * correlated(state_, phi);
  const auto [share, by] = slow_runs(kind_);
  if (share > 0) return slow(share, by) + kQuiet * normal(random_);
  return block_ + kUsual * normal(random_);
}

}  // namespace scalemark::trials
