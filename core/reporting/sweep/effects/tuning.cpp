#include "core/base/text.h"
#include "core/reporting/effects/judged_effects.h"
#include "core/reporting/sweep/runs.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

std::optional<TuningRecord> answer(const SweepRuns& runs, const ComparedGroups& comparison,
                                   const std::map<std::string, std::string>& stop_reasons) {
  std::vector<statistics::BlockRates> runners;
  std::vector<ComparedGroups::Value> ran;
  std::vector<bool> disturbed;  // too few of its runs were not: it may be as fast as any
  for (const auto& value : comparison.values) {
    const auto& all = runs_of(runs, value.group);
    if (all.ok.empty()) continue;
    const Runs fit = all.fit();
    disturbed.push_back(fit.empty());
    runners.push_back(rates_by_block<PointRecord>(fit.empty() ? all.ok : fit));
    ran.push_back(value);
  }
  if (runners.empty()) return std::nullopt;
  const auto race = statistics::judge_race(runners, statistics::race_level(runners.size(), 1));
  TuningRecord record{.axis = comparison.axis,
                      .fixed = comparison.fixed,
                      .fastest = ran[race.leader].value,
                      .group = ran[race.leader].group};
  for (std::size_t i = 0; i < ran.size(); ++i) {
    if (i == race.leader) continue;
    const auto stopped = stop_reasons.find(ran[i].group);
    if (stopped != stop_reasons.end() && stopped->second == "dropped") {
      record.dropped.push_back({ran[i].value, static_cast<int>(runners[i].size()), race.p[i]});
    } else if (!race.slower[i] || disturbed[i] || disturbed[race.leader]) {
      record.not_distinguishable.push_back(ran[i].value);
    }
  }
  return record;
}

}  // namespace

std::vector<TuningRecord> tuning_of(const SweepRuns& runs, const SummaryOptions& options) {
  std::vector<TuningRecord> all;
  for (const ComparedGroups& comparison : options.comparisons) {
    if (comparison.axis != options.tuned_axis) continue;
    if (auto record = answer(runs, comparison, options.stop_reasons))
      all.push_back(*std::move(record));
  }
  for (TuningRecord& record : all) record.in_words = tuning_in_words(record, all);
  return all;
}

}  // namespace scalemark::reporting
