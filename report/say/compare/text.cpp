// Writes a comparison of reports as text, Markdown and CSV.

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include "core/base/terminal.h"
#include "report/record/sweep_records.h"
#include "report/say/compare/compare.h"
#include "report/say/table/text_table.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

using statistics::Change;
using statistics::PointChange;

// More than these are shown with details only.
constexpr std::size_t kRowsWithTheSame = 10, kMostRows = 30, kMostDifferences = 8;

// A row of the table compares a point on the first side with the same point on one further side.
struct TableRow {
  const ComparedPoint* point;
  const PointAgainst* against;
  std::string side;  // name of the further side
};

// Returns "old" and "new"; if there are more sides "side 1", "side 2", ...
std::string side_name(const Comparison& comparison, std::size_t side) {
  if (comparison.files.size() > 2) return "side " + std::to_string(side + 1);
  return side == 0 ? "old" : "new";
}

std::vector<TableRow> table_rows(const Comparison& comparison) {
  std::vector<TableRow> rows;
  for (const ComparedPoint& point : comparison.points) {
    for (std::size_t side = 0; side < point.against.size(); ++side) {
      rows.push_back({&point, &point.against[side], side_name(comparison, side + 1)});
    }
  }
  return rows;
}

// Sorts rows that need a decision first.
std::size_t gravity(const TableRow& row) {
  constexpr std::array kGravest = {Change::kSlower,    Change::kDiffers, Change::kUnsure,
                                   Change::kDisturbed, Change::kFaster,  Change::kSame};
  const auto found = std::ranges::find(kGravest, row.against->change.change);
  return static_cast<std::size_t>(found - kGravest.begin()) + (row.against->absent ? 10 : 0);
}

std::vector<TableRow> rows_that(const std::vector<TableRow>& rows,
                                std::initializer_list<Change> changes) {
  std::vector<TableRow> found;
  std::ranges::copy_if(rows, std::back_inserter(found), [&](const TableRow& row) {
    return !row.against->absent && std::ranges::count(changes, row.against->change.change) > 0;
  });
  return found;
}

std::string name_of_row(const Comparison& comparison, const TableRow& row) {
  return row.point->group + (comparison.files.size() > 2 ? " (" + row.side + ")" : "");
}

std::vector<std::string> names_of_rows(const Comparison& comparison,
                                       const std::vector<TableRow>& rows) {
  std::vector<std::string> names;
  for (const TableRow& row : rows) names.push_back(name_of_row(comparison, row));
  return names;
}

// Writes "x by 5.00 %" or "3 of 12 points by 2.50 % to 10.00 %".
std::string by_how_much(const Comparison& comparison, const std::vector<TableRow>& rows,
                        std::size_t judged) {
  std::vector<double> sizes;
  for (const TableRow& row : rows) sizes.push_back(std::abs(*row.against->change.relative));
  const auto [least, most] = std::ranges::minmax(sizes);
  if (rows.size() == 1) return name_of_row(comparison, rows[0]) + " by " + percent(most, 2);
  return std::to_string(rows.size()) + " of " + counted(judged, "point") + " by " +
         percent(least, 2) + " to " + percent(most, 2);
}

// Rows that share a sentence, in the order of the first row of each.
using RowsBySentence = std::vector<std::pair<std::string, std::vector<TableRow>>>;

RowsBySentence by_sentence(const std::vector<TableRow>& rows, std::string PointAgainst::*sentence) {
  RowsBySentence all;
  for (const TableRow& row : rows) {
    const std::string& said = row.against->*sentence;
    if (said.empty()) continue;
    auto found = std::ranges::find(all, said, &RowsBySentence::value_type::first);
    if (found == all.end()) found = all.insert(all.end(), {said, {}});
    found->second.push_back(row);
  }
  return all;
}

// Returns the reason that the most rows share.
std::string main_reason(const std::vector<TableRow>& rows) {
  const RowsBySentence reasons = by_sentence(rows, &PointAgainst::reason);
  return std::ranges::max(reasons, {}, [](const auto& one) { return one.second.size(); }).first;
}

