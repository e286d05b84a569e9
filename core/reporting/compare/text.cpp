#include "core/reporting/compare/text.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/reporting/compare/meaning.h"
#include "core/reporting/table/text_table.h"

namespace scalemark::reporting {
namespace {

using statistics::Change;
using statistics::ComparedUnit;

constexpr const char* kAbsent = "-";

template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  char text[96];
  std::snprintf(text, sizeof text, pattern, arguments...);
  return text;
}

std::string side_rate_text(const SideOfPoint& side) {
  if (!side.samples_per_sec) return side.trouble.empty() ? kAbsent : side.trouble;
  const double rate = *side.samples_per_sec;
  if (rate < 100) return significant(rate, 3);
  return format(rate >= 1000 ? "%.0f" : "%.1f", rate);
}

std::string change_text(const statistics::PointChange& change) {
  return change.relative ? format("%+.2f", 100 * *change.relative) : kAbsent;
}

std::string interval_text(const statistics::PointChange& change) {
  if (!change.ci90) return kAbsent;
  return format("%+.2f .. %+.2f", 100 * change.ci90->low, 100 * change.ci90->high);
}

std::string p_text(const statistics::PointChange& change) {
  if (!change.p_adjusted) return kAbsent;
  return *change.p_adjusted < 0.0001 ? "< 0.0001" : format("%.4f", *change.p_adjusted);
}

std::string smallest_text(const statistics::PointChange& change) {
  if (!change.smallest_found) return kAbsent;
  return *change.smallest_found > 1 ? "> 100" : format("%.2f", 100 * *change.smallest_found);
}

std::string verdict_text(const PointAgainst& against) {
  const std::string word(name_of(against.change.change));
  return against.change.change == Change::kSlower ? "**" + word + "**" : word;
}

// "old", "new"; with more sides "side 1", "side 2", ...
std::string side_name(const Comparison& comparison, std::size_t side) {
  if (comparison.files.size() > 2) return "side " + std::to_string(side + 1);
  return side == 0 ? "old" : "new";
}

std::string sides_text(const Comparison& comparison) {
  std::string text;
  for (std::size_t side = 0; side < comparison.files.size(); ++side) {
    std::string files;
    for (const std::string& file : comparison.files[side]) {
      files += (files.empty() ? "" : ", ") + markdown_text(file);
    }
    text += "- " + side_name(comparison, side) + ": " + files + " (" +
            std::to_string(comparison.sessions[side]) +
            (comparison.sessions[side] == 1 ? " session)\n" : " sessions)\n");
  }
  return text;
}

// Only the verdicts that the unit allows.
std::string summary(const Comparison& comparison) {
  const std::vector<Change> changes =
      comparison.unit == ComparedUnit::kRunOfOneSession
          ? std::vector{Change::kDiffers, Change::kSame, Change::kUnsure, Change::kDisturbed}
          : std::vector{Change::kSlower, Change::kFaster, Change::kSame, Change::kUnsure,
                        Change::kDisturbed};
  std::string text;
  for (const Change change : changes) {
    if (change == Change::kDisturbed && count_of(comparison, change) == 0) continue;
    text += (text.empty() ? "**" : ", ") + std::to_string(count_of(comparison, change)) + " " +
            std::string(name_of(change));
  }
  return text + "**";
}

void add_side(std::vector<Column>& columns, const Comparison& comparison, std::size_t side) {
  const bool several = comparison.files.size() > 2;
  const std::string name = several ? side_name(comparison, side + 1) + " " : "";
  std::vector<Column> of_side{{{several ? name + "per s" : "new per s"}},
                              {{name + "change %"}},
                              {{name + "90 % interval"}},
                              {{name + "p (Holm)"}},
                              {{name + "finds from %"}},
                              {{name + "units"}},
                              {{name + "verdict"}, true, {}, true}};
  for (const ComparedPoint& point : comparison.points) {
    const PointAgainst& against = point.against[side];
    const std::string cells[] = {
        side_rate_text(against.after),
        change_text(against.change),
        interval_text(against.change),
        p_text(against.change),
        smallest_text(against.change),
        std::to_string(point.before.units) + " / " + std::to_string(against.after.units),
        verdict_text(against)};
    for (std::size_t i = 0; i < of_side.size(); ++i) of_side[i].cells.push_back(cells[i]);
  }
  columns.insert(columns.end(), of_side.begin(), of_side.end());
}

std::string points_table(const Comparison& comparison) {
  std::vector<Column> columns{
      {{"point"}, true}, {{"counts"}, true}, {{side_name(comparison, 0) + " per s"}}};
  for (const ComparedPoint& point : comparison.points) {
    columns[0].cells.push_back(point.group);
    columns[1].cells.push_back(point.unit);
    columns[2].cells.push_back(side_rate_text(point.before));
  }
  for (std::size_t side = 0; side + 1 < comparison.files.size(); ++side) {
    add_side(columns, comparison, side);
  }
  return set_markdown(columns);
}

// One line for each such sentence, with the rows that it is said of, under `head`; empty when there
// is none.
std::string sentences(const Comparison& comparison, const std::string& head,
                      std::string PointAgainst::*sentence) {
  std::vector<std::pair<std::string, std::vector<std::string>>> rows_by_sentence;
  for (const ComparedPoint& point : comparison.points) {
    for (std::size_t side = 0; side < point.against.size(); ++side) {
      const std::string& said = point.against[side].*sentence;
      if (said.empty()) continue;
      const std::string on =
          comparison.files.size() > 2 ? " (" + side_name(comparison, side + 1) + ")" : "";
      auto found = std::ranges::find(rows_by_sentence, said,
                                     &std::pair<std::string, std::vector<std::string>>::first);
      if (found == rows_by_sentence.end()) {
        found = rows_by_sentence.insert(found, {said, {}});
      }
      found->second.push_back(point.group + on);
    }
  }
  std::string text;
  for (const auto& [said, rows] : rows_by_sentence) {
    text += "- " + markdown_text(listed(rows) + ": " + said) + "\n";
  }
  return text.empty() ? text : "\n## " + head + "\n\n" + text;
}

std::string new_points(const Comparison& comparison) {
  if (comparison.new_points.empty()) return "";
  std::string text = "\nNot compared, because the first side lacks them: ";
  for (std::size_t i = 0; i < comparison.new_points.size(); ++i) {
    text += (i == 0 ? "" : ", ") + markdown_text(comparison.new_points[i]);
  }
  return text + ".\n";
}

std::string differences_table(const Comparison& comparison) {
  if (comparison.differences.empty()) {
    return "\n## Differences\n\nMachine, versions and settings are the same, as far as the reports "
           "tell.\n";
  }
  std::vector<Column> columns{{{"what"}, true}};
  for (std::size_t side = 0; side < comparison.files.size(); ++side) {
    columns.push_back({{side_name(comparison, side)}, true});
  }
  for (const Difference& difference : comparison.differences) {
    columns[0].cells.push_back(difference.what);
    for (std::size_t side = 0; side < difference.values.size(); ++side) {
      columns[side + 1].cells.push_back(difference.values[side]);
    }
  }
  return "\n## Differences\n\n" + set_markdown(columns);
}

std::string fingerprints_text(const Comparison& comparison) {
  if (comparison.fingerprints.empty()) return "";
  std::string text = "\n## The machines by themselves\n\n";
  for (const std::string& line : comparison.fingerprints) text += "- " + markdown_text(line) + "\n";
  return text;
}

}  // namespace

std::string comparison_markdown(const Comparison& comparison) {
  const std::string head = "# Comparison\n\n" + sides_text(comparison);
  if (comparison.points.empty()) {  // reports of doctor --measure
    return head + fingerprints_text(comparison) + differences_table(comparison);
  }
  return head + "\n" + summary(comparison) + "\n\n" + points_table(comparison) +
         new_points(comparison) + sentences(comparison, "What is certain", &PointAgainst::certain) +
         sentences(comparison, "Why unsure", &PointAgainst::reason) +
         differences_table(comparison) + fingerprints_text(comparison) +
         "\n## What this can say\n\n" + what_it_can_say(comparison);
}

}  // namespace scalemark::reporting
