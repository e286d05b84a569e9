// Shows what more ranks and other options gain.

#include <algorithm>
#include <iterator>
#include <map>

#include "core/base/number_words.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/catalogue/strategy.h"
#include "report/record/point_facts.h"
#include "report/record/surety.h"
#include "report/say/render/sections/sweep_sections.h"
#include "report/say/render/text.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

std::string fixed_text(const std::map<std::string, std::string>& fixed) {
  std::string text;
  for (const auto& [name, value] : fixed) text += (text.empty() ? "" : ", ") + name + " " + value;
  return text;
}

std::string strategy_of(const ScalingRow& row) { return strategy_text(row.strategy); }

Column ranks_column(const std::vector<ScalingRow>& rows) {
  return column({"ranks"}, false, rows,
                [](const ScalingRow& row) { return std::to_string(row.world_size); });
}

std::string interval_cell(const ScalingRow& row) {
  return row.efficiency || row.standing.is_withheld() ? efficiency_interval(row) : "baseline";
}

// If clocks contradict each other, the rate is wrong, too.
std::string rate_cell_of(const ScalingRow& row) {
  if (!(row.samples_per_sec > 0)) return held_text(row.standing, kAbsent);
  return is_disturbed(row.standing) ? two_digits(row.samples_per_sec)
                                    : readable(row.samples_per_sec);
}

void add_notes(Section& section, const ScalingTable& table) {
  section.lines.push_back("fixed: " + fixed_text(table.fixed));
  section.lines.push_back("efficiency relative to " + baseline_text(table) +
                          ", paired within blocks");
  if (std::ranges::any_of(table.rows,
                          [](const ScalingRow& row) { return row.unsteady_runs.has_value(); })) {
    section.lines.push_back("~: a window that was not steady went in; two digits");
  }
  if (std::ranges::any_of(table.rows,
                          [](const ScalingRow& row) { return is_rough(surety_of(row)); })) {
    section.lines.push_back(
        "~: the ends of the interval differ by more than a factor of four; two digits");
  }
  if (!table.left_out.empty()) {
    section.lines.push_back("left out: " + counted(static_cast<int>(table.left_out.size()), "run") +
                            ", baseline in another session");
  }
}

Section speed_up_section(const ScalingTable& table, const std::vector<ScalingTable>& all) {
  const auto& rows = table.rows;
  Section section{"Scaling, " + slice_text(table, all), {}, {}};
  section.columns = {
      ranks_column(rows),
      column({"strategy"}, true, rows, strategy_of),
      column({"samples", "per s"}, false, rows, rate_cell_of),
      column({"step ms"}, false, rows,
             [](const ScalingRow& row) {
               const bool is_rough = is_disturbed(row.standing);
               return or_absent(row.step_time_s, is_rough ? two_digits_ms : in_milliseconds);
             }),
      column({"speed-up"}, false, rows, speed_up_text),
      column({"effic. %"}, false, rows, [](const ScalingRow& row) { return efficiency_text(row); }),
      column({"effic.", "95 %"}, true, rows, interval_cell),
      column({"effic.", "min to max"}, true, rows,
             [](const ScalingRow& row) {
               return interval_text(row.efficiency_lowest, row.efficiency_highest, percent_text);
             }),
  };
  add_notes(section, table);
  return section;
}

// Writes "communication 7.9 to 10.1": what is lost to it, in points of efficiency.
std::string intervals_text(const LossIntervals& intervals, std::int64_t runs) {
  std::string text;
  for_each_loss([&](const auto& part) {
    const Bounds& bounds = intervals.*part.ci95;
    if (!bounds) return;
    text += (text.empty() ? "" : ", ") + std::string(part.name) + " " +
            (is_known_share(bounds) ? share_interval(bounds) : not_known(runs, "run"));
  });
  return text;
}

// Ranks with no exchange lose to the machine alone, which the table above shows.
bool shows_losses(const ScalingRow& row) {
  return row.loss_of_efficiency && row.world_size > 1 && catalogue::exchanges(row.strategy);
}

// Puts a word or two on each line, so that six such heads fit beside each other.
std::vector<std::string> narrow_head(const std::string& name) {
  constexpr std::size_t kNarrow = 9;
  const std::string head = wrapped(name, kNarrow, 0);
  const auto lines = lines_of(head);
  return {lines.begin(), lines.end()};
}

