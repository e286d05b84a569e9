// Runs may do more than vary normally: these kinds give levels of ln X, in the order in which they
// are measured.
#pragma once

#include <array>

#include "tools/statistics/generator.h"

namespace scalemark::trials {

enum class RunKind {
  kNormal,        // standard deviation 1 %
  kBlocksDiffer,  // runs have 1 %, and blocks another 1 %
  kCorrelated5,   // AR(1) from run to run, 1 % and .5
  kCorrelated8,   // AR(1) from run to run, 1 % and .8
  kStudent3,      // Student's t with 3 degrees of freedom, scaled to 1 %
  kRareSlow,      // 0.3 %; one in ten 5 % slower
  kRarerSlow,     // 0.3 %; one in twenty 10 % slower
  kTwoLevels,     // 0.3 %; one in two 5 % slower
  kBlockMeans5,   // blocks AR(1) with .5, 2 %, and runs of 0.3 % within
  kBlockMeans8,   // the same with .8
};
inline constexpr std::array kAllRunKinds = {
    RunKind::kNormal,      RunKind::kBlocksDiffer, RunKind::kCorrelated5, RunKind::kCorrelated8,
    RunKind::kStudent3,    RunKind::kRareSlow,     RunKind::kRarerSlow,   RunKind::kTwoLevels,
    RunKind::kBlockMeans5, RunKind::kBlockMeans8};

const char* name_of(RunKind kind);

// Mean of ln X in the long run: what slow runs take off it.
double mean_level(RunKind kind);

class RunModel {
 public:
  RunModel(Random& random, RunKind kind);

  void begin_block();
  double next();  // ln X of the next run

 private:
  double slow(double share, double by);
  double correlated(double& state, double phi);

  Random& random_;
  RunKind kind_;
  double state_, block_ = 0;
};

}  // namespace scalemark::trials