// Writes "; 1 faster, 7 same", without the changes that the sentence has named.
std::string the_others(const Comparison& comparison, const std::vector<Change>& named) {
  std::string text;
  for (const auto& [change, word] : words_of(Change())) {
    const std::size_t count = count_of(comparison, change);
    if (count == 0 || std::ranges::count(named, change)) continue;
    text += (text.empty() ? "; " : ", ") + std::to_string(count) + " " + std::string(word);
  }
  return text;
}

std::string headline(const Comparison& comparison) {
  const auto rows = table_rows(comparison);
  const auto judged = static_cast<std::size_t>(
      std::ranges::count_if(rows, [](const TableRow& row) { return !row.against->absent; }));
  const std::initializer_list<Change> unsettled = {Change::kUnsure, Change::kDiffers,
                                                   Change::kDisturbed};
  const auto slower = rows_that(rows, {Change::kSlower}),
             faster = rows_that(rows, {Change::kFaster}), undecided = rows_that(rows, unsettled);
  if (!slower.empty()) {
    return "slower: " + by_how_much(comparison, slower, judged) +
           the_others(comparison, {Change::kSlower});
  }
  if (!undecided.empty()) {
    const auto share = std::to_string(undecided.size()) + " of " + std::to_string(judged);
    return "cannot tell" + (undecided.size() < judged ? " for " + share + " points" : "") +
           ", because " + main_reason(undecided) + the_others(comparison, unsettled);
  }
  if (!faster.empty()) {
    return "faster: " + by_how_much(comparison, faster, judged) +
           the_others(comparison, {Change::kFaster});
  }
  if (judged == 0) return "no points: what the machines do by themselves";
  return "no difference beyond " + given_percent(comparison.threshold) + " (" +
         counted(judged, "point") + ")";
}

std::vector<std::string> side_lines(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (std::size_t side = 0; side < comparison.files.size(); ++side) {
    const auto sessions = static_cast<std::int64_t>(comparison.sessions[side]);
    const bool has_points = !comparison.points.empty() && side < comparison.quoting.size();
    lines.push_back(
        side_name(comparison, side) + ": " + joined(comparison.files[side], ", ") +
        (has_points ? " (" + counted(sessions, "session") + comparison.quoting[side] + ")" : ""));
  }
  return lines;
}

// Programs read the CSV, so its cells keep their form.
std::string side_rate_text(const SideOfPoint& side) {
  if (!side.samples_per_sec) return side.trouble.empty() ? kAbsent : side.trouble;
  const double rate = *side.samples_per_sec;
  if (rate < 100) return significant(rate, 3);
  return printed(rate >= 1000 ? "%.0f" : "%.1f", rate);
}

// The rate of a disturbed side gets no more digits than are known.
std::string side_rate_in_words(const SideOfPoint& side) {
  if (!side.samples_per_sec) return side_rate_text(side);
  return side.disturbed ? two_digits(*side.samples_per_sec) : readable(*side.samples_per_sec);
}

// Removes changes between sides of which one was disturbed. They are concluded from speeds that are
// not known, so people are not shown them.
Comparison without_withheld(Comparison comparison) {
  for (ComparedPoint& point : comparison.points) {
    for (PointAgainst& against : point.against) {
      if (against.change.change != Change::kDisturbed) continue;
      against.change = {.change = Change::kDisturbed};
      against.certain.clear();
    }
  }
  return comparison;
}

std::string change_text(const PointChange& change) {
  if (!change.relative && change.change == Change::kDisturbed) return kWithheld;
  return change.relative ? printed("%+.2f", 100 * *change.relative) : kAbsent;
}

std::string ci90_text(const PointChange& change) {
  if (!change.ci90) return kAbsent;
  return printed("%+.2f to ", 100 * change.ci90->low) + printed("%+.2f", 100 * change.ci90->high);
}

std::string p_cell(const PointChange& change) {
  if (!change.p_adjusted) return kAbsent;
  return *change.p_adjusted < 0.0001 ? "< 0.0001" : printed("%.4f", *change.p_adjusted);
}

std::string smallest_text(const PointChange& change) {
  if (!change.smallest_found) return kAbsent;
  return *change.smallest_found > 1 ? "> 100" : printed("%.2f", 100 * *change.smallest_found);
}