Section losses_section(const ScalingTable& table, const std::vector<ScalingTable>& all) {
  std::vector<ScalingRow> rows;
  std::ranges::copy_if(table.rows, std::back_inserter(rows), shows_losses);
  Section section{"Lost efficiency, " + slice_text(table, all), {}, {}};
  section.columns = {ranks_column(rows), column({"strategy"}, true, rows, strategy_of)};
  for_each_loss([&](const auto& part) {
    section.columns.push_back(
        column(narrow_head(part.name), false, rows, [&](const ScalingRow& row) {
          return or_absent((*row.loss_of_efficiency).*part.share, percent_text);
        }));
  });
  section.lines.push_back("in points of efficiency; together what 100 % lacks");
  for (const ScalingRow& row : rows) {
    const std::string words = waterfall_in_words(row);
    if (words.empty()) continue;
    section.lines.push_back(std::to_string(row.world_size) + " ranks, " + row.strategy + ": " +
                            words);
    if (!row.loss_of_efficiency_ci95) continue;
    section.lines.push_back("95 % intervals of what these lose: " +
                            intervals_text(*row.loss_of_efficiency_ci95, std::ssize(row.points)));
  }
  return section;
}

}  // namespace

std::vector<Section> scaling_sections(const ScalingTable& table,
                                      const std::vector<ScalingTable>& all) {
  std::vector<Section> sections{speed_up_section(table, all)};
  if (std::ranges::any_of(table.rows, shows_losses)) sections.push_back(losses_section(table, all));
  return sections;
}

namespace {

std::string faster_text(const EffectRecord& effect) {
  const auto signed_percent = [](double ratio) { return change_in_percent(ratio - 1); };
  const std::string text = signed_percent(effect.ratio);
  if (std::string unknown = unknown_text(effect); !unknown.empty()) return unknown;
  const Surety surety = surety_of(effect);
  if (surety == Surety::kNoInterval) return text;
  if (const std::string instead = effect_interval_instead(effect); !instead.empty()) {
    return text + "  (" + instead + ")";
  }
  return (is_rough(surety) ? "~" : "") + text + "  (" + signed_percent(*effect.ratio_ci95.low) +
         " to " + signed_percent(*effect.ratio_ci95.high) + ")";
}

// Names the other axes in which effects of this option differ.
std::string place_text(const EffectRecord& effect, const std::vector<EffectRecord>& all) {
  return where_text(effect, all, [](const std::string& option, const std::string& value) {
    return option == "world_size" ? std::string() : option + " " + value;
  });
}

std::string memory_text(const EffectRecord& effect) {
  if (!effect.memory_delta_bytes) return kAbsent;
  return with_sign(static_cast<double>(*effect.memory_delta_bytes) / 0x1p20, 0);
}

// Returns how much the ranks of the second value exchange in a step.
std::string payload_text(const EffectRecord& effect, const Report& report) {
  if (effect.groups.empty()) return kAbsent;
  const PointRecord* run = first_run(report.points, effect.groups.back());
  if (!run) return kAbsent;
  return significant(run->payload_bytes_per_step / 1e6, 3);
}

Section effects_section(const Report& report) {
  const std::vector<EffectRecord>& effects = report.effects;
  Section section{"What options give", {}, {}};
  section.columns = {
      column({"option"}, true, effects, &EffectRecord::axis),
      column({"value"}, true, effects, &EffectRecord::to),
      column({"against"}, true, effects, &EffectRecord::from),
      column({"at"}, true, effects, [&](const auto& e) { return place_text(e, effects); }),
      column({"ranks"}, false, effects,
             [](const auto& e) { return value_at(e.fixed, "world_size", kAbsent); }),
      column({"faster by %", "(95 %)"}, true, effects, faster_text),
      column({"verdict"}, true, effects, [](const auto& e) { return name_of(e.verdict); }),
      column({"pairs"}, false, effects, [](const auto& e) { return std::to_string(e.pairs); }),
      column({"memory", "MiB"}, false, effects, memory_text),
      column({"payload", "MB a step"}, false, effects,
             [&](const auto& e) { return payload_text(e, report); })};
  section.lines.push_back(
      "against the first value as typed, within repetitions; real: significant over the option's "
      "values (Holm) and 2 % or more; none: surely less");
  if (std::string looked = axes_looked_at(effects); !looked.empty()) {
    section.lines.push_back(std::move(looked));
  }
  return section;
}

template <class Record>
Section sentences(const char* title, const std::vector<Record>& records) {
  Section section{title, {}, {}};
  for (const Record& record : records) section.lines.push_back(record.in_words);
  return section;
}

}  // namespace

std::vector<Section> effect_sections(const Report& report) {
  std::vector<Section> sections;
  if (!report.tuning.empty()) sections.push_back(sentences("Tuning", report.tuning));
  if (!report.effects.empty()) sections.push_back(effects_section(report));
  if (!report.communication_limits.empty()) {
    sections.push_back(sentences("Communication against batch size", report.communication_limits));
  }
  return sections;
}

}  // namespace scalemark::reporting
