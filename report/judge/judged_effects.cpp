#include "report/judge/judged_effects.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/text.h"
#include "core/statistics/compare.h"
#include "core/statistics/summary.h"

namespace scalemark::reporting {
namespace {

void set_judgement(EffectRecord& effect, const statistics::Effect& judged) {
  effect.pairs = static_cast<int>(judged.pairs);
  effect.ratio = judged.ratio;
  effect.ratio_ci95 = bounds_of(judged.ratio_ci95);
  effect.p_holm = judged.p_holm;
  effect.verdict = judged.verdict;
}

}  // namespace

template <class Record>
void add_compared(std::vector<ComparedRuns<Record>>& of_axis, EffectRecord effect,
                  const GroupRuns<Record>& from, const GroupRuns<Record>& to) {
  auto pairs = paired(from.ok, to.ok);
  if (pairs.empty()) return;
  effect.groups = {from.first().group, to.first().group};
  ComparedRuns<Record> compared{std::move(effect), std::move(pairs), {}};
  const auto is_fit = [&](const RunPair<Record>& pair) {
    return std::ranges::count(from.undisturbed, pair.baseline) > 0 &&
           std::ranges::count(to.undisturbed, pair.scaled) > 0;
  };
  const auto all = std::ssize(compared.pairs), fit = std::ranges::count_if(compared.pairs, is_fit);
  if (fit_decide(fit, all)) {
    std::erase_if(compared.pairs, [&](const auto& pair) { return !is_fit(pair); });
  } else {
    compared.disturbed_by = std::to_string(all - fit) + " of " + counted(all, "pair");
  }
  of_axis.push_back(std::move(compared));
}

template <class Record>
std::vector<EffectRecord> judged_effects(std::vector<ComparedRuns<Record>> of_axis) {
  std::vector<std::vector<double>> all, fit;
  for (const auto& compared : of_axis) {
    auto& logs = all.emplace_back();
    for (const auto& pair : compared.pairs)
      logs.push_back(log_rate(*pair.scaled) - log_rate(*pair.baseline));
    if (compared.disturbed_by.empty()) fit.push_back(logs);
  }
  const auto answers = statistics::judge_effects(fit);
  auto next = answers.begin();
  std::vector<EffectRecord> effects;
  for (std::size_t i = 0; i < of_axis.size(); ++i) {
    EffectRecord& effect = of_axis[i].effect;
    effect.disturbed_by = std::move(of_axis[i].disturbed_by);
    if (effect.disturbed_by.empty()) {
      set_judgement(effect, *next++);
    } else {
      set_judgement(effect, statistics::judge_effects(std::span(&all[i], 1)).front());
      effect.p_holm.reset();
      effect.verdict = statistics::EffectVerdict::kDisturbed;
    }
    if (std::isfinite(effect.ratio)) effects.push_back(std::move(effect));
  }
  return effects;
}

template <class Record>
statistics::BlockRates rates_by_block(const RunsOf<Record>& runs) {
  statistics::BlockRates rates;
  for (const Record* run : runs) rates.emplace(block_of(*run), log_rate(*run));
  return rates;
}

#define SCALEMARK_EFFECTS(Record)                                                       \
  template void add_compared(std::vector<ComparedRuns<Record>>&, EffectRecord,          \
                             const GroupRuns<Record>&, const GroupRuns<Record>&);       \
  template std::vector<EffectRecord> judged_effects(std::vector<ComparedRuns<Record>>); \
  template statistics::BlockRates rates_by_block<Record>(const RunsOf<Record>&);
SCALEMARK_EFFECTS(PointRecord)
SCALEMARK_EFFECTS(CollectiveRecord)
#undef SCALEMARK_EFFECTS

}  // namespace scalemark::reporting
