#include "report/say/render/tensorboard.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/text.h"
#include "report/record/point_facts.h"
#include "report/record/surety.h"
#include "report/say/render/render.h"

namespace scalemark::reporting {
namespace {

using tensorboard::Events;

// Knows when and at which step the values of a row were measured. Set-up and evaluations lie
// between windows; here they are placed before the first one.
class Course {
 public:
  explicit Course(const PointRecord& point)
      : started_(seconds_of(point.started).value_or(0)),
        begin_(started_ + point.outside_window_s.value_or(0)),
        wall_s_(point.wall_s),
        warmup_(point.warmup_iterations),
        iterations_(point.iterations) {}

  double started() const { return started_; }
  std::int64_t last_step() const { return warmup_ + iterations_; }
  std::int64_t step_of_window(std::int64_t n) const { return warmup_ + n; }
  double end() const { return time_at(last_step()); }
  double time_at(std::int64_t step) const {
    if (iterations_ <= 0) return begin_;
    const double share = static_cast<double>(step - warmup_) / static_cast<double>(iterations_);
    return begin_ + wall_s_ * std::clamp(share, 0.0, 1.0);
  }

 private:
  double started_, begin_, wall_s_;
  std::int64_t warmup_, iterations_;
};

using Parameter = std::variant<bool, double, std::string>;

// Returns a number where the text is one, so that TensorBoard offers ranges, and axes with
// distances.
Parameter parameter_of(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [used, failed] = std::from_chars(text.data(), end, number);
  const bool is_number = failed == std::errc() && used == end && std::isfinite(number);
  return is_number ? Parameter(number) : Parameter(text);
}

tensorboard::Session session_of(const PointRecord& point, const Course& course) {
  tensorboard::Session session{.group = point.group, .started = course.started()};
  auto& all = session.parameters;
  for (const auto& [name, value] : point.varying) all[name] = parameter_of(value);
  for (const auto& [name, value] : point.env) all["env/" + name] = parameter_of(value);
  all["workload"] = point.workload;
  all["strategy"] = point.strategy;
  all["backend"] = point.backend;
  all["precision"] = point.precision;
  all["world_size"] = static_cast<double>(point.world_size);
  all["global_batch_size"] = static_cast<double>(point.global_batch_size);
  if (point.batch_size) all["batch_size"] = static_cast<double>(*point.batch_size);
  return session;
}

// Adds the numbers in the table of hparams. TensorBoard averages them over a group's sessions.
void add_result_numbers(Events& events, const PointRecord& point, const Course& course) {
  const auto add = [&](std::string_view tag, std::optional<double> value) {
    if (value) events.scalar(tag, course.last_step(), course.end(), *value);
  };
  add("result/samples_per_second", point.samples_per_sec);
  add("result/step_seconds", step_time_s(point));
  add("result/memory_peak_bytes", static_cast<double>(point.memory_peak_bytes));
  add("result/loss", point.loss_last);
  add("result/standing", standing_number(point.standing));
}

void add_window(Events& events, const PointRecord& point, const Course& course) {
  const auto add = [&](const std::string& tag, double value) {
    events.scalar(tag, course.last_step(), course.end(), value);
  };
  if (point.evaluation.empty()) add("Summary/samples_per_second", point.samples_per_sec);
  if (point.phases_s) {
    for (const auto& [name, phase] : kPhases)
      add("time/" + std::string(name) + "_seconds", (*point.phases_s).*phase);
  }
  add("memory/peak_bytes", static_cast<double>(point.memory_peak_bytes));
  if (point.memory_reserved_bytes)
    add("memory/reserved_bytes", static_cast<double>(*point.memory_reserved_bytes));
}

// Calls `one` for every k-th index below `count`, so that at most kMostEvents are left.
void for_kept(std::size_t count, auto one) {
  const std::size_t every = (count + tensorboard::kMostEvents - 1) / tensorboard::kMostEvents;
  for (std::size_t i = 0; i < count; i += every) one(i);
}

void add_step_times(Events& events, const PointRecord& point, const Course& course) {
  const std::int64_t steps_per_mark = point.steps_per_mark.value_or(1);
  for_kept(point.step_samples_s.size(), [&](std::size_t i) {
    const auto step = course.step_of_window((static_cast<std::int64_t>(i) + 1) * steps_per_mark);
    events.scalar("time/step_seconds", step, course.time_at(step), point.step_samples_s[i]);
  });
}

void add_losses(Events& events, const PointRecord& point, const Course& course) {
  for_kept(point.loss_course.size(), [&](std::size_t i) {
    const auto& [step, loss] = point.loss_course[i];
    events.scalar("Summary/loss", step, course.time_at(step), loss);
  });
}

// The end of an epoch is placed as if all epochs took equally long.
void add_evaluations(Events& events, const PointRecord& point, const Course& course) {
  for_kept(point.evaluation.size(), [&](std::size_t i) {
    const double share = static_cast<double>(i + 1) / static_cast<double>(point.evaluation.size());
    const double begin = course.time_at(0);
    add_evaluation(events, point.evaluation[i], begin + share * (course.end() - begin));
  });
}

// Ids come from files that anyone may have written. So the path is kept below the folder.
std::string path_below(std::string_view id) {
  std::string folder;
  while (true) {
    const std::size_t end = std::min(id.find('/'), id.size());
    std::string part(id.substr(0, end));
    std::ranges::replace_if(
        part, [](unsigned char letter) { return letter < 0x20 || letter == 0x7F; }, '_');
    if (part.empty() || part == "." || part == "..") part = "_";
    folder += part;
    if (end == id.size()) return folder;
    folder += '/';
    id.remove_prefix(end + 1);
  }
}

}  // namespace

void add_evaluation(Events& events, const Evaluation& evaluation, double time) {
  const auto add = [&](const std::string& tag, double value) {
    events.scalar(tag, evaluation.epoch, time, value);
  };
  add("Summary/loss", evaluation.train_loss);
  add("Summary/evaluation_loss", evaluation.loss);
  if (!evaluation.metric.empty()) add("Summary/evaluation_" + evaluation.metric, evaluation.value);
  add("Summary/samples_per_second", evaluation.samples_per_sec);
}

void add_results(Events& events, const PointRecord& point, bool evaluations_written) {
  if (point.status == PointStatus::kSkipped) return;
  const Course course(point);
  events.begin_session(session_of(point, course));
  const bool is_measured = point.status == PointStatus::kOk;
  if (is_measured) {
    add_result_numbers(events, point, course);
    add_window(events, point, course);
    add_step_times(events, point, course);
    if (point.evaluation.empty()) add_losses(events, point, course);
    if (!evaluations_written) add_evaluations(events, point, course);
  }
  events.end_session(is_measured, course.end());
}

void add_efficiency(Events& events, const Report& report, const std::string& point_id) {
  const auto point = std::ranges::find(report.points, point_id, &PointRecord::id);
  if (point == report.points.end()) return;
  for (const ScalingTable& table : report.scaling) {
    for (const ScalingRow& row : table.rows) {
      const bool holds_it = std::ranges::find(row.points, point_id) != row.points.end();
      if (!holds_it || !row.efficiency) continue;
      const Course course(*point);
      events.scalar("Summary/efficiency", course.last_step(), course.end(), *row.efficiency);
      if (const auto standing = standing_number(row.standing)) {
        events.scalar("result/efficiency_standing", course.last_step(), course.end(), *standing);
      }
      return;
    }
  }
}

std::vector<RenderedFile> render_tensorboard(std::span<const Report> reports) {
  std::vector<RenderedFile> files;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    for (const PointRecord& point : reports[i].points) {
      if (point.status == PointStatus::kSkipped) continue;
      const double started = seconds_of(point.started).value_or(0);
      Events events;
      events.begin(started);
      add_results(events, point);
      add_efficiency(events, reports[i], point.id);
      const std::string folder = reports.size() > 1 ? std::to_string(i + 1) + "/" : std::string();
      files.push_back({folder + path_below(point.id) + "/" + tensorboard::event_file_name(started),
                       events.take()});
    }
  }
  return files;
}

std::pair<std::string, std::string> tensorboard_command(const std::string& folder, bool is_here) {
  return {is_here ? "TensorBoard" : "TensorBoard (pip install tensorboard)",
          "tensorboard --logdir " + shell_word(folder)};
}

}  // namespace scalemark::reporting
