// Makes the columns of tables of runs: throughput, steps, evaluations.

#include <algorithm>
#include <functional>
#include <set>

#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/catalogue/strategy.h"
#include "report/record/point_facts.h"
#include "report/record/report_json.h"
#include "report/record/surety.h"
#include "report/say/table/parts.h"
#include "report/say/table/table.h"

namespace scalemark::reporting {
namespace {

std::string share_of_step(const PointRecord& point, const std::optional<double>& seconds) {
  return seconds ? percent_text(*seconds / point.step_mean_over_ranks_s) : kAbsent;
}

std::string unit_of(const PointRecord& point) { return sample_unit(point.workload); }

std::string common_unit(const std::vector<Row>& rows) {
  const std::string unit = unit_of(*rows.front().point);
  const bool common =
      std::ranges::all_of(rows, [&](const Row& row) { return unit_of(*row.point) == unit; });
  return common ? unit : "samples";
}

using Text = std::function<std::string(const PointRecord&)>;

// Makes a column whose cells need a measurement. Points without one get kAbsent.
Column measured(std::vector<std::string> head, const std::vector<Row>& rows, const Text& text) {
  return column(std::move(head), false, rows, [&](const Row& row) {
    if (row.point->status != PointStatus::kOk) return std::string(kAbsent);
    const bool is_left_out = row.point->standing.is_withheld() && row.point->wall_s == 0;
    return is_left_out ? held_text(row.point->standing, "") : text(*row.point);
  });
}

Column of_points(std::vector<std::string> head, bool left, const std::vector<Row>& rows,
                 const Text& text) {
  return column(std::move(head), left, rows, [&](const Row& row) { return text(*row.point); });
}

// A property of points. It is a sentence above the table where all agree, else a column.
struct Trait {
  std::vector<std::string> head;
  bool left;
  Text cell;      // shown in a column
  Text sentence;  // shown above the table
};

std::string input_text(const PointRecord& p) {
  if (p.image_size) return std::to_string(*p.image_size) + " px";
  if (p.sequence_length) return "sequence " + std::to_string(*p.sequence_length);
  return "";
}

constexpr const char *kStrategyHead = "strategy", *kBackendHead = "backend";
const std::set<std::string_view> kOptionsOfTraits{"image_size", "sequence_length", "threads",
                                                  "device",     "backend",         "data"};

std::vector<Trait> traits() {
  const auto device = [](const PointRecord& p) {
    return p.device_name.empty() ? p.device : p.device_name;
  };
  const auto strategy = [](const PointRecord& p) { return strategy_text(p.strategy); };
  return {
      {{"workload"}, true, &PointRecord::workload, &PointRecord::workload},
      {{"size"}, true, input_text, input_text},
      {{kStrategyHead}, true, strategy, strategy},
      {{"preci-", "sion"}, true, &PointRecord::precision, &PointRecord::precision},
      {{"batch"},
       false,
       batch_text,
       [](const PointRecord& p) { return "batch " + batch_text(p) + " per rank"; }},
      {{"thr.", "per", "rank"},
       false,
       [](const PointRecord& p) { return std::to_string(p.threads); },
       [](const PointRecord& p) {
         if (p.device != "cpu") return std::string();
         return counted(p.threads, "thread") + " per rank";
       }},
      {{"device"}, true, device, device},
      {{kBackendHead}, true, &PointRecord::backend, &PointRecord::backend},
      {{"data"},
       true,
       &PointRecord::data,
       [](const PointRecord& p) {
         return p.data == "synthetic" ? std::string() : "data " + p.data;
       }},
  };
}

bool varies(const Trait& trait, const std::vector<Row>& rows) {
  const std::string first = trait.cell(*rows.front().point);
  return std::ranges::any_of(rows, [&](const Row& row) { return trait.cell(*row.point) != first; });
}

std::string loss_text(const PointRecord& p) {
  if (!shows_loss(p)) return kAbsent;
  return significant(*p.loss_first, 4) + " -> " + significant(*p.loss_last, 4);
}

// The first two columns: the number by which notes name a row, and how many ranks it has.
std::vector<Column> first_columns(const std::vector<Row>& rows) {
  return {column({"#"}, false, rows, &Row::number),
          of_points({"ranks"}, false, rows,
                    [](const PointRecord& p) { return std::to_string(p.world_size); })};
}

std::vector<Column> speed_up_columns(const std::vector<Row>& rows) {
  const auto points = points_of(rows);
  const auto of = [&](std::vector<std::string> head, std::string (*text)(const SpeedUp&)) {
    return measured(std::move(head), rows, [&](const PointRecord& p) {
      const auto found = speed_up(p, points);
      return found ? held_text(found->standing, found->speedup ? text(*found) : "") : kAbsent;
    });
  };
  return {of({"speed", "up"},
             [](const SpeedUp& found) {
               return found.unsteady ? two_digits(*found.speedup)
                                     : with_decimals(*found.speedup, 2);
             }),
          of({"eff.", "%"},
             [](const SpeedUp& found) {
               return found.unsteady ? two_digits(100 * *found.efficiency)
                                     : percent_text(*found.efficiency);
             }),
          of({"+- %", "or", "more"},
             [](const SpeedUp& found) { return or_absent(found.at_least, percent_text); })};
}

}  // namespace

std::string common_traits(const std::vector<Row>& rows) {
  std::string line;
  const bool alone =
      std::ranges::all_of(rows, [](const Row& row) { return row.point->world_size == 1; });
  for (const auto& trait : traits()) {
    const bool is_exchange =
        trait.head.front() == kStrategyHead || trait.head.front() == kBackendHead;
    if (varies(trait, rows) || (alone && is_exchange)) continue;
    const std::string sentence = trait.sentence(*rows.front().point);
    if (!sentence.empty()) line += (line.empty() ? "" : ", ") + sentence;
  }
  return line;
}

RunsTable runs_table(std::span<const Report> reports) {
  const auto rows = rows_of(reports);
  return {common_traits(rows), throughput_columns(rows)};
}

std::string batch_text(const PointRecord& p) {
  std::string text = p.batch_size ? std::to_string(*p.batch_size) : "-";
  if (const auto steps = p.gradient_accumulation_steps.value_or(1); steps > 1) {
    text += "x" + std::to_string(steps);
  }
  return text;
}

std::string traits_in_common(const std::vector<const PointRecord*>& points) {
  std::vector<Row> rows;
  for (const PointRecord* point : points) rows.push_back({nullptr, point, ""});
  return rows.empty() ? "" : common_traits(rows);
}

namespace {

// Whether a trait of `point` is to be compared with that of `other`. Ranks that exchange nothing
// have no backend, and strategies of theirs differ only where some others exchange.
bool is_compared(const Trait& trait, const PointRecord& point, const PointRecord& other) {
  const bool is_strategy = trait.head.front() == kStrategyHead;
  if (!is_strategy && trait.head.front() != kBackendHead) return true;
  if (point.world_size == 1) return is_strategy && other.world_size == 1;
  return catalogue::exchanges(point.strategy) ? catalogue::exchanges(other.strategy) : is_strategy;
}

}  // namespace

std::string traits_apart(const PointRecord& point, const std::vector<const PointRecord*>& points) {
  const auto some_other = [&](const auto& differs) {
    return std::ranges::any_of(points, [&](const PointRecord* other) { return differs(*other); });
  };
  std::vector<std::string> words;
  for (const Trait& trait : traits()) {
    const auto differs = [&](const PointRecord& other) {
      return is_compared(trait, point, other) && trait.cell(other) != trait.cell(point);
    };
    if (!some_other(differs)) continue;
    std::string word = trait.sentence(point);
    if (const auto end = word.rfind(" per rank"); end != word.npos) word.resize(end);
    words.push_back(word.empty() ? trait.cell(point) : word);
  }
  for (const auto& [option, value] : point.varying) {
    const auto differs = [&](const PointRecord& other) {
      return value_at(other.varying, option) != value;
    };
    if (!kOptionsOfTraits.contains(option) && some_other(differs))
      words.push_back(option + " " + value);
  }
  const auto other_ranks = [&](const PointRecord& other) {
    return other.world_size != point.world_size;
  };
  if (words.empty() || some_other(other_ranks))
    words.insert(words.begin(), counted(point.world_size, "rank"));
  return joined(words, ", ");
}

std::vector<Column> throughput_columns(const std::vector<Row>& rows) {
  std::vector<Column> columns = first_columns(rows);
  for (const auto& trait : traits()) {
    if (varies(trait, rows)) columns.push_back(of_points(trait.head, trait.left, rows, trait.cell));
  }
  columns.push_back(of_points({common_unit(rows), "per s"}, false, rows, [](const PointRecord& p) {
    if (p.status != PointStatus::kOk) return std::string(name_of(p.status));
    return held_text(p.standing, p.samples_per_sec > 0 ? readable(p.samples_per_sec) : "");
  }));
  columns.push_back(measured({"per s", "and", "rank"}, rows, [](const PointRecord& p) {
    return readable(p.samples_per_sec_per_rank);
  }));
  columns.push_back(measured({"+- %", "or", "more"}, rows, [](const PointRecord& p) {
    return or_absent(within_run_share(p), percent_text);
  }));
  const bool scales =
      std::ranges::any_of(rows, [](const Row& row) { return row.point->world_size > 1; });
  if (!scales) return columns;
  for (Column& column : speed_up_columns(rows)) columns.push_back(std::move(column));
  return columns;
}

std::vector<Column> step_columns(const std::vector<Row>& rows) {
  std::vector<Column> columns = first_columns(rows);
  const auto add = [&](std::vector<std::string> head, const Text& text) {
    columns.push_back(measured(std::move(head), rows, text));
  };
  add({"step", "ms"},
      [](const PointRecord& p) { return or_absent(step_time_s(p), in_milliseconds); });
  add({"p50"}, [](const PointRecord& p) { return or_absent(p.step_s.p50, in_milliseconds); });
  add({"p95"}, [](const PointRecord& p) { return or_absent(p.step_s.p95, in_milliseconds); });
  add({"peer", "wait %"},
      [](const PointRecord& p) { return share_of_step(p, p.communication.peer_wait_s); });
  add({"network", "%"},
      [](const PointRecord& p) { return share_of_step(p, p.communication.network_s); });
  add({"data", "wait %"},
      [](const PointRecord& p) { return share_of_step(p, counted_data_wait_s(p)); });
  add({"memory", "GiB"}, [](const PointRecord& p) {
    return with_decimals(static_cast<double>(p.memory_peak_bytes) / (1 << 30), 2);
  });
  if (std::ranges::any_of(rows, [](const Row& row) { return row.point->mfu.has_value(); })) {
    add({"MFU %"}, [](const PointRecord& p) { return or_absent(p.mfu, percent_text); });
  }
  if (std::ranges::any_of(
          rows, [](const Row& row) { return row.point->mfu_of_measured_gemm.has_value(); })) {
    add({"% of", "GEMM"},
        [](const PointRecord& p) { return or_absent(p.mfu_of_measured_gemm, percent_text); });
  }
  if (std::ranges::any_of(rows, [](const Row& row) { return shows_loss(*row.point); })) {
    add({"loss", "first -> last"}, loss_text);
  }
  add({"steady"}, [](const PointRecord& p) {
    return std::string(!p.steady ? "unknown" : *p.steady ? "yes" : "no");
  });
  return columns;
}

std::vector<Column> evaluation_columns(const PointRecord& point) {
  using E = Evaluation;
  const auto& all = point.evaluation;
  const auto four = [](double loss) { return significant(loss, 4); };
  return {column({"epoch"}, false, all, [](const E& e) { return std::to_string(e.epoch); }),
          numbers({"train loss"}, all, &E::train_loss, four),
          numbers({"held-out loss"}, all, &E::loss, four),
          numbers({all.front().metric + " %"}, all, &E::value, percent_text),
          column({"held-out samples"}, false, all,
                 [](const E& e) { return std::to_string(e.samples); }),
          numbers({unit_of(point) + " per s"}, all, &E::samples_per_sec, readable)};
}

}  // namespace scalemark::reporting
