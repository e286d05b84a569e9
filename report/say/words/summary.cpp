// Writes what was found in a whole report, and what a comparison of several can say.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/catalogue/strategy.h"
#include "report/judge/judge.h"
#include "report/record/point_facts.h"
#include "report/record/runs.h"
#include "report/record/verdict.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

std::string fastest_sentence(const Report& report) {
  const FastestPoint& fastest = *report.fastest;
  const GroupRecord* group = find_group(report.groups, fastest.group);
  std::string text = "Fastest: " + fastest.group;
  if (group && group->samples_per_sec) {
    text += " with " + group_rate(*group) + " samples/s";
  }
  if (fastest.not_told_apart.empty()) return text + ".";
  return text + "; not distinguishable from " + listed(fastest.not_told_apart) + ".";
}

// The point with the fewest repetitions decides this.
std::optional<std::string> unseen_sentence(const Report& report) {
  const int fewest_runs = runs_of_points(report).fewest;
  const auto fewest = std::ranges::find_if(report.groups, [&](const GroupRecord& group) {
    return group.n == fewest_runs && group.unseen_share;
  });
  if (fewest == report.groups.end()) return std::nullopt;
  if (fewest->n == 1) return "One run cannot show that the machine has more than one state.";
  return "What " + counted(fewest->n, "run") +
         " of a point cannot see: a state of the machine that " + percent(*fewest->unseen_share) +
         " of runs are in is missed by all of them with a chance of 5 %, a rarer one more often; "
         "no interval shows it.";
}

// Only a trend that is distinguishable from none is reported. Correlated runs drift without one.
std::optional<std::string> drift_sentence(const Report& report) {
  if (!report.drift) return std::nullopt;
  const Drift& drift = *report.drift;
  const bool is_clear = drift.ci95 && (*drift.ci95.low > 0 || *drift.ci95.high < 0);
  if (!is_clear || drift.lag1) return std::nullopt;
  return "Over the sweep the common trend of speed is " + percent(drift.per_sweep) +
         " (95 % interval " + share_interval(drift.ci95) + ").";
}

// Writes a sentence for each slice, about the row with the most ranks that exchange gradients.
std::vector<std::string> efficiency_sentences(const Report& report) {
  std::vector<std::string> sentences;
  for (const ScalingTable& table : report.scaling) {
    const ScalingRow* last = nullptr;
    for (const ScalingRow& row : table.rows) {
      if (catalogue::exchanges(row.strategy) && row.world_size > 1 && row.efficiency) last = &row;
    }
    if (!last) continue;
    const std::string losses = waterfall_in_words(*last);
    sentences.push_back(slice_text(table, report.scaling) + ": " + scaling_in_words(*last) +
                        (losses.empty() ? "" : "; " + losses) + ".");
  }
  return sentences;
}

std::string runs_sentence(const Report& report) {
  return counted(std::ssize(report.points), "run") + ", " + std::to_string(counts_of(report).ok) +
         " measured.";
}

std::string wrong_sentence(const Report& report) {
  int runs = 0;
  for (const CollectiveRecord& run : report.collectives) runs += run.wrong.value_or(0) > 0;
  return runs == 0 ? "no wrong elements" : "wrong elements in " + counted(runs, "run");
}

std::string links_sentence(const Report& report) {
  return counted(std::ssize(report.links), "link") + " measured, each by itself.";
}

std::string collectives_sentence(const Report& report) {
  return counted(std::ssize(report.collective_groups), "collective") + ", " +
         counted(std::ssize(report.collectives), "run") + ", " +
         std::to_string(counts_of(report).ok) + " of them measured; " + wrong_sentence(report) +
         ".";
}

