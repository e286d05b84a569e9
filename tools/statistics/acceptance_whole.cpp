// Whole fleets through all checks of shipped rules. By the standard ones as
// configs/acceptance/slurm.sbatch goes: every node by itself and the links; then undecided nodes,
// and two decided ones with them, in two more sessions. By the others in one. The true speed of
// each device is known.
#include <algorithm>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <cstdio>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/statistics/acceptance.h"
#include "report/accept/acceptance.h"
#include "report/accept/forms.h"
#include "tests/report/sample_fleet.h"
#include "tools/statistics/accepted_fleet.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::acceptance_whole {
namespace {

using acceptance::Outcome;
using acceptance::PartKind;
using reporting::MeasuredRate;

constexpr int kNodes = 16, kDevices = 8;
constexpr int kNodesOfSwitch = 8;
constexpr double kNoise = 0.0058, kNoiseOfLinks = 0.03, kNoiseUnderLoad = 0.03;
constexpr double kBlocked = 0.6;     // below it the fabric carries too little when all nodes use it
constexpr double kRuns = 0.005;      // runs of one start differ by this part of the noise
constexpr int kTrialsOfFleet = 100;  // a fleet costs so much more than a class of numbers

enum class Starts { kNormal, kHeavy, kNodeTogether, kFirstOfHalf, kDrift, kOneNodeNoisy, kSlowNow };

// A shipped rules file, and the starts that its configuration makes in the first session and in
// those of undecided nodes.
struct Way {
  const char* rules = "standard.json";
  std::vector<std::size_t> starts = {3, 2, 5};
};

struct Kind {
  const char* name;
  double device = 0.01, node = 0.005;  // standard deviations of true values
  Starts starts = Starts::kNormal;
  std::size_t slow = 0;  // so many devices are slow, each on another node
  double slow_by = 0;
  double slow_share = 0;          // so large a share of all devices is slow instead
  bool hot_node = false;          // all devices of one node are slow
  bool skewed = false;            // devices are slower by an exponential value of 1.2 %
  bool two_bins = false;          // half of the devices are 4 % slower
  std::size_t slow_together = 0;  // so many nodes are slow, but only where all devices run
  bool of_one_switch = false;     // the slow nodes are those of one switch
  double later_sessions_by = 0;   // sessions after the first shift all parts by it
  int slow_links = 0;             // they have 40 % of their speed, at different nodes
  double under_load = 0.9;        // all-reduces reach this share of what the links promise
  Way way = {};
};

struct Fleet {
  std::vector<double> level;       // ln of each device
  std::vector<double> node_noise;  // standard deviation of a start, by node
  std::set<int> slow_together;     // nodes
  std::set<int> bad;               // devices, or nodes where slow_together is
};

std::vector<double> levels_of(Random& random, const Kind& kind) {
  std::vector<double> levels;
  boost::random::exponential_distribution<double> tail(1 / 0.012);
  boost::random::uniform_01<double> uniform;
  for (int node = 0; node < kNodes; ++node) {
    const double of_node = kind.node * normal(random);
    for (int i = 0; i < kDevices; ++i) {
      double level = of_node + (kind.skewed ? -tail(random) : kind.device * normal(random));
      if (kind.two_bins && uniform(random) < 0.5) level += std::log1p(-0.04);
      if (uniform(random) < kind.slow_share) level += std::log1p(-kind.slow_by);
      levels.push_back(level);
    }
  }
  return levels;
}

// Devices that are truly below the limit.
std::set<int> below_limit(const std::vector<double>& levels, double tolerance) {
  const double limit = statistics::kth_highest(levels) + std::log1p(-tolerance);
  std::set<int> below;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i] < limit) below.insert(static_cast<int>(i));
  }
  return below;
}

Fleet fleet_of(Random& random, const Kind& kind, double tolerance) {
  Fleet fleet;
  fleet.level = levels_of(random, kind);
  fleet.node_noise.assign(kNodes, kNoise);
  const auto order = random_order(random, kNodes);
  for (std::size_t k = 0; k < kind.slow; ++k) {
    fleet.level[order[k] * kDevices + k % kDevices] += std::log1p(-kind.slow_by);
  }
  for (std::size_t i = 0; kind.hot_node && i < kDevices; ++i) {
    fleet.level[order[0] * kDevices + i] += std::log1p(-kind.slow_by);
  }
  for (std::size_t k = 0; k < kind.slow_together; ++k) {
    fleet.slow_together.insert(static_cast<int>(kind.of_one_switch ? k : order[k]));
  }
  if (kind.starts == Starts::kOneNodeNoisy) fleet.node_noise[order[0]] = 5 * kNoise;
  fleet.bad = kind.slow_together > 0 ? fleet.slow_together : below_limit(fleet.level, tolerance);
  return fleet;
}

