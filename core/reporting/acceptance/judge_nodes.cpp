// Nodes, each as bad as its worst check, and whether it is to blame rather than its devices.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/acceptance/acceptance.h"
#include "core/statistics/acceptance.h"

namespace scalemark::acceptance {
namespace {

class NodeJudge {
 public:
  NodeJudge(const std::vector<CheckResult>& results, const Expected& expected)
      : results_(results), expected_(expected) {}

  NodeResult judge(const Part& node) const {
    NodeResult judged{.node = node};
    std::set<std::string> devices;
    std::map<std::string, std::vector<statistics::AcceptanceOutcome>> by_check;
    for (const CheckResult& result : results_) {
      if (result.part.kind == PartKind::kLink || result.part.host != node.host) continue;
      judged.outcome = std::max(judged.outcome, result.outcome);
      if (result.part.kind != PartKind::kDevice) continue;
      if (is_rate(result)) devices.insert(result.part.key());
      by_check[result.check].push_back(result.outcome == Outcome::kFailed
                                           ? statistics::AcceptanceOutcome::kFail
                                           : statistics::AcceptanceOutcome::kPass);
    }
    judged.devices = static_cast<int>(devices.size());
    for (const auto& [check, outcomes] : by_check) {
      if (statistics::is_node_at_fault(outcomes)) judged.at_fault.push_back(check);
    }
    return judged;
  }

  // A device less than there have to be.
  std::optional<CheckResult> lacks_devices(const NodeResult& node) const {
    const int wanted = expected_.devices_per_node.value_or(0);
    if (node.devices >= wanted || node.outcome == Outcome::kMissing) return std::nullopt;
    CheckResult result;
    result.check = "devices";
    result.part = node.node;
    result.outcome = Outcome::kMissing;
    result.value = node.devices;
    result.limit = wanted;
    result.limit_from = "--devices-per-node";
    result.why =
        std::to_string(node.devices) + " of " + counted(wanted, "device") + " were measured";
    return result;
  }

 private:
  const std::vector<CheckResult>& results_;
  const Expected& expected_;
};

}  // namespace

bool is_rate(const CheckResult& result) { return result.value && !result.unit.empty(); }

void judge_nodes(Acceptance& acceptance, const std::vector<Part>& nodes, const Expected& expected) {
  std::vector<CheckResult> lacking;
  const NodeJudge judge(acceptance.results, expected);
  for (const Part& node : nodes) {
    NodeResult judged = judge.judge(node);
    if (auto lack = judge.lacks_devices(judged)) {
      judged.outcome = std::max(judged.outcome, lack->outcome);
      lacking.push_back(std::move(*lack));
    }
    acceptance.nodes.push_back(std::move(judged));
  }
  std::ranges::move(lacking, std::back_inserter(acceptance.results));
}

}  // namespace scalemark::acceptance