// Returns "images" where all rows count these; empty where they differ.
std::string common_unit(const std::vector<TableRow>& rows) {
  const std::string unit = rows.empty() ? "" : rows.front().point->unit;
  const bool is_common =
      std::ranges::all_of(rows, [&](const TableRow& row) { return row.point->unit == unit; });
  return is_common ? unit : "";
}

using SideText = std::string (*)(const SideOfPoint&);

std::vector<Column> points_columns(const Comparison& comparison, const std::vector<TableRow>& rows,
                                   bool details, SideText rate_of) {
  std::vector<Column> columns;
  const auto add = [&](std::vector<std::string> head, bool left, const auto& text) -> Column& {
    columns.push_back(column(std::move(head), left, rows, text));
    return columns.back();
  };
  // These cells show the change on the further side.
  const auto of_change = [](std::string (*text)(const PointChange&)) {
    return [text](const TableRow& row) { return text(row.against->change); };
  };
  using Row = TableRow;
  const bool several = comparison.files.size() > 2;
  const std::string unit = common_unit(rows), rate = unit + (unit.empty() ? "per s" : "/s");
  add({"point"}, true, [](const Row& row) { return row.point->group; });
  if (several) add({"against"}, true, &Row::side);
  if (unit.empty()) add({"counts"}, true, [](const Row& row) { return row.point->unit; });
  add({several ? "side 1" : "old", rate}, false, [&](const Row& row) {
    return rate_of(row.point->before);
  }).may_go = true;
  add({several ? "other" : "new", rate}, false, [&](const Row& row) {
    return rate_of(row.against->after);
  }).may_go = true;
  add({"change", "%"}, false, of_change(change_text));
  add({"90 %", "interval"}, false, of_change(ci90_text)).may_go = true;
  if (details) {
    add({"p", "(Holm)"}, false, of_change(p_cell));
    add({"finds", "from %"}, false, of_change(smallest_text));
    add({"units"}, false, [](const Row& row) {
      return std::to_string(row.point->before.units) + " / " +
             std::to_string(row.against->after.units);
    });
  }
  add({"verdict"}, true, [](const Row& row) {
    return row.against->absent ? kAbsent : name_of(row.against->change.change);
  });
  return columns;
}

// Lists facts that the headline does not mention: reasons, then points that cannot be compared.
std::vector<std::string> point_lines(const Comparison& comparison, const std::string& said,
                                     std::size_t most) {
  std::vector<std::string> lines;
  const auto reasons = by_sentence(table_rows(comparison), &PointAgainst::reason);
  for (const auto& [reason, rows] : reasons) {
    if (reasons.size() == 1 && said.find(reason) != std::string::npos) continue;
    lines.push_back(listed(names_of_rows(comparison, rows), most) + ": " + reason);
  }
  for (std::size_t side = 0; side < comparison.only.size(); ++side) {
    const auto& only = comparison.only[side];
    if (only.empty()) continue;
    lines.push_back(counted(std::ssize(only), "point") + " only in " + side_name(comparison, side) +
                    ": " + listed(only, most));
  }
  for (std::size_t side = 1; side < comparison.files.size(); ++side) {
    std::vector<std::string> lacking;
    for (const ComparedPoint& point : comparison.points) {
      if (point.against[side - 1].absent) lacking.push_back(point.group);
    }
    if (lacking.empty()) continue;
    lines.push_back(counted(std::ssize(lacking), "point") + " not in " +
                    side_name(comparison, side) + ": " + listed(lacking, most));
  }
  return lines;
}