// Counts the warnings that are listed below, and writes how far the numbers may be trusted: the
// gravest reason, its remedy, and the reasons that are no findings.
void add_trust(std::vector<std::string>& sentences, const Report& report) {
  const auto warnings = std::ranges::count_if(
      report.findings, [](const Finding& finding) { return finding.severity != "info"; });
  if (warnings > 0) {
    sentences.push_back(counted(warnings, "warning") + ", listed under findings.");
  }
  std::string quoting = quoting_in_words(report);
  if (quoting.empty()) return;
  quoting.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(quoting.front())));
  sentences.push_back(quoting + ".");
  std::vector<std::string> others;
  for (const VerdictReason& reason : report.verdict->reasons) {
    const bool is_found =
        std::ranges::find(report.findings, reason.code, &Finding::code) != report.findings.end();
    if (!is_found && reason.code != kJudgedAnew && &reason != &report.verdict->reasons.front()) {
      others.push_back(reason.text);
    }
  }
  if (!others.empty()) sentences.push_back("Besides, " + joined(others, "; ") + ".");
  const NextCommand next = next_command(report);
  if (!next.command.empty())
    sentences.push_back("What next, " + std::string(next.when) + ": " + next.command);
}

// Writes what the ranks cost: steps until they pay off, energy, money. Empty where none is known.
std::string cost_sentence(const Report& report, const ScalingRow& row) {
  double steps = 0;
  int runs = 0;
  for (const PointRecord& run : report.points) {
    if (run.group != row.group || !run.break_even_steps) continue;
    steps += *run.break_even_steps;
    ++runs;
  }
  std::vector<std::string> parts;
  if (runs > 0) parts.push_back("ahead of one rank from step " + grouped(steps / runs) + " on");
  const GroupRecord* group = find_group(report.groups, row.group);
  if (group && group->samples_per_joule) {
    parts.push_back(significant(1 / *group->samples_per_joule, 3) + " J a sample");
  }
  if (group && group->samples_per_dollar) {
    parts.push_back(readable(*group->samples_per_dollar) + " samples per unit of the price");
  }
  return parts.empty() ? "" : counted(row.world_size, "rank") + ": " + joined(parts, ", ");
}

// Writes from which batch size on communication stays small, at the ranks of this row. Numbers that
// must not be quoted give nothing.
std::string crossover_sentence(const Report& report, const ScalingRow& row) {
  const auto& verdict = report.verdict;
  if (verdict && verdict->level == VerdictLevel::kDoNotQuote) return "";
  if (row.points.size() < 2) return "";  // one run has no upper bound
  const auto fits = [&](const CommunicationLimit& limit) {
    const auto is = [&](const char* option, const std::string& value) {
      const auto found = limit.fixed.find(option);
      return found == limit.fixed.end() || found->second == value;
    };
    const bool is_crossed = limit.from != limit.smallest;  // otherwise it is small for all sizes
    return is_crossed && is("world_size", std::to_string(row.world_size)) &&
           is("strategy", row.strategy);
  };
  const auto& limits = report.communication_limits;
  // `limits` has the larger share first.
  const auto first = std::ranges::find_if(limits, fits);
  return first == limits.end() ? "" : first->in_words;
}

// Writes "payload a step: ddp 102 MB, flat 102 MB" where strategies or compressions were compared.
std::string payload_sentence(const Report& report, int world_size) {
  std::vector<std::string> names, parts;
  for (const GroupRecord& group : report.groups) {  // runs are in random order
    const PointRecord* run = first_run(report.points, group.group);
    if (!run || run->world_size != world_size || !has_exchange(*run)) continue;
    const std::string& format = run->gradient_compression;
    const std::string name =
        run->strategy + (format.empty() || format == "none" ? "" : " " + format);
    if (std::ranges::find(names, name) != names.end()) continue;
    names.push_back(name);
    parts.push_back(name + " " + size_text(run->payload_bytes_per_step));
  }
  return parts.size() < 2 ? "" : "payload a step: " + listed(parts, 6);
}

}  // namespace