// The starts of one session, of all that is measured in it.
class Session {
 public:
  Session(Random& random, const Kind& kind, const Fleet& fleet, int number, int first_start)
      : random_(random), kind_(kind), fleet_(fleet), number_(number), first_start_(first_start) {}

  double operator()(int node, int device, int start, MeasuredRate what) {
    // A product is held in the process that measured its first seconds: they differ as runs do.
    if (what == MeasuredRate::kHeld)
      return first_product_[{node, device}] + kRuns * normal(random_);
    const double effect = effect_of(node, device, start);
    if (what == MeasuredRate::kProduct && start == 0) first_product_[{node, device}] = effect;
    return effect;
  }

 private:
  double effect_of(int node, int device, int start) {
    if (device < 0) return fleet_.slow_together.contains(node) ? std::log1p(-kind_.slow_by) : 0;
    double effect = fleet_.level[static_cast<std::size_t>(node * kDevices + device)];
    if (number_ > 0) effect += kind_.later_sessions_by;
    if (kind_.starts == Starts::kDrift) effect -= 0.01 * (first_start_ + start);
    if (kind_.starts == Starts::kFirstOfHalf && 2 * node < kNodes && first_start_ + start == 0) {
      effect -= 0.03;
    }
    if (kind_.starts == Starts::kNodeTogether) effect += 0.01 * of_node(node, start);
    if (kind_.starts == Starts::kSlowNow && uniform_(random_) < 0.2) effect += std::log1p(-0.06);
    return effect + fleet_.node_noise[static_cast<std::size_t>(node)] * noise();
  }
  double noise() { return kind_.starts == Starts::kHeavy ? heavy(random_) : normal(random_); }
  double of_node(int node, int start) {
    const auto [found, is_new] = of_nodes_.try_emplace({node, start}, 0);
    if (is_new) found->second = normal(random_);
    return found->second;
  }

  Random& random_;
  boost::random::uniform_01<double> uniform_;
  const Kind& kind_;
  const Fleet& fleet_;
  int number_, first_start_;
  std::map<std::pair<int, int>, double> of_nodes_, first_product_;
};

struct Counts {
  double bad = 0, failed = 0, missed = 0, wrongly = 0, unsure = 0;  // missed: bad ones that passed
  // Failing links that were missed; links, and nodes by their links, that were failed wrongly.
  double links_missed = 0, links_wrongly = 0;
  // Switches that were named, rightly or in fleets that have no slow one.
  double switches = 0, switches_wrongly = 0;
  std::set<std::string> judged;  // checks that judged what was measured
};

using Links = std::set<std::pair<int, int>>;

Links slow_links_of(const Kind& kind) {
  Links links;
  for (int k = 0; k < kind.slow_links; ++k) links.emplace(2 * k, 2 * k + 1);
  return links;
}

void measure(std::vector<reporting::NamedReport>& reports, Session session, int number,
             std::uint64_t seed, const Kind& kind, std::size_t starts,
             const std::set<std::string>& nodes) {
  reporting::FleetShape shape{.nodes = kNodes,
                              .devices = kDevices,
                              .starts = static_cast<int>(starts),
                              .device_sd = 0,
                              .run_sd = 0};
  shape.workloads = {"resnet50", "bert-large"};
  shape.nodes_of_switch = kNodesOfSwitch;
  shape.boot = number;
  shape.seed = seed;
  shape.links = shape.training = number == 0;
  shape.link_noise = kNoiseOfLinks;
  shape.slow_links = slow_links_of(kind);
  Random of_load = random_for(seed, 1);
  shape.under_load = [&](int, int, int) {
    return std::log(kind.under_load) + kNoiseUnderLoad * normal(of_load);
  };
  shape.effect = std::move(session);
  for (int node = 0; node < kNodes; ++node) {
    if (!nodes.empty() && !nodes.contains("n" + reporting::fleet_host(node).substr(4))) {
      shape.without_report.insert(node);
    }
  }
  std::ranges::move(reporting::sample_fleet(shape), std::back_inserter(reports));
}

