#include <functional>

#include "core/reporting/record/report_json.h"
#include "core/reporting/render/render.h"
#include "core/reporting/render/text.h"

namespace scalemark::reporting {
namespace {

struct CsvColumn {
  const char* name;
  std::string (*cell)(const Report&, const PointRecord&);
  bool measured = false;  // empty where the point is not ok
};

std::string text_of(const std::string& text) { return text; }
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(double value) { return exact(value); }
template <class T>
requires std::is_integral_v<T> std::string text_of(T value) { return std::to_string(value); }
template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : std::string();
}

#define FIELD(name)                                                                           \
  CsvColumn {                                                                                 \
#name, [](const Report&, const PointRecord& p) -> std::string { return text_of(p.name); } \
  }
#define MEASURED(name, value)                                                                  \
  CsvColumn {                                                                                  \
    name, [](const Report&, const PointRecord& p) -> std::string { return text_of(p.value); }, \
        true                                                                                   \
  }

const std::vector<CsvColumn>& columns() {
  static const std::vector<CsvColumn> kColumns = {
      {"run_id", [](const Report& r, const PointRecord&) { return r.run_id; }},
      FIELD(id),
      FIELD(group),
      FIELD(workload),
      FIELD(task),
      FIELD(strategy),
      FIELD(overlap),
      FIELD(gradient_compression),
      FIELD(backend),
      FIELD(device),
      FIELD(device_name),
      FIELD(precision),
      FIELD(memory_format),
      FIELD(threads),
      FIELD(world_size),
      FIELD(processes),
      FIELD(nodes),
      FIELD(batch_size),
      FIELD(gradient_accumulation_steps),
      FIELD(global_batch_size),
      FIELD(bucket_cap_mb),
      FIELD(image_size),
      FIELD(sequence_length),
      FIELD(data),
      FIELD(repetition),
      FIELD(block),
      FIELD(order),
      FIELD(session),
      FIELD(started),
      {"status",
       [](const Report&, const PointRecord& p) { return std::string(to_string(p.status)); }},
      FIELD(reason),
      MEASURED("iterations", iterations),
      MEASURED("samples", samples),
      MEASURED("wall_s", wall_s),
      MEASURED("samples_per_sec", samples_per_sec),
      MEASURED("samples_per_sec_per_rank", samples_per_sec_per_rank),
      MEASURED("compute_samples_per_sec", compute_samples_per_sec),
      MEASURED("tokens_per_sec", tokens_per_sec),
      MEASURED("within_run_ci95_low", within_run_ci95_low),
      MEASURED("within_run_ci95_high", within_run_ci95_high),
      MEASURED("steps_per_mark", steps_per_mark),
      MEASURED("step_mean_s", step_s.mean),
      MEASURED("step_p50_s", step_s.p50),
      MEASURED("step_p95_s", step_s.p95),
      MEASURED("step_p99_s", step_s.p99),
      MEASURED("step_min_s", step_s.min),
      MEASURED("step_max_s", step_s.max),
      MEASURED("step_mean_over_ranks_s", step_mean_over_ranks_s),
      MEASURED("phase_data_wait_s", phases_s.data_wait),
      MEASURED("phase_host_to_device_s", phases_s.host_to_device),
      MEASURED("phase_forward_s", phases_s.forward),
      MEASURED("phase_backward_s", phases_s.backward),
      MEASURED("phase_exposed_communication_s", phases_s.exposed_communication),
      MEASURED("phase_optimizer_s", phases_s.optimizer),
      MEASURED("phase_other_s", phases_s.other),
      MEASURED("own_mean_s", own_mean_s),
      MEASURED("own_max_of_rank_means_s", own_max_of_rank_means_s),
      MEASURED("own_mean_of_step_max_s", own_mean_of_step_max_s),
      MEASURED("noop_step_s", noop_step_s),
      MEASURED("communication_cost_s", communication_cost_s),
      MEASURED("attention_backend", attention_backend),
      MEASURED("loss_first", loss_first),
      MEASURED("loss_last", loss_last),
      MEASURED("memory_peak_bytes", memory_peak_bytes),
      FIELD(memory_estimate_bytes),
      MEASURED("energy_J", energy_J),
      MEASURED("mfu", mfu),
      MEASURED("steady", steady),
  };
  return kColumns;
}
#undef FIELD
#undef MEASURED

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

}  // namespace

std::string render_csv(std::span<const Report> reports) {
  std::string text;
  for (const CsvColumn& column : columns())
    text += (text.empty() ? "" : ",") + std::string(column.name);
  text += "\r\n";
  for (const Report& report : reports) {
    for (const PointRecord& point : report.points) {
      const char* comma = "";
      for (const CsvColumn& column : columns()) {
        text += comma;
        comma = ",";
        if (column.measured && point.status != PointStatus::kOk) continue;
        text += quoted(column.cell(report, point));
      }
      text += "\r\n";
    }
  }
  return text;
}

}  // namespace scalemark::reporting