std::vector<std::string> summary_in_words(const Report& report) {
  std::vector<std::string> sentences;
  const auto& verdict = report.verdict;
  if (const VerdictReason* change = verdict ? rejudged_reason(*verdict) : nullptr) {
    sentences.push_back(change->text + ".");
  }
  if (measures_collectives(report)) {
    sentences.push_back(report.collectives.empty() ? links_sentence(report)
                                                   : collectives_sentence(report));
    for (const CollectiveWinners& winners : report.collective_winners) {
      sentences.push_back(winners.in_words + ".");
    }
    add_trust(sentences, report);
    return sentences;
  }
  int runs = 0, ok = 0, without = 0;
  for (const GroupRecord& group : report.groups) {
    for (const auto& [status, count] : group.status_counts) runs += count;
    ok += group.n;
    without += group.n == 0;
  }
  if (report.groups.empty()) {  // e.g. the report of train
    sentences.push_back(runs_sentence(report));
  } else {
    sentences.push_back(counted(std::ssize(report.groups), "point") + ", " + counted(runs, "run") +
                        ", " + std::to_string(ok) + " of them measured.");
  }
  if (report.fastest) {
    sentences.push_back(fastest_sentence(report));
  } else if (ok == 0 && !report.groups.empty()) {
    sentences.push_back("No point could be measured.");
  }
  for (const TuningRecord& tuning : report.tuning) sentences.push_back(tuning.in_words + ".");
  std::ranges::move(efficiency_sentences(report), std::back_inserter(sentences));
  if (auto sentence = drift_sentence(report)) sentences.push_back(std::move(*sentence));
  if (auto sentence = unseen_sentence(report)) sentences.push_back(std::move(*sentence));
  if (without > 0) sentences.push_back(counted(without, "point") + " without a result.");
  add_trust(sentences, report);
  return sentences;
}

std::string payment_in_words(const ScalingRow& row, const std::string& one_rank) {
  const std::string text = scaling_in_words(row);
  Bounds speed_up;
  if (row.efficiency_ci95) {
    speed_up = {*row.efficiency_ci95.low * row.ideal(), *row.efficiency_ci95.high * row.ideal()};
  } else if (row.at_least) {
    speed_up = {*row.speedup * (1 - *row.at_least), *row.speedup * (1 + *row.at_least)};
  }
  if (speed_up && *speed_up.low > 1) return text + ", so they are faster than " + one_rank;
  if (speed_up && *speed_up.high < 1) return text + ", so they are slower than " + one_rank;
  return text + ": whether they are faster than " + one_rank + " is open";
}

std::vector<std::string> found_at(const Report& report, const ScalingRow& row) {
  std::vector<std::string> found{crossover_sentence(report, row),
                                 payload_sentence(report, row.world_size),
                                 cost_sentence(report, row)};
  std::erase(found, "");
  return found;
}

namespace {

using statistics::Change;
using statistics::ComparedUnit;
using statistics::PointChange;

std::string units_in_words(std::size_t units, ComparedUnit unit) {
  return counted(units, unit == ComparedUnit::kSession ? "session" : "run");
}

// Whether the whole interval lies outside, by the logarithms of the rule. Such a change counts if
// it is significant.
bool lies_outside(const statistics::Interval& ci90, double threshold) {
  return std::log1p(ci90.low) >= threshold || std::log1p(ci90.high) <= -threshold;
}

std::string why_undecided(const PointChange& change, double threshold, std::size_t tested) {
  if (change.is_significant) {
    return "there is a difference, and whether it exceeds " + given_percent(threshold) + " is open";
  }
  if (lies_outside(*change.ci90, threshold)) {
    return "chance may give such a difference" +
           (tested == 1 ? "" : " in one of " + std::to_string(tested) + " points");
  }
  return "the runs spread too much to tell whether they differ by " + given_percent(threshold);
}

std::string_view what_the_unit_is(ComparedUnit unit) {
  switch (unit) {
    case ComparedUnit::kSession:
      return "The unit is the session: what differs from one session to the next (node, placement, "
             "boot, neighbours) is in the intervals. ";
    case ComparedUnit::kRunOfOneSession:
      return "The unit is the run, and each side is one session: the intervals hold for these "
             "sessions. What differs from one session to the next (node, placement, boot, "
             "neighbours) is in a change but not in its interval, whatever the number of runs; so "
             "nothing is called slower or faster, and same is said of these sessions. Sides that "
             "were measured in one go on one "
             "machine: --same-session. ";
    case ComparedUnit::kRunOfTheSameSession:
      break;
  }
  return "The unit is the run, and --same-session says that the sides were measured in one go. "
         "Were they not, what differs between their sessions is called slower or faster. ";
}

}  // namespace

