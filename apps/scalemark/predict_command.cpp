// scalemark predict says from measured world sizes what more ranks would give.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/formats.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/predict_series.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/catalogue/strategy.h"
#include "report/judge/judge.h"
#include "report/record/runs.h"
#include "report/say/table/text_table.h"
#include "report/say/words/words.h"

namespace scalemark::cli {
namespace {

using reporting::Column;
using reporting::kAbsent;
using reporting::Prediction;
using reporting::Section;

std::string in_words(const std::vector<int>& ranks) {
  std::vector<std::string> words;
  for (const int one : ranks) words.push_back(std::to_string(one));
  const std::string last = words.back();
  words.pop_back();
  return (words.empty() ? "" : joined(words, ", ") + " and ") + last +
         (ranks == std::vector{1} ? " rank" : " ranks");
}

double rate_of(const WeakSeries& series, int world_size) {
  return std::ranges::find(series.points, world_size, &prediction::MeasuredPoint::world_size)
      ->samples_per_sec;
}

// "16 ranks: about 12.1x (76 %)"
std::string gain(const WeakSeries& series, int ranks, double samples_per_sec, bool predicted) {
  const double speed_up = samples_per_sec / one_rank_of(series);
  return counted(ranks, "rank") + ": " + (predicted ? "about " : "") +
         reporting::speed_up_digits(speed_up) + "x (" + percent(speed_up / ranks, 0) + ")";
}

// Warns of measured ranks that were slower than fewer ranks, by as much as a percentage shows,
// since the rule says that ranks always gain something. Empty where none were.
std::string slower_words(const WeakSeries& series) {
  const auto rate = &prediction::MeasuredPoint::samples_per_sec;
  for (std::size_t i = series.points.size(); i-- > 1;) {
    const auto fewer = std::span(series.points).first(i);
    const auto& best = *std::ranges::max_element(fewer, {}, rate);
    const double share = 1 - series.points[i].samples_per_sec / best.samples_per_sec;
    if (share < 0.0005) continue;
    return "more ranks do not pay here, " + std::to_string(series.points[i].world_size) + " were " +
           percent(share) + " slower than " + std::to_string(best.world_size) + "; ";
  }
  return "";
}

// Says from where on the rule is taken to hold, and how much efficiency fell before.
std::string rule_words(const WeakSeries& series) {
  const auto &first = series.points.front(), &last = series.points.back();
  const std::string largest = std::to_string(last.world_size);
  const double fell = 1 - last.samples_per_sec / last.world_size / one_rank_of(series);
  return "efficiency falls " + percent(prediction::kLossPerDoubling, 0) + " per doubling beyond " +
         largest + " (from " + std::to_string(first.world_size) + " to " + largest + " it " +
         (fell < 0 ? "rose " : "fell ") + percent(std::abs(fell), 0) + ")";
}

// The answer: each world size that was asked for, and how it is known.
std::string answer_sentence(const WeakSeries& series, const SeriesPrediction& made) {
  std::vector<std::string> parts, by_rule;
  if (!made.too_few.empty()) {
    parts.push_back(in_words(made.too_few) + ": not known, fewer than the " +
                    std::to_string(series.points.front().world_size) + " that were measured");
  }
  for (const int ranks : made.measured) {
    parts.push_back(gain(series, ranks, rate_of(series, ranks), false) + ", measured");
  }
  for (const prediction::Forecast& one : made.forecasts) {
    const bool is_ruled = one.predictor == prediction::Predictor::kRule;
    (is_ruled ? by_rule : parts)
        .push_back(gain(series, one.world_size, one.samples_per_sec, true) +
                   (is_ruled ? "" : ", between what fewer and more gave"));
  }
  if (!by_rule.empty()) {
    parts.push_back(joined(by_rule, ", ") + ", if " + rule_words(series));
  }
  return slower_words(series) + joined(parts, "; ");
}

// A world size that was measured, or, with a record, predicted.
struct TableRow {
  int ranks, nodes;
  double samples_per_sec;
  const Prediction* record = nullptr;
};

// Without `details` the table has only those measured counts on which something rests.
std::vector<TableRow> table_rows(const WeakSeries& series, const SeriesPrediction& made,
                                 const std::vector<Prediction>& records, bool details) {
  std::set<int> base(made.measured.begin(), made.measured.end());
  for (const prediction::Forecast& one : made.forecasts) {
    const auto above = std::ranges::upper_bound(series.points, one.world_size, {},
                                                &prediction::MeasuredPoint::world_size);
    base.insert(above[-1].world_size);
    if (above != series.points.end()) base.insert(above->world_size);
  }
  std::vector<TableRow> rows;
  for (const prediction::MeasuredPoint& point : series.points) {
    if (!details && !base.contains(point.world_size)) continue;
    rows.push_back({point.world_size, point.nodes, point.samples_per_sec});
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    rows.push_back(
        {records[i].world_size, made.forecasts[i].nodes, records[i].samples_per_sec, &records[i]});
  }
  std::ranges::sort(rows, {}, &TableRow::ranks);
  return rows;
}

std::string likely_cell(const TableRow& row) {
  if (!row.record) return "measured";
  const Prediction& record = *row.record;
  if (!record.low || !record.high) return "not testable";
  return readable(*record.low) + " to " + readable(*record.high);
}

std::vector<Column> columns_of(const WeakSeries& series, const std::vector<TableRow>& rows,
                               bool details) {
  std::vector<Column> columns;
  const auto add = [&](std::string head, const auto& cell) {
    columns.push_back(reporting::column({std::move(head)}, false, rows, cell));
  };
  const auto add_predicted = [&](std::string head, const auto& cell) {
    add(std::move(head),
        [&](const TableRow& row) { return row.record ? cell(*row.record) : std::string(kAbsent); });
  };
  const double one_rank = one_rank_of(series);
  add("ranks", [](const TableRow& row) { return std::to_string(row.ranks); });
  if (std::ranges::any_of(rows, [](const TableRow& row) { return row.nodes > 1; })) {
    add("nodes", [](const TableRow& row) { return std::to_string(row.nodes); });
    columns.back().may_go = true;
  }
  add("samples/s", [](const TableRow& row) { return readable(row.samples_per_sec); });
  add("speed-up", [&](const TableRow& row) {
    return reporting::speed_up_digits(row.samples_per_sec / one_rank);
  });
  columns.back().may_go = true;
  add("efficiency",
      [&](const TableRow& row) { return percent(row.samples_per_sec / one_rank / row.ranks, 0); });
  add("likely", likely_cell);
  if (!details) return columns;
  add_predicted("held", [](const Prediction& record) {
    return record.band_coverage ? percent(*record.band_coverage, 0) : kAbsent;
  });
  add_predicted("by", [](const Prediction& record) { return record.predictor; });
  add_predicted("links", [](const Prediction& record) { return record.basis; });
  columns.back().left = columns.back().may_go = true;
  return columns;
}

// One clause on the predictions that published series test, and one on those that none does.
std::string how_far_off(const SeriesPrediction& made) {
  using Tested = std::pair<prediction::PublishedTest, std::vector<int>>;
  std::map<std::pair<bool, int>, Tested> by_class;
  std::vector<int> untested, between;
  for (const prediction::Forecast& one : made.forecasts) {
    if (one.test) {
      auto& tested = by_class[{one.test->new_link_level, one.test->doublings}];
      tested.first = *one.test;
      tested.second.push_back(one.world_size);
    } else {
      const bool by_rule = one.predictor == prediction::Predictor::kRule;
      (by_rule ? untested : between).push_back(one.world_size);
    }
  }
  std::vector<std::string> medians, coverages, clauses;
  for (const auto& [its, tested] : by_class) {
    medians.push_back(in_words(tested.second) + " " + percent(tested.first.median_error));
    coverages.push_back(percent(tested.first.coverage, 0));
  }
  if (!medians.empty()) {
    clauses.push_back(joined(medians, ", ") + " in the median of published series, " +
                      joined(coverages, " and ") + " of them in the likely range");
  }
  if (!between.empty()) clauses.push_back(in_words(between) + " on a line, with no such range");
  if (!untested.empty()) clauses.push_back(in_words(untested) + " not testable");
  return clauses.empty() ? "" : "how far off such predictions were: " + joined(clauses, "; ");
}

// A range holds what published series missed the rule by, on both sides of it.
std::string above_ideal(const WeakSeries& series, const std::vector<Prediction>& records) {
  std::vector<int> above;
  for (const Prediction& record : records) {
    if (record.high && *record.high > one_rank_of(series) * record.world_size)
      above.push_back(record.world_size);
  }
  return above.empty() ? ""
                       : "the likely range of " + in_words(above) +
                             " ends above the ideal: it is what published series missed the "
                             "rule by, to both sides";
}

// `quoting`: a warning on reports that are not to be quoted as they are.
std::string rests_on(const WeakSeries& series, const SeriesPrediction& made, bool names_series,
                     const std::string& quoting) {
  std::vector<int> counts, assumed, far;
  for (const auto& point : series.points) counts.push_back(point.world_size);
  for (const prediction::Forecast& one : made.forecasts) {
    if (one.assumed_link) assumed.push_back(one.world_size);
    if (one.indicative) far.push_back(one.world_size);
  }
  std::string text = "rests on " + in_words(counts) + (names_series ? " of " + series.title : "");
  if (counts.front() > 1) {
    text +=
        "; gains are relative to " + std::to_string(counts.front()) + ", since 1 was not measured";
  }
  if (!assumed.empty()) text += "; " + in_words(assumed) + ": links not measured";
  if (!far.empty()) text += "; " + in_words(far) + ": indicative";
  return text + "; " + (quoting.empty() ? "quotable" : quoting) + ", as a prediction";
}

std::vector<std::string> detail_lines(const WeakSeries& series, const SeriesPrediction& made,
                                      const std::vector<Prediction>& records) {
  std::vector<std::string> lines{counted(made.ranks_per_node, "rank") +
                                 " on each node (--ranks-per-node)"};
  for (const Prediction& record : records) {
    lines.push_back(counted(record.world_size, "rank") + ", by " + record.predictor + ": " +
                    record.reason);
  }
  const auto miss = prediction::miss_of_the_largest(series.points);
  lines.push_back(miss ? "tried on " + std::to_string(series.points.back().world_size) +
                             " ranks, without their row: the rule predicts " +
                             percent(std::abs(*miss)) + (*miss < 0 ? " below" : " above") +
                             " what was measured"
                       : "two world sizes only: how well it predicts could not be tried on them");
  return lines;
}

std::string bold(const std::string& line, const Terminal& terminal) {
  std::string text = wrapped(line, text_width(terminal), 2);
  text.pop_back();  // its line end stays outside of the ink
  return inked(terminal, Ink::kBold, text) + "\n";
}

std::string prediction_text(const WeakSeries& series, const SeriesPrediction& made,
                            const std::vector<Prediction>& records, const Terminal& terminal,
                            bool details, bool is_one_of_several, const std::string& quoting) {
  std::string text = is_one_of_several ? bold(series.title, terminal) : "";
  text += bold(answer_sentence(series, made), terminal);
  Section section{"", columns_of(series, table_rows(series, made, records, details), details), {}};
  if (!section.columns.front().cells.empty()) text += "\n" + section_text(section, terminal) + "\n";
  for (const std::string& line : {how_far_off(made), above_ideal(series, records),
                                  rests_on(series, made, !is_one_of_several, quoting)}) {
    if (!line.empty()) text += wrapped(line, text_width(terminal), 2);
  }
  text += measuring(series, made);
  if (!details) return text;
  return text + "\n" +
         reporting::section_text({"Details", {}, detail_lines(series, made, records)}, terminal);
}

// The text in place of a number: what disturbed the runs, how much, and how to get undisturbed
// ones.
std::string unfit_text(const WeakSeries& series, const std::set<int>& world_sizes,
                       const Terminal& terminal, const std::string& quoting) {
  const auto width = text_width(terminal);
  const std::string none =
      "no prediction for " + in_words({world_sizes.begin(), world_sizes.end()}) + ": ";
  const std::string why = "the runs of " + in_words(series.unfit) + " decide nothing, fewer than " +
                          std::to_string(reporting::kFitRuns) + " were undisturbed (" +
                          series.title + "); " + quoting;
  return bold(none + series.disturbed_by, terminal) + wrapped(why, width, 2) +
         "\nmeasure again, undisturbed" + (series.repeat.empty() ? "" : "  " + series.repeat) +
         "\n";
}

std::set<int> world_sizes_of(const settings::ToolValues& values) {
  std::set<int> sizes;
  for (const std::int64_t size : values.counts("world_sizes")) sizes.insert(static_cast<int>(size));
  if (sizes.empty()) {
    throw usage("no world sizes are given", "--world-sizes 16,64 names what to predict");
  }
  return sizes;
}

// The folder for the report with its predictions; it is refused before anything is computed. The
// report may have come from there: it is kept, and gets the predictions.
std::optional<std::filesystem::path> output_of(const Invocation& invocation,
                                               const settings::ToolValues& values,
                                               std::size_t reports) {
  if (values.text("output") && reports != 1) {
    throw usage("--output with " + std::to_string(reports) + " reports",
                "predictions are written into one report: name one, or leave --output out");
  }
  const auto folder = report_folder(values);
  if (folder) Inputs(invocation).refuse("--output", *folder / "report.json");
  return folder;
}

// Whether the rule was tried on this exchange: published series all-reduce everything in every
// step.
bool is_tested(const WeakSeries& series) {
  return !catalogue::exchanges(series.strategy) || catalogue::sums_everything(series.strategy);
}

Error other_exchange(const std::string& title) {
  return bad_data("no published series tell what more ranks cost with the exchange of " + title,
                  "the rule was tried on strategies that all-reduce all gradients in every step",
                  "scalemark sweep --strategies ddp measures one");
}

Error too_little(const std::vector<WeakSeries>& found) {
  constexpr const char* kHint = "scalemark sweep --world-sizes 1,2,4 measures what is needed";
  constexpr const char* kNeeded =
      "at least two world sizes of the same workload, settings and batch per rank are needed";
  if (found.empty())
    return bad_data("no measured point is usable for a prediction", kNeeded, kHint);
  const int ranks = found[0].points[0].world_size;
  return bad_data("only " + counted(ranks, "rank") + (ranks == 1 ? " was" : " were") +
                      " measured of " + found[0].title,
                  kNeeded, kHint);
}

// The series from which one can predict. Notes name the others; throws where there is none.
std::vector<WeakSeries> predictable(const std::vector<WeakSeries>& found) {
  std::vector<WeakSeries> chosen;
  std::vector<std::string> alone, untested;
  for (const WeakSeries& series : found) {
    if (series.points.size() < prediction::kFewestPoints) {
      alone.push_back(series.title);
    } else if (!is_tested(series)) {
      untested.push_back(series.title);
    } else {
      chosen.push_back(series);
    }
  }
  if (chosen.empty()) throw untested.empty() ? too_little(found) : other_exchange(untested[0]);
  for (const std::string& title : untested) {
    print_note("the rule was not tried on its exchange, left out: " + title);
  }
  for (const std::string& title : alone) print_note("one world size only, left out: " + title);
  return chosen;
}

}  // namespace

ExitCode predict_command(const Invocation& invocation) {
  if (invocation.positionals.empty()) {
    throw usage("no report is given", "a report.json or the folder that holds it is expected");
  }
  const settings::ToolValues values = read_tool_values(invocation);
  const std::set<int> world_sizes = world_sizes_of(values);
  std::optional<int> ranks_per_node;
  if (const auto given = values.count("ranks_per_node")) ranks_per_node = static_cast<int>(*given);
  std::vector<reporting::Report> reports = read_reports(invocation.positionals);
  const auto output = output_of(invocation, values, reports.size());
  std::vector<WeakSeries> all = predictable(weak_series(reports));
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  std::string text;
  std::vector<Prediction> records;
  bool is_whole = true;
  for (WeakSeries& series : all) {
    text += text.empty() ? "" : "\n";
    if (!series.unfit.empty()) {
      text += unfit_text(series, world_sizes, terminal, reporting::quoting_words(reports));
      is_whole = false;
      continue;
    }
    const SeriesPrediction made = predict(series, ranks_per_node, world_sizes);
    const auto more = prediction_records(series, made);
    text += prediction_text(series, made, more, terminal, values.on("details"), all.size() > 1,
                            reporting::quoting_words(reports));
    records.insert(records.end(), more.begin(), more.end());
    is_whole = is_whole && made.too_few.empty();
  }
  if (output && records.empty()) {
    print_note("nothing was predicted: nothing is written to " + output->string());
  } else if (output) {
    // The folder's other files stay: predictions may go into the report that they come from.
    reports.front().predictions = std::move(records);
    write_report(*output, reports.front());
  }
  const ExitCode printed = print_result(text);
  return is_whole ? printed : ExitCode::kUnsure;
}

}  // namespace scalemark::cli