Section points_section(const Comparison& comparison, bool details) {
  auto rows = table_rows(comparison);
  const std::size_t all = rows.size();
  if (!details) std::ranges::stable_sort(rows, {}, gravity);
  if (!details && all > kRowsWithTheSame) {
    std::erase_if(rows, [](const TableRow& row) {
      return row.against->change.change == Change::kSame || row.against->absent;
    });
    if (rows.size() > kMostRows) rows.erase(rows.begin() + kMostRows, rows.end());
  }
  Section section{"", {}, {}};
  if (!rows.empty())
    section.columns = points_columns(comparison, rows, details, side_rate_in_words);
  const std::size_t left_out = all - rows.size();
  if (left_out > 0) {
    section.lines.push_back(counted(left_out, "row") + " more: --details");
  }
  for (auto& line : point_lines(comparison, headline(comparison), details ? all : 5)) {
    section.lines.push_back(std::move(line));
  }
  const std::string advice = what_makes_it_surer(comparison);
  if (!advice.empty()) section.lines.push_back(advice);
  if (comparison.differences.empty()) {
    section.lines.push_back(
        "machine, versions and settings are the same, as far as the reports tell");
  }
  return section;
}

Section certain_section(const Comparison& comparison) {
  Section section{"What is certain", {}, {}};
  for (const auto& [said, rows] : by_sentence(table_rows(comparison), &PointAgainst::certain)) {
    section.lines.push_back(listed(names_of_rows(comparison, rows), rows.size()) + ": " + said);
  }
  return section;
}

Section differences_section(const Comparison& comparison, bool details) {
  Section section{"What else differs", {}, {}};
  const auto& differences = comparison.differences;
  if (differences.empty()) return section;
  const std::size_t shown =
      details ? differences.size() : std::min(differences.size(), kMostDifferences);
  section.columns = {{{"what"}, true, {}}};
  for (std::size_t side = 0; side < comparison.files.size(); ++side) {
    section.columns.push_back({{side_name(comparison, side)}, true, {}});
  }
  for (std::size_t i = 0; i < shown; ++i) {
    section.columns[0].cells.push_back(differences[i].what);
    for (std::size_t side = 0; side < differences[i].values.size(); ++side) {
      section.columns[side + 1].cells.push_back(differences[i].values[side]);
    }
  }
  if (shown < differences.size()) {
    section.lines.push_back(std::to_string(differences.size() - shown) + " more: --details");
  }
  return section;
}

std::vector<Section> sections_of(const Comparison& comparison, bool details) {
  std::vector<Section> sections;
  if (!comparison.points.empty()) sections.push_back(points_section(comparison, details));
  if (details) sections.push_back(certain_section(comparison));
  sections.push_back(differences_section(comparison, details));
  sections.push_back({"The machines by themselves", {}, comparison.fingerprints});
  if (details && !comparison.points.empty()) {
    sections.push_back({"What this can say", {}, {what_it_can_say(comparison)}});
  }
  std::erase_if(sections,
                [](const Section& one) { return one.columns.empty() && one.lines.empty(); });
  return sections;
}

}  // namespace

std::string comparison_text(const Comparison& whole, const Terminal& terminal, bool details) {
  const Comparison comparison = without_withheld(whole);
  const auto width = text_width(terminal);
  std::string text = wrapped(headline(comparison), width, 2);
  text.pop_back();  // the line end is not to be bold
  text = inked(terminal, Ink::kBold, text) + "\n";
  for (const std::string& line : side_lines(comparison)) text += wrapped(line, width, 4, "  ");
  for (const Section& section : sections_of(comparison, details)) {
    text += "\n" + section_text(section, terminal);
  }
  return text;
}

std::string comparison_markdown(const Comparison& whole) {
  const Comparison comparison = without_withheld(whole);
  std::string text = "# Comparison\n\n**" + markdown_text(headline(comparison)) + "**\n\n";
  for (const std::string& line : side_lines(comparison)) text += "- " + markdown_text(line) + "\n";
  for (const Section& section : sections_of(comparison, true)) text += section_markdown(section);
  return text;
}

std::string comparison_csv(const Comparison& comparison) {
  const auto rows = table_rows(comparison);
  auto columns = points_columns(comparison, rows, true, side_rate_text);
  columns.push_back(column({"standing"}, true, rows, [](const TableRow& row) -> std::string {
    const Change change = row.against->change.change;
    if (row.against->absent) return kAbsent;
    if (change == Change::kDisturbed) return kWithheld;
    return change == Change::kUnsure || change == Change::kDiffers ? kShownWithCare : kShown;
  }));
  return set_csv(columns);
}

}  // namespace scalemark::reporting
