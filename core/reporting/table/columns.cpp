#include <algorithm>
#include <cstdio>
#include <functional>

#include "core/base/text.h"
#include "core/reporting/record/point_facts.h"
#include "core/reporting/record/report_json.h"
#include "core/reporting/table/baseline.h"
#include "core/reporting/table/parts.h"
#include "core/reporting/table/table.h"

namespace scalemark::reporting {
namespace {

template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  char text[96];
  std::snprintf(text, sizeof text, pattern, arguments...);
  return text;
}

// Four significant digits, without exponents for usual sizes.
std::string number(double value) {
  if (value >= 1000) return format("%.0f", value);
  if (value >= 100) return format("%.1f", value);
  if (value >= 1) return format("%.2f", value);
  return significant(value, 3);
}

std::string percent(double share) { return format("%.1f", 100 * share); }

template <class T>
std::string or_absent(const std::optional<T>& value, std::string (*text)(double)) {
  return value ? text(*value) : kAbsent;
}

std::string share_of_step(const PointRecord& point, const std::optional<double>& seconds) {
  return seconds ? percent(*seconds / point.step_mean_over_ranks_s) : kAbsent;
}

std::string unit_of(const PointRecord& point) { return sample_unit(point.workload); }

std::string common_unit(const std::vector<Row>& rows) {
  const std::string unit = unit_of(*rows.front().point);
  const bool common = std::all_of(rows.begin(), rows.end(),
                                  [&](const Row& row) { return unit_of(*row.point) == unit; });
  return common ? unit : "samples";
}

using Text = std::function<std::string(const PointRecord&)>;

Column column(std::vector<std::string> head, bool left, const std::vector<Row>& rows,
              const Text& text) {
  Column result{std::move(head), left, {}};
  for (const auto& row : rows) result.cells.push_back(text(*row.point));
  return result;
}

// A column whose cells need a measurement: absent for points without one.
Column measured(std::vector<std::string> head, const std::vector<Row>& rows, const Text& text) {
  return column(std::move(head), false, rows, [&](const PointRecord& p) {
    return p.status == PointStatus::kOk ? text(p) : std::string(kAbsent);
  });
}

Column row_numbers(const std::vector<Row>& rows) {
  Column result{{"#"}, false, {}};
  for (const auto& row : rows) result.cells.push_back(row.number);
  return result;
}

// A property of points: one sentence above the table where all agree, else a column.
struct Trait {
  std::vector<std::string> head;
  bool left;
  Text cell;      // in a column
  Text sentence;  // above the table
};

std::string size_text(const PointRecord& p) {
  if (p.image_size) return std::to_string(*p.image_size) + " px";
  if (p.sequence_length) return "sequence " + std::to_string(*p.sequence_length);
  return "";
}

std::string batch_text(const PointRecord& p) {
  std::string text = p.batch_size ? std::to_string(*p.batch_size) : "-";
  if (const auto steps = p.gradient_accumulation_steps.value_or(1); steps > 1) {
    text += "x" + std::to_string(steps);
  }
  return text;
}

std::vector<Trait> traits() {
  const auto device = [](const PointRecord& p) {
    return p.device_name.empty() ? p.device : p.device_name;
  };
  return {
      {{"workload"},
       true,
       [](const PointRecord& p) { return p.workload; },
       [](const PointRecord& p) { return p.workload; }},
      {{"size"}, true, size_text, size_text},
      {{"strategy"},
       true,
       [](const PointRecord& p) { return p.strategy; },
       [](const PointRecord& p) {
         return p.strategy == "none" ? std::string("no exchange") : p.strategy;
       }},
      {{"preci-", "sion"},
       true,
       [](const PointRecord& p) { return p.precision; },
       [](const PointRecord& p) { return p.precision; }},
      {{"batch"},
       false,
       batch_text,
       [](const PointRecord& p) { return "batch " + batch_text(p) + " per rank"; }},
      {{"threads"},
       false,
       [](const PointRecord& p) { return std::to_string(p.threads); },
       [](const PointRecord& p) {
         if (p.device != "cpu") return std::string();
         return std::to_string(p.threads) + (p.threads == 1 ? " thread" : " threads") + " per rank";
       }},
      {{"device"}, true, device, device},
      {{"backend"},
       true,
       [](const PointRecord& p) { return p.backend; },
       [](const PointRecord& p) { return p.backend; }},
      {{"data"},
       true,
       [](const PointRecord& p) { return p.data; },
       [](const PointRecord& p) {
         return p.data == "synthetic" ? std::string() : "data " + p.data;
       }},
  };
}

bool varies(const Trait& trait, const std::vector<Row>& rows) {
  const std::string first = trait.cell(*rows.front().point);
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Row& row) { return trait.cell(*row.point) != first; });
}

std::string loss_text(const PointRecord& p) {
  if (!p.loss_first || !p.loss_last) return kAbsent;
  return significant(*p.loss_first, 4) + " -> " + significant(*p.loss_last, 4);
}

std::string milliseconds(double seconds) { return number(1000 * seconds); }

