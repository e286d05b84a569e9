#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "core/base/text.h"
#include "core/reporting/effects/effect_phrases.h"
#include "core/reporting/record/point_facts.h"
#include "core/reporting/record/verdict.h"
#include "core/reporting/render/answer/answer.h"

namespace scalemark::reporting {

namespace {

// " (3 options looked at)": the more there are, the more seem to do something by chance.
std::string of_options(const std::vector<EffectRecord>& effects) {
  std::set<std::string> axes;
  for (const EffectRecord& effect : effects) axes.insert(effect.axis);
  return axes.size() < 2 ? "" : " (" + std::to_string(axes.size()) + " options looked at)";
}

// Tells what the ranks cost: steps until they pay, energy, money. Empty where none is known.
std::string cost_sentence(const Report& report, const ScalingRow& row) {
  double steps = 0;
  int runs = 0;
  for (const PointRecord& run : report.points) {
    if (run.group != row.group || !run.break_even_steps) continue;
    steps += *run.break_even_steps;
    ++runs;
  }
  std::vector<std::string> parts;
  if (runs > 0) parts.push_back("they pay from step " + grouped(steps / runs) + " on");
  const auto group = std::ranges::find(report.groups, row.group, &GroupRecord::group);
  if (group != report.groups.end() && group->samples_per_joule) {
    parts.push_back(significant(1 / *group->samples_per_joule, 3) + " J a sample");
  }
  if (group != report.groups.end() && group->samples_per_dollar) {
    parts.push_back(rate_text(*group->samples_per_dollar) + " samples per unit of the price");
  }
  return parts.empty() ? "" : counted(row.world_size, "rank") + ": " + joined(parts, ", ");
}

// From which batch size on communication stays small, at the ranks of this row; not from numbers
// that must not be quoted.
std::string crossover_sentence(const Report& report, const ScalingRow& row) {
  const auto& verdict = report.verdict;
  if (verdict && verdict->level == VerdictLevel::kDoNotQuote) return "";
  if (row.points.size() < 2) return "";  // one run has no upper bound
  const auto fits = [&](const CommunicationLimit& limit) {
    const auto is = [&](const char* option, const std::string& value) {
      const auto found = limit.fixed.find(option);
      return found == limit.fixed.end() || found->second == value;
    };
    const bool is_crossed = limit.from != limit.smallest;  // else it is small everywhere
    return is_crossed && is("world_size", std::to_string(row.world_size)) &&
           is("strategy", row.strategy);
  };
  const auto& limits = report.communication_limits;
  const auto first = std::ranges::find_if(limits, fits);  // the larger share comes first
  return first == limits.end() ? "" : first->in_words;
}

// "payload a step: ddp 102 MB, flat 102 MB": where strategies or compressions were compared.
std::string payload_sentence(const Report& report, int world_size) {
  std::vector<std::string> names, parts;
  for (const GroupRecord& group : report.groups) {  // runs come in random order
    const PointRecord* run = first_run(report.points, group.group);
    if (!run || run->world_size != world_size || !has_exchange(*run)) continue;
    const std::string& format = run->gradient_compression;
    const std::string name =
        run->strategy + (format.empty() || format == "none" ? "" : " " + format);
    if (std::ranges::find(names, name) != names.end()) continue;
    names.push_back(name);
    parts.push_back(name + " " + significant(run->payload_bytes_per_step / 1e6, 3) + " MB");
  }
  return parts.size() < 2 ? "" : "payload a step: " + listed(parts, 6);
}

}  // namespace

std::vector<std::string> effects_found(const Report& report) {
  std::vector<const EffectRecord*> real;
  for (const EffectRecord& effect : report.effects) {
    if (effect.verdict == statistics::EffectVerdict::kReal) real.push_back(&effect);
  }
  std::ranges::stable_sort(real, std::greater{},
                           [](const auto* effect) { return std::abs(std::log(effect->ratio)); });
  if (!real.empty()) {
    const std::size_t more = real.size() - 1;
    const EffectRecord& most = *real.front();
    const std::string where = where_text(most, report.effects, option_text);
    return {most.axis + " " + most.to + " against " + most.from +
            (where.empty() ? "" : " (" + where + ")") + ": " + speed_text(most) +
            (more > 0 ? "; " + std::to_string(more) + " more" : "") + of_options(report.effects)};
  }
  if (report.effects.empty()) return {};
  const bool any_judged = std::ranges::any_of(report.effects, [](const EffectRecord& effect) {
    return effect.verdict != statistics::EffectVerdict::kDisturbed;
  });
  return {any_judged ? "no value is surely faster or slower than the first of its option"
                     : "no value can be compared: other programs disturbed the runs"};
}

std::vector<std::string> found_at(const Report& report, const ScalingRow& row) {
  std::vector<std::string> found{crossover_sentence(report, row),
                                 payload_sentence(report, row.world_size),
                                 cost_sentence(report, row)};
  std::erase(found, "");
  return found;
}

}  // namespace scalemark::reporting
