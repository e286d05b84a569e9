#include "engine/sweeping/quiet_check.h"

#include <algorithm>
#include <utility>

#include "core/base/durations.h"
#include "core/base/number_words.h"
#include "core/base/wire.h"
#include "core/reporting/record/rank_fields.h"
#include "engine/sweeping/sweep_command.h"

namespace scalemark::sweeping {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenLooks{1000};

std::string waited_text(double seconds) {
  return seconds > 0 ? ", and stayed so for " + age_text(seconds) : "";
}

}  // namespace

double longest_wait_s(const planning::Plan& plan) {
  constexpr double kShare = 0.1, kMost_s = 10;
  return plan.stop.deadline_s ? 0 : std::min(kShare * plan.estimated_s, kMost_s);
}

std::string QuietCheck::before_block() {
  distributed::Clock& clock = loop_.link().clock();
  const auto begun = clock.now();
  std::string busy = look();
  double waited_s = 0;
  while (!busy.empty() && !waited_in_vain_) {
    waited_s = std::chrono::duration<double>(clock.now() - begun).count();
    if (waited_s > options_.longest_wait_s || options_.idle()) break;
    clock.sleep_for(std::min(kBetweenLooks, milliseconds_of(options_.longest_wait_s - waited_s)));
    busy = look();
  }
  const bool waited = waited_s > options_.longest_wait_s;
  waited_in_vain_ = !busy.empty() && (waited_in_vain_ || waited);
  return busy.empty()
             ? busy
             : "the machine was busy before this block" + waited_text(waited_s) + ": " + busy;
}

// The next task meets a rank that is missing here: it is only left out.
std::string QuietCheck::look() {
  const auto texts =
      loop_.ask_all(to_wire(SweepCommand{.task = {}, .quiet_check = true}), options_.read);
  std::vector<reporting::RankReadings> ranks;
  for (const auto& [rank, text] : texts) ranks.push_back(from_wire<reporting::RankReadings>(text));
  return reporting::in_words(options_.judge(reporting::telemetry_of("", ranks)));
}

}  // namespace scalemark::sweeping
