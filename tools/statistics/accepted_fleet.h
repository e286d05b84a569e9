// Fleets whose true values are known, judged as scalemark accept judges them: every node starts as
// often as the first look asks for, and the nodes of undecided devices start again until nobody is
// undecided. Logarithms: 0.01 is 1 %.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/statistics/acceptance.h"
#include "report/accept/rules.h"
#include "tools/statistics/generator.h"

namespace scalemark::trials {

// The rules of a file that is shipped: "standard.json".
acceptance::Rules shipped_rules(const std::string& file);

enum class Shape { kNormal, kSkewed, kHeavyTails };  // slow tail: a gamma's; t with 5 degrees
const char* name_of(Shape shape);                    // "normal" | "skewed" | "t5"

struct Fleet {
  std::size_t nodes = 64, per_node = 8;
  double device = 0.01, node = 0.005;  // standard deviations of true values
  Shape shape = Shape::kNormal;

  std::size_t devices() const { return nodes * per_node; }
};

// kHeavy: t with 2.5 degrees and the quartiles of a normal value; kCorrelated: AR(1) with 0.8.
enum class StartShape { kNormal, kHeavy, kCorrelated };

// Repetitions of a device differ by this.
struct Starts {
  double noise = 0.0058;               // standard deviation: of runs 0.5 %, of starts 0.3 %
  double noises_differ_by = 0;         // standard deviation of ln noise over devices
  double slow_share = 0, slow_by = 0;  // a second level
  double first_slow_share = 0, first_slow_by = 0;  // instead, of the first device
  StartShape shape = StartShape::kNormal;
  double first_noisier = 1;     // noise of the first device, as a multiple
  double of_node = 0;           // standard deviation of what all devices of a node have in a start
  double later_sessions = 0;    // all devices, in sessions after the first
  double each_start = 0;        // all devices, from one start to the next
  double half_first_start = 0;  // the first start of every other node
};

using Levels = std::vector<double>;  // true values, node by node

Levels levels_of(Random& random, const Fleet& fleet);

// The value that 30 % of the devices truly reach.
double true_reference(const Levels& levels);

// The level of one device becomes `below` less than the true reference of the fleet with it in it.
void plant(Levels& levels, std::size_t device, double below);

// A fleet that can be started again.
class MeasuredFleet {
 public:
  MeasuredFleet(Random& random, Levels levels, std::size_t per_node, const Starts& starts);

  void start_all(std::size_t times);
  statistics::ClassJudgement judge(
      const statistics::AcceptanceRule& rule,
      const std::optional<statistics::AcceptanceReference>& baseline = {});
  double repetitions() const;  // per device, in the mean
  // Returns ln of the rate that 30 % of the devices reach in the mean of their repetitions so far.
  double reached_by_30_percent() const;

 private:
  void start_node(std::size_t first, std::size_t times);
  bool start_undecided(const std::vector<statistics::AcceptanceJudgement>& judgements);
  double noise_of(std::size_t device);

  Random& random_;
  Levels levels_;
  std::size_t per_node_;
  Starts starts_;
  std::vector<double> noises_;  // one per device
  std::vector<double> last_;    // one per device, where starts are correlated
  std::size_t sessions_ = 0;    // so many were measured
  std::vector<statistics::AcceptancePart> parts_;
};

// The mean of independent trials, and how far its one-sided 95 % end is from it: for trials that
// all gave the same, as far as one that gave another answer may still be likely (1 - .05^(1/n)).
class TrialMean {
 public:
  void add(double value);
  double mean() const;
  double margin() const;

 private:
  double count_ = 0, sum_ = 0, squares_ = 0;
};

// Prints , "name": mean, "name_margin": margin.
void print_mean(const char* name, const TrialMean& mean);

}  // namespace scalemark::trials
