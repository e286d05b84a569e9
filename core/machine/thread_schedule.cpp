#include "core/machine/thread_schedule.h"

#include <unistd.h>

#include <algorithm>
#include <string>

namespace scalemark::monitoring {

std::filesystem::path thread_schedule_file(const std::filesystem::path& process) {
  return process / "task" / std::to_string(::gettid()) / "schedstat";
}

std::optional<ScheduleTimes> schedule_times(KeptFile& file) {
  const auto times = first_numbers(file);  // in nanoseconds
  if (!times) return std::nullopt;
  return ScheduleTimes{.ran_s = 1e-9 * (*times)[0], .queued_s = 1e-9 * (*times)[1]};
}

std::map<int, ScheduleTimes> schedules_of_threads(const std::filesystem::path& process) {
  std::map<int, ScheduleTimes> all;
  for (const std::filesystem::path& thread : entries_of(process / "task")) {
    KeptFile file(thread / "schedstat");
    const auto id = leading_number<int>(thread.filename().string());
    const auto times = schedule_times(file);
    if (id && times) all.emplace(*id, *times);
  }
  return all;
}

std::optional<ScheduleTimes> growth_of(const std::map<int, ScheduleTimes>& before,
                                       const std::map<int, ScheduleTimes>& after, int main) {
  const auto grown = [&](int thread) {
    ScheduleTimes growth = after.at(thread);
    if (const auto first = before.find(thread); first != before.end()) {
      growth.ran_s -= first->second.ran_s;
      growth.queued_s -= first->second.queued_s;
    }
    return growth;
  };
  if (!before.contains(main) || !after.contains(main)) return std::nullopt;
  ScheduleTimes growth = grown(main);
  for (const auto& [thread, times] : after) {
    const ScheduleTimes other = grown(thread);
    if (2 * other.ran_s >= growth.ran_s)
      growth.queued_s = std::max(growth.queued_s, other.queued_s);
  }
  return growth;
}

void add(std::optional<ScheduleTimes>& all, const std::optional<ScheduleTimes>& more,
         bool is_first) {
  if (is_first || !all || !more) {
    all = is_first ? more : std::nullopt;
  } else {
    all->ran_s += more->ran_s;
    all->queued_s += more->queued_s;
  }
}

}  // namespace scalemark::monitoring
