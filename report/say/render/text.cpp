#include "report/say/render/text.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "report/record/collective_fields.h"
#include "report/record/point_fields.h"
#include "report/record/surety.h"
#include "report/record/sweep_fields.h"
#include "report/say/render/render.h"
#include "report/say/table/text_table.h"

namespace scalemark::reporting {
namespace {

std::string escaped(std::string_view text, bool replace_controls) {
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else if (replace_controls && (code < 0x20 || code == 0x7F)) {
      result += c == '\n' || c == '\t' || c == '\r' ? "&#" + std::to_string(code) + ";"
                                                    : std::string("\xEF\xBF\xBD");
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string result = escaped(text, true);
  for (const std::string_view forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {  // U+FFFE, U+FFFF
    for (std::size_t at = 0; (at = result.find(forbidden, at)) != std::string::npos;) {
      result.replace(at, forbidden.size(), "\xEF\xBF\xBD");
    }
  }
  return result;
}

std::string html_escaped(std::string_view text) { return escaped(text, false); }

std::string csv_line(const std::vector<CsvCell>& row, std::string CsvCell::*part) {
  std::string line;
  for (const CsvCell& cell : row) line += (&cell == &row.front() ? "" : ",") + csv_cell(cell.*part);
  return line + "\r\n";
}

std::string render_csv(std::span<const Report> reports) {
  const auto of_collectives = std::ranges::count_if(reports, measures_collectives);
  if (of_collectives == 0) return csv_table(reports, &Report::points);
  const std::string text = csv_table(reports, &Report::collectives);
  if (of_collectives == std::ssize(reports)) return text;
  return csv_table(reports, &Report::points) + "\r\n" + text;
}

std::string render_links(std::span<const Report> reports) {
  return csv_table(reports, &Report::links);
}

namespace {

std::string words_of(const std::map<std::string, std::string>& options) {
  std::string text;
  for (const auto& [option, value] : options) {
    text += (text.empty() ? "" : " ") + option + "=" + value;
  }
  return text;
}

// Adds the last column: how surely the number is known. It is empty without a number.
std::vector<CsvCell> with_surety(std::vector<CsvCell> cells, bool any, const auto& record) {
  cells.push_back({"surety", any ? std::string(name_of(surety_of(record))) : ""});
  return cells;
}

// CsvRow leaves out lists and maps, so their cells are made here.
std::vector<CsvCell> row_of(const Report& report, const EffectRecord& effect) {
  const bool is_head = effect.groups.size() != 2;
  return with_surety(with_fields({{"run_id", report.run_id},
                                  {"fixed", words_of(effect.fixed)},
                                  {"group_from", is_head ? "" : effect.groups[0]},
                                  {"group_to", is_head ? "" : effect.groups[1]}},
                                 effect),
                     !is_head, effect);
}

// Describes the group, so that a figure needs no runs. The cells are empty where it has none.
std::vector<CsvCell> cells_of(const Report& report, const std::string& group) {
  const auto found = std::ranges::find(report.points, group, &PointRecord::group);
  const bool none = found == report.points.end();
  const PointRecord point = none ? PointRecord() : *found;
  const auto count = [none](std::int64_t value) { return none ? "" : std::to_string(value); };
  return {{"run_id", report.run_id},
          {"workload", point.workload},
          {"strategy", point.strategy},
          {"device", point.device},
          {"precision", point.precision},
          {"world_size", count(point.world_size)},
          {"batch_size", point.batch_size ? count(*point.batch_size) : ""},
          {"global_batch_size", count(point.global_batch_size)},
          {"varying", words_of(point.varying)}};
}

std::vector<CsvCell> row_of(const Report& report, const GroupRecord& group) {
  return with_surety(with_fields(cells_of(report, group.group), group), group.n > 0, group);
}

std::vector<CsvCell> row_of(const Report& report, const ScalingTable& table,
                            const ScalingRow& row) {
  std::vector<CsvCell> cells = cells_of(report, row.group);
  std::erase_if(cells, [](const CsvCell& cell) {
    return cell.column == "world_size" || cell.column == "strategy";  // the row has these itself
  });
  cells.push_back({"kind", table.kind});
  cells.push_back({"fixed", words_of(table.fixed)});
  cells.push_back({"relative_to", table.relative_to});
  const auto speedup = [&](const std::optional<double>& efficiency) {
    if (!efficiency || !row.speedup || !row.efficiency || *row.efficiency == 0)
      return std::string();
    return exact(*efficiency * *row.speedup / *row.efficiency);
  };
  cells.push_back({"speedup_ci95_low", speedup(row.efficiency_ci95.low)});
  cells.push_back({"speedup_ci95_high", speedup(row.efficiency_ci95.high)});
  return with_surety(with_fields(std::move(cells), row), row.efficiency.has_value(), row);
}

std::vector<CsvCell> row_of(const Report& report, const CollectiveGroup& group) {
  return with_surety(with_fields({{"run_id", report.run_id}}, group), group.n > 0, group);
}

}  // namespace

std::string render_groups(std::span<const Report> reports) {
  return std::ranges::any_of(reports, measures_collectives)
             ? csv_table(reports, &Report::collective_groups, row_of)
             : csv_table(reports, &Report::groups, row_of);
}

std::string render_scaling(std::span<const Report> reports) {
  std::string text = csv_line(row_of(Report(), ScalingTable(), ScalingRow()), &CsvCell::column);
  for (const Report& report : reports) {
    for (const ScalingTable& table : report.scaling) {
      for (const ScalingRow& row : table.rows) {
        text += csv_line(row_of(report, table, row), &CsvCell::text);
      }
    }
  }
  return text;
}

std::string render_effects(std::span<const Report> reports) {
  return csv_table(reports, &Report::effects, row_of);
}

}  // namespace scalemark::reporting
