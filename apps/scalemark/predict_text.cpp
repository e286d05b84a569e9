#include "apps/scalemark/predict_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/scalemark/predict_assumptions.h"
#include "apps/scalemark/predict_format.h"
#include "core/base/text.h"
#include "core/reporting/table/section.h"

namespace scalemark::cli {
namespace {

using reporting::Column;
using reporting::kAbsent;
using reporting::Prediction;
using reporting::Section;

// A world size that was measured, or, with a record, predicted.
struct TableRow {
  int ranks, nodes;
  double samples_per_sec;
  const Prediction* record = nullptr;
};

std::vector<TableRow> table_rows(const WeakSeries& series, const SeriesPrediction& made,
                                 const std::vector<Prediction>& records) {
  std::vector<TableRow> rows;
  for (const SeriesRow& one : series.rows) {
    rows.push_back({one.world_size, one.nodes, one.samples_per_sec});
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    rows.push_back({records[i].world_size, made.forecasts[i].layout.nodes,
                    records[i].samples_per_sec, &records[i]});
  }
  return rows;
}

std::string band_of(const Prediction& record) {
  if (!record.low || !record.high || !record.band_coverage) return "not testable";
  return rate(*record.low) + " to " + rate(*record.high);
}

// "assumed, indicative" -> "assumed links, indicative"
std::string links_in_words(const std::string& basis) {
  const std::size_t end = std::min(basis.find(','), basis.size());
  return basis.substr(0, end) + " links" + basis.substr(end);
}

std::vector<Column> columns_of(const WeakSeries& series, const std::vector<TableRow>& rows,
                               bool details) {
  std::vector<Column> columns;
  const auto add = [&](std::string head, const auto& cell) {
    Column& column = columns.emplace_back(Column{{std::move(head)}, false, {}});
    for (const TableRow& row : rows) column.cells.push_back(cell(row));
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
  add("samples/s", [](const TableRow& row) { return rate(row.samples_per_sec); });
  add("speed-up",
      [&](const TableRow& row) { return printed("%.2f", row.samples_per_sec / one_rank); });
  columns.back().may_go = true;
  add("efficiency",
      [&](const TableRow& row) { return percent(row.samples_per_sec / one_rank / row.ranks); });
  add_predicted("likely", [](const Prediction& record) { return band_of(record); });
  if (details) {
    add_predicted("held", [](const Prediction& record) {
      return record.band_coverage ? printed("%.0f %%", 100 * *record.band_coverage) : kAbsent;
    });
    add_predicted("model",
                  [](const Prediction& record) { return rate(*record.model_samples_per_sec); });
    add_predicted("rule",
                  [](const Prediction& record) { return rate(*record.rule_samples_per_sec); });
    add_predicted("by", [](const Prediction& record) { return record.predictor; });
  }
  add("rests on", [&](const TableRow& row) {
    if (!row.record) return std::string("measured");
    const std::string links = links_in_words(row.record->basis);
    return details ? links : links.substr(0, links.find(','));
  });
  columns.back().left = columns.back().may_go = true;
  return columns;
}

// One line per reason, with the ranks that it holds for.
std::vector<std::string> reason_lines(const std::vector<Prediction>& records) {
  std::vector<std::pair<std::string, std::string>> ranks_of;  // by reason, in order
  for (const Prediction& record : records) {
    const std::string why = record.predictor + ": " + record.reason;
    auto known = std::ranges::find(ranks_of, why, &std::pair<std::string, std::string>::first);
    if (known == ranks_of.end()) known = ranks_of.insert(known, {why, ""});
    known->second += (known->second.empty() ? "" : ", ") + std::to_string(record.world_size);
  }
  std::vector<std::string> lines;
  for (const auto& [why, ranks] : ranks_of) {
    lines.push_back(ranks + (ranks == "1" ? " rank: the " : " ranks: the ") + why);
  }
  return lines;
}

std::string error_in_words(double error) {
  return percent(std::abs(error)) + (error < 0 ? " below" : " above");
}

std::string layout_line(const SeriesPrediction& made) {
  return counted(made.ranks_per_node, "rank") + " on each node, " +
         (made.ranks_per_node_given ? "as given"
                                    : "as many as were measured on one (--ranks-per-node)");
}

// The model and the rule say what ranks add; here they have taken away.
std::string pay_line(const WeakSeries& series) {
  const auto &fewest = series.rows.front(), &most = series.rows.back();
  if (most.samples_per_sec >= fewest.samples_per_sec) return "";
  return "more ranks do not pay here: " + std::to_string(most.world_size) + " are slower than " +
         std::to_string(fewest.world_size);
}

// How well the series itself is predicted.
std::string trial_line(const WeakSeries& series, const SeriesPrediction& made) {
  if (!made.left_out)
    return "two world sizes only: how well it predicts could not be tried on them";
  return "tried on " + std::to_string(series.rows.back().world_size) +
         " ranks, without their row: the model predicts " + error_in_words(made.left_out->model) +
         " what was measured, the rule " + error_in_words(made.left_out->rule);
}

// Empty where no prediction goes so far.
std::string indicative_line(const std::vector<Prediction>& records) {
  std::vector<std::string> ranks;
  for (const Prediction& record : records) {
    if (record.basis.ends_with("indicative")) ranks.push_back(std::to_string(record.world_size));
  }
  if (ranks.empty()) return "";
  return listed(ranks) + " ranks: indicative only, more than " +
         std::to_string(prediction::kIndicativeBeyond) + " times the ranks that were measured";
}

std::string fit_line(const SeriesPrediction& made) {
  double worst = 0;
  for (const double error : made.fit.relative_errors) worst = std::max(worst, std::abs(error));
  return "the model's step times are within " + percent(worst) + " of those measured";
}

Section series_section(const WeakSeries& series, const SeriesPrediction& made,
                       const std::vector<Prediction>& records, bool details) {
  Section section{"", columns_of(series, table_rows(series, made, records), details), {}};
  if (const auto& fewest = series.rows.front(); fewest.world_size > 1) {
    section.lines.push_back("speed-up and efficiency are relative to " +
                            std::to_string(fewest.world_size) + " ranks: one was not measured");
  }
  if (auto line = indicative_line(records); !line.empty()) section.lines.push_back(std::move(line));
  section.lines.push_back(trial_line(series, made));
  if (!details) return section;
  for (auto& line : reason_lines(records)) section.lines.push_back(std::move(line));
  section.lines.push_back(fit_line(made));
  return section;
}

}  // namespace

std::string prediction_text(const WeakSeries& series, const SeriesPrediction& prediction,
                            const std::vector<Prediction>& records, const Terminal& terminal,
                            bool details) {
  const auto width = static_cast<std::size_t>(terminal.columns);
  std::string text = reporting::wrapped(series.title, width, 2);
  text.pop_back();  // its line end stays outside of the ink
  text = inked(terminal, Ink::kBold, text) + "\n";
  for (const std::string& line : {layout_line(prediction), pay_line(series)}) {
    if (!line.empty()) text += reporting::wrapped(line, width, 4, "  ");
  }
  const Section table = series_section(series, prediction, records, details);
  text += "\n" + section_text(table, terminal);
  if (!details) return text;
  return text + "\n" +
         reporting::section_text({"The model assumes", {}, assumption_lines(series, prediction)},
                                 terminal);
}

std::string method_text(const std::vector<Prediction>& records, const Terminal& terminal,
                        bool details) {
  Section section{"How it predicts", {}, {}};
  section.lines = {
      "by a model of computing and communication that is fitted to what was measured, or by the "
      "rule that efficiency falls 2 % per doubling of the ranks: whichever was nearer on published "
      "series (docs/PREDICTION.md)"};
  const auto any = [&](const auto& is_so) { return std::ranges::any_of(records, is_so); };
  if (any([](const Prediction& record) { return record.low.has_value(); })) {
    section.lines.push_back(std::string("likely: how far such predictions were off on published "
                                        "series") +
                            (details ? "; held: how many lay inside bands that were made without "
                                       "their own source"
                                     : ""));
  }
  if (any([](const Prediction& record) { return record.basis.starts_with("assumed"); })) {
    section.lines.push_back(
        "assumed links: none like them were measured or given, they are taken to be like the "
        "others; --topology gives them");
  }
  if (!details) section.lines.push_back("both numbers, reasons and assumptions: --details");
  return section_text(section, terminal);
}

}  // namespace scalemark::cli
