#include "engine/comm/comm_coordinator.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/base/wire.h"
#include "engine/process/run_console.h"
#include "report/judge/collectives/words.h"

namespace scalemark::communicating {
namespace {

// After so many runs repeated in vain, others are on this machine to stay.
constexpr int kMostFutileRepeats = 3;

}  // namespace

CommCoordinator::CommCoordinator(process::TaskLoop& loop, const CommRequest& request,
                                 CommMember& member, CommReport& report)
    : loop_(loop),
      request_(request),
      plan_(request.plan),
      member_(member),
      report_(report),
      health_(loop, {.wanted = plan_.health,
                     .task = to_wire(CommTask{.batch = {}, .health = true}),
                     .read = [&member] { return member.read_health(); },
                     .keep = [&report](const auto& rows) { report.set_health(rows); }}),
      needs_pairs_(plan_.pairs.has_value()),
      batches_(planning::batches_of_block(plan_, 0)) {}

void CommCoordinator::begin() {
  report_.add_skipped_points();
  report_.note_disturbed_bound();
  health_.collect();
}

std::optional<std::string> CommCoordinator::next() {
  if (needs_pairs_) return to_wire(CommTask());
  while (block_ < plan_.repetitions) {
    if (batch_ < batches_.size()) return to_wire(CommTask{.batch = BatchId{block_, batch_}});
    report_.summarise();
    batches_ = planning::batches_of_block(plan_, ++block_);
    batch_ = 0;
    runs_in_block_ = 0;
  }
  return std::nullopt;
}

std::optional<distributed::Stop> CommCoordinator::run(const distributed::WorkMessage& message) {
  if (std::exchange(needs_pairs_, false)) {
    report_.add(member_.run_pairs(*plan_.pairs));
    for (const MeasuredPart& part :
         member_.run_parts(*plan_.pairs, report_.links().slowest_of_node())) {
      report_.add(part);
    }
    return std::nullopt;
  }
  publish();
  const auto signal = member_.run(
      batch_name(message), batches_[batch_++],
      [&](const auto& point, const std::string& started, const CollectiveOutcome& outcome) {
        return record(point, started, outcome);
      });
  return signal ? std::optional(distributed::Stop{.signal = *signal}) : std::nullopt;
}

void CommCoordinator::publish() {
  const auto& batch = batches_[batch_];
  loop_.link().publish(
      {.what =
           "collectives over " + batch.backend + ", " + counted(std::ssize(batch.members), "rank"),
       .point = {},
       .sample_unit = {},
       .training = {.backend = batch.backend, .world_size = std::ssize(batch.members)},
       .runs_done = {},
       .runs_planned = {},
       .seconds_left = {}});
}

void CommCoordinator::say(const reporting::CollectiveRecord& row, bool again) const {
  std::int64_t in_block = 0;
  for (const auto& batch : batches_) in_block += std::ssize(batch.points);
  const std::int64_t all = in_block * plan_.repetitions;
  const std::int64_t number = in_block * block_ + runs_in_block_ + 1,
                     done = number - (again ? 1 : 0);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
  live::RunEvent event{.event = again ? "repeat" : "run",
                       .run = row.id,
                       .status = std::string(name_of(row.status)),
                       .disturbed = row.disturbed,
                       .runs_done = done,
                       .runs_planned = all};
  if (done > 0)
    event.seconds_left =
        elapsed.count() / static_cast<double>(done) * static_cast<double>(all - done);
  event.text = "[" + std::to_string(number) + "/" + std::to_string(all) + "] " +
               reporting::line_of(row) + (again ? "  disturbed: measured again" : "");
  if (event.seconds_left) event.text += ", " + live::left_text(*event.seconds_left);
  process::say(request_.run, event);
}

// Like a sweep, `comm` repeats a run that succeeded but was disturbed, unless no repeat has helped
// so far.
bool CommCoordinator::record(const planning::CollectivePoint& point, const std::string& started,
                             const CollectiveOutcome& outcome) {
  loop_.link().enter("report");
  auto row = report_.row_of(point, block_, started, outcome);
  const bool disturbed = row.status == reporting::PointStatus::kOk && !row.disturbed.empty();
  ++attempts_;
  const bool again =
      disturbed && attempts_ <= plan_.retries && futile_repeats_ < kMostFutileRepeats;
  if (!request_.run.settings.general.no_progress) say(row, again);
  if (again) return true;
  futile_repeats_ = disturbed ? futile_repeats_ + 1 : 0;
  if (attempts_ > 1) row.attempts = attempts_;
  attempts_ = 0;
  row.order = runs_in_block_++;
  report_.add(std::move(row), outcome);
  return false;
}

std::string CommCoordinator::close_stopped() {
  report_.summarise();
  const reporting::Report report = report_.report();
  const auto skipped = std::ranges::count(report.collectives, reporting::PointStatus::kSkipped,
                                          &reporting::CollectiveRecord::status);
  return counted(std::ssize(report.collectives) - skipped, "run") + " kept in " +
         request_.run.settings.general.output;
}

void CommCoordinator::show_stopped() {
  report_.render_what_is_there();
  show();
}

ExitCode CommCoordinator::close() {
  health_.collect();
  report_.summarise();
  auto [exit_code, why] = report_.close();
  why_ = std::move(why);
  return exit_code;
}

void CommCoordinator::show() { process::show_answer(request_.run, report_.report(), why_); }

}  // namespace scalemark::communicating