acceptance::Acceptance accepted(Random& random, const Kind& kind, const Fleet& fleet,
                                const acceptance::Rules& rules) {
  std::vector<reporting::NamedReport> reports;
  const std::uint64_t seed = random();
  const auto& all_starts = kind.way.starts;
  measure(reports, Session(random, kind, fleet, 0, 0), 0, seed, kind, all_starts.front(), {});
  auto judged = acceptance::accept(reports, rules, {});
  int number = 0, first_start = static_cast<int>(all_starts.front());
  for (const std::size_t starts : all_starts | std::views::drop(1)) {
    const auto undecided = acceptance::undecided_of(judged);
    if (undecided.starts == 0) break;
    ++number;
    measure(reports, Session(random, kind, fleet, number, first_start), number, seed, kind, starts,
            {undecided.nodes.begin(), undecided.nodes.end()});
    first_start += static_cast<int>(starts);
    judged = acceptance::accept(reports, rules, {});
  }
  return judged;
}

void count_links(const acceptance::Acceptance& judged, const Kind& kind, Counts& counts) {
  const Links slow = slow_links_of(kind);
  counts.links_missed += static_cast<double>(slow.size());
  for (const auto& result : judged.results) {
    const bool of_all = result.part.kind == PartKind::kFleet && result.unit == "GB/s";
    if (of_all && kind.under_load < kBlocked) {
      counts.links_missed += result.outcome == Outcome::kPassed;
      continue;
    }
    if (result.outcome != Outcome::kFailed) continue;
    if (of_all || result.check == "links of a node") ++counts.links_wrongly;
    if (result.part.kind != PartKind::kLink) continue;
    const std::pair ends(std::stoi(result.part.host.substr(4)),
                         std::stoi(result.part.other.substr(4)));
    slow.contains(ends) ? --counts.links_missed : ++counts.links_wrongly;
  }
}

void count_switches(const acceptance::Acceptance& judged, const Kind& kind, Counts& counts) {
  const bool named = std::ranges::any_of(judged.notes, [](const std::string& note) {
    return note.find("one group of links") != std::string::npos;
  });
  (kind.of_one_switch ? counts.switches : counts.switches_wrongly) += named;
}

void count_checks(const acceptance::Acceptance& judged, Counts& counts) {
  for (const auto& result : judged.results) {
    if (result.value && result.limit) counts.judged.insert('"' + result.check + '"');
  }
}

int number_of(const acceptance::Part& part, bool of_nodes) {
  const int node = std::stoi(part.host.substr(4));
  return of_nodes ? node : node * kDevices + std::stoi(part.device.substr(5));
}

void count(const acceptance::Acceptance& judged, const Fleet& fleet, Counts& counts) {
  const bool of_nodes = !fleet.slow_together.empty();
  std::set<int> failed, unsure;
  for (const auto& result : judged.results) {
    const bool is_device = result.part.kind == PartKind::kDevice;
    const bool is_node = result.part.kind == PartKind::kNode && result.check == "training together";
    if (of_nodes ? !is_node : !is_device) continue;
    if (result.outcome == Outcome::kFailed) failed.insert(number_of(result.part, of_nodes));
    if (result.outcome == Outcome::kUnsure) unsure.insert(number_of(result.part, of_nodes));
  }
  for (const int part : fleet.bad) {
    ++counts.bad;
    counts.missed += !failed.contains(part) && !unsure.contains(part);
  }
  for (const int part : failed) {
    unsure.erase(part);
    ++(fleet.bad.contains(part) ? counts.failed : counts.wrongly);
  }
  counts.unsure += static_cast<double>(unsure.size());
}