std::vector<Column> speed_up_columns(const std::vector<Row>& rows) {
  const auto points = points_of(rows);
  const auto of = [&](std::vector<std::string> head, std::string (*text)(const SpeedUp&)) {
    return measured(std::move(head), rows, [&points, text](const PointRecord& p) {
      const auto found = speed_up(p, points);
      return found ? text(*found) : std::string(kAbsent);
    });
  };
  return {of({"speed", "up"},
             [](const SpeedUp& found) {
               return found.unsteady ? two_digits(found.speedup) : format("%.2f", found.speedup);
             }),
          of({"eff.", "%"},
             [](const SpeedUp& found) {
               return found.unsteady ? two_digits(100 * found.efficiency)
                                     : percent(found.efficiency);
             }),
          of({"at", "least", "+- %"},
             [](const SpeedUp& found) { return or_absent(found.at_least, percent); })};
}

}  // namespace

std::string common_traits(const std::vector<Row>& rows) {
  std::string line;
  for (const auto& trait : traits()) {
    if (varies(trait, rows)) continue;
    const std::string sentence = trait.sentence(*rows.front().point);
    if (!sentence.empty()) line += (line.empty() ? "" : ", ") + sentence;
  }
  return line;
}

RunsTable runs_table(std::span<const Report> reports) {
  const auto rows = rows_of(reports);
  return {common_traits(rows), throughput_columns(rows)};
}

std::string traits_in_common(const std::vector<const PointRecord*>& points) {
  std::vector<Row> rows;
  for (const PointRecord* point : points) rows.push_back({nullptr, point, ""});
  return rows.empty() ? "" : common_traits(rows);
}

std::vector<Column> throughput_columns(const std::vector<Row>& rows) {
  std::vector<Column> columns = {row_numbers(rows)};
  columns.push_back(column({"ranks"}, false, rows,
                           [](const PointRecord& p) { return std::to_string(p.world_size); }));
  for (const auto& trait : traits()) {
    if (varies(trait, rows)) columns.push_back(column(trait.head, trait.left, rows, trait.cell));
  }
  columns.push_back(column({common_unit(rows), "per s"}, false, rows, [](const PointRecord& p) {
    return p.status == PointStatus::kOk ? number(p.samples_per_sec)
                                        : std::string(name_of(p.status));
  }));
  columns.push_back(measured({"per s", "and", "rank"}, rows, [](const PointRecord& p) {
    return number(p.samples_per_sec_per_rank);
  }));
  columns.push_back(measured({"at", "least", "+- %"}, rows, [](const PointRecord& p) {
    return or_absent(within_run_share(p), percent);
  }));
  const bool scales =
      std::ranges::any_of(rows, [](const Row& row) { return row.point->world_size > 1; });
  if (!scales) return columns;
  for (Column& column : speed_up_columns(rows)) columns.push_back(std::move(column));
  return columns;
}

std::vector<Column> step_columns(const std::vector<Row>& rows) {
  std::vector<Column> columns = {row_numbers(rows)};
  columns.push_back(column({"ranks"}, false, rows,
                           [](const PointRecord& p) { return std::to_string(p.world_size); }));
  const auto add = [&](std::vector<std::string> head, const Text& text) {
    columns.push_back(measured(std::move(head), rows, text));
  };
  add({"step", "ms"}, [](const PointRecord& p) { return or_absent(step_time_s(p), milliseconds); });
  add({"p50"}, [](const PointRecord& p) { return or_absent(p.step_s.p50, milliseconds); });
  add({"p95"}, [](const PointRecord& p) { return or_absent(p.step_s.p95, milliseconds); });
  add({"peer", "wait %"},
      [](const PointRecord& p) { return share_of_step(p, p.communication.peer_wait_s); });
  add({"network", "%"},
      [](const PointRecord& p) { return share_of_step(p, p.communication.network_s); });
  add({"data", "wait %"},
      [](const PointRecord& p) { return share_of_step(p, counted_data_wait_s(p)); });
  add({"memory", "GiB"}, [](const PointRecord& p) {
    return format("%.2f", static_cast<double>(p.memory_peak_bytes) / (1 << 30));
  });
  if (std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.point->mfu; })) {
    add({"MFU %"}, [](const PointRecord& p) { return or_absent(p.mfu, percent); });
  }
  if (std::any_of(rows.begin(), rows.end(),
                  [](const Row& row) { return row.point->mfu_of_measured_gemm; })) {
    add({"% of", "GEMM"},
        [](const PointRecord& p) { return or_absent(p.mfu_of_measured_gemm, percent); });
  }
  add({"loss", "first -> last"}, loss_text);
  add({"steady"}, [](const PointRecord& p) {
    return std::string(!p.steady ? "unknown" : *p.steady ? "yes" : "no");
  });
  return columns;
}

std::vector<Column> evaluation_columns(const PointRecord& point) {
  const auto& all = point.evaluation;
  const auto make = [&](std::vector<std::string> head,
                        const std::function<std::string(const Evaluation&)>& text) {
    Column result{std::move(head), false, {}};
    for (const auto& evaluation : all) result.cells.push_back(text(evaluation));
    return result;
  };
  return {make({"epoch"}, [](const Evaluation& e) { return std::to_string(e.epoch); }),
          make({"train loss"}, [](const Evaluation& e) { return significant(e.train_loss, 4); }),
          make({"held-out loss"}, [](const Evaluation& e) { return significant(e.loss, 4); }),
          make({all.front().metric + " %"}, [](const Evaluation& e) { return percent(e.value); }),
          make({"held-out samples"}, [](const Evaluation& e) { return std::to_string(e.samples); }),
          make({unit_of(point) + " per s"},
               [](const Evaluation& e) { return number(e.samples_per_sec); })};
}

}  // namespace scalemark::reporting