std::string what_is_certain(const PointChange& change, const Comparison& comparison) {
  const bool decided = change.change != Change::kSame && change.change != Change::kUnsure &&
                       change.change != Change::kDisturbed;
  if (!decided) return "";
  return "a difference is certain, one of more than " + given_percent(comparison.threshold) +
         " is " + (change.exceeds_threshold ? "too" : "not");
}

std::string why_undecided(const SideOfPoint& before, const PointAgainst& against,
                          const Comparison& comparison, std::size_t tested) {
  const Change change = against.change.change;
  const bool several = comparison.files.size() > 2;
  const std::string first = several ? "first" : "old", other = several ? "other" : "new";
  if (change == Change::kDisturbed) {
    const SideOfPoint& after = against.after;
    const bool both = before.disturbed && after.disturbed;
    const std::string where =
        both ? "both sides" : "the " + (before.disturbed ? first : other) + " side";
    if (before.too_brief == before.disturbed && after.too_brief == after.disturbed) {
      return "too many windows of " + where +
             " are too brief to tell whether others used the machine: lengthen them (--min-time), "
             "and repeat";
    }
    return "too many runs of " + where + " were disturbed: stop what else runs there, and repeat";
  }
  if (change == Change::kDiffers) {
    return "each side is one session, and sessions differ by themselves";
  }
  if (change != Change::kUnsure) return "";
  for (const auto& [side, name] : {std::pair(&before, first), std::pair(&against.after, other)}) {
    if (side->units > 0) continue;
    return "the " + name + " side has no run that counts" +
           (side->trouble.empty() ? "" : ": " + side->trouble);
  }
  const std::size_t units = std::min(before.units, against.after.units);
  if (units < statistics::kUnitsToCompare) {
    return "there " + std::string(units == 1 ? "is " : "are ") +
           units_in_words(units, comparison.unit) +
           " on one side: three are needed, five on each are advised";
  }
  return why_undecided(against.change, comparison.threshold, tested);
}

std::string what_it_can_say(const Comparison& comparison) {
  const std::string threshold = given_percent(comparison.threshold);
  const bool one_session = comparison.unit == ComparedUnit::kRunOfOneSession;
  std::string text =
      std::string(one_session ? name_of(Change::kDiffers) : "slower, faster") +
      ": significant (Welch's test on logarithms, Holm over all points, 5 % in all) and at least " +
      threshold + " as measured; same: the 90 % interval lies within +-" + threshold +
      "; unsure: neither, or fewer than three units on a side; finds from: about the smallest "
      "change that the row would have shown to be more than 0. " +
      std::string(what_the_unit_is(comparison.unit));
  text.pop_back();
  return text;
}

std::string what_makes_it_surer(const Comparison& comparison) {
  const auto differs = count_of(comparison, Change::kDiffers);
  const bool enough = std::ranges::min(comparison.sessions) >= statistics::kUnitsAdvised;
  if (enough || differs + count_of(comparison, Change::kUnsure) == 0) return "";
  return std::string("to be surer, give five files of separate sessions on each side") +
         (differs == 0 ? "" : ", or --same-session where both were measured in one go");
}

}  // namespace scalemark::reporting