std::vector<Kind> kinds() {
  const Way smoke{"smoke.json", {1}}, burn_in{"burn-in.json", {30}};
  return {{.name = "the model"},
          {.name = "alike", .device = 0, .node = 0},
          {.name = "starts t 2.5", .starts = Starts::kHeavy},
          {.name = "three 8 % slow", .slow = 3, .slow_by = 0.08},
          {.name = "three 6 % slow of devices alike, starts t 2.5",
           .device = 0.002,
           .node = 0.002,
           .starts = Starts::kHeavy,
           .slow = 3,
           .slow_by = 0.065},
          {.name = "a node 8 % slow", .slow_by = 0.08, .hot_node = true},
          {.name = "three 3.5 % slow", .device = 0.003, .node = 0.002, .slow = 3, .slow_by = 0.035},
          {.name = "three 4.5 % slow of devices alike",
           .device = 0.001,
           .node = 0.001,
           .slow = 3,
           .slow_by = 0.045},
          {.name = "skewed by 1.2 %", .skewed = true},
          {.name = "two bins 4 % apart", .device = 0.003, .node = 0.002, .two_bins = true},
          {.name = "node x start 1 %", .starts = Starts::kNodeTogether},
          {.name = "first start 3 % slower on half of the nodes", .starts = Starts::kFirstOfHalf},
          {.name = "each start 1 % slower than the one before", .starts = Starts::kDrift},
          {.name = "one node with 5 times the noise", .starts = Starts::kOneNodeNoisy},
          {.name = "1 start in 5 is 6 % slower", .starts = Starts::kSlowNow},
          {.name = "later sessions -2 %, three 4 % slow",
           .slow = 3,
           .slow_by = 0.04,
           .later_sessions_by = -0.02},
          {.name = "later sessions +2 %, three 7 % slow",
           .slow = 3,
           .slow_by = 0.07,
           .later_sessions_by = 0.02},
          {.name = "8 of 16 nodes 7 % slower together",
           .device = 0.005,
           .node = 0.003,
           .slow_by = 0.07,
           .slow_together = 8},
          {.name = "half of the devices 8 % slow", .slow_by = 0.08, .slow_share = 0.5},
          {.name = "three links at 40 % of their speed", .slow_links = 3},
          {.name = "the fabric carries 51 % under full load", .under_load = 0.51},
          {.name = "the 8 nodes of one switch 7 % slower together",
           .device = 0.005,
           .node = 0.003,
           .slow_by = 0.07,
           .slow_together = 8,
           .of_one_switch = true},
          {.name = "smoke rules: the model", .way = smoke},
          {.name = "smoke rules: starts t 2.5", .starts = Starts::kHeavy, .way = smoke},
          {.name = "smoke rules: three 16 % slow", .slow = 3, .slow_by = 0.16, .way = smoke},
          {.name = "burn-in rules: the model", .way = burn_in},
          {.name = "burn-in rules: starts t 2.5", .starts = Starts::kHeavy, .way = burn_in},
          {.name = "burn-in rules: three 8 % slow", .slow = 3, .slow_by = 0.08, .way = burn_in}};
}

}  // namespace

void accept_whole_section(const Study& study) {
  for_each_of_mine(study, 57'000'000, kinds(), [&](Random& random, const Kind& kind) {
    const int fleets = std::max(1, study.trials / kTrialsOfFleet);
    Counts counts;
    const acceptance::Rules rules = shipped_rules(kind.way.rules);
    for (int k = 0; k < fleets; ++k) {
      const Fleet fleet = fleet_of(random, kind, rules.tolerance);
      const auto judged = accepted(random, kind, fleet, rules);
      count(judged, fleet, counts);
      count_links(judged, kind, counts);
      count_switches(judged, kind, counts);
      count_checks(judged, counts);
    }
    std::printf(
        "{\"section\": \"accept_whole\", \"kind\": \"%s\", \"trials\": %d, \"fleets\": %d, "
        "\"bad\": %g, \"failed\": %g, \"missed\": %g, \"wrongly\": %g, \"unsure\": %g, "
        "\"links_missed\": %g, \"links_wrongly\": %g, \"of_one_switch\": %d, \"switches\": %g, "
        "\"switches_wrongly\": %g, \"rules\": \"%s\", \"judged\": [%s]}\n",
        kind.name, study.trials, fleets, counts.bad, counts.failed, counts.missed, counts.wrongly,
        counts.unsure, counts.links_missed, counts.links_wrongly, kind.of_one_switch,
        counts.switches, counts.switches_wrongly, kind.way.rules,
        joined(counts.judged, ", ").c_str());
  });
}

}  // namespace scalemark::trials::acceptance_whole
