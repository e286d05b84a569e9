#include "engine/sweep/machine_rounds.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/base/durations.h"
#include "core/base/number_words.h"
#include "core/base/wire.h"
#include "core/plan/presets.h"
#include "engine/distributed/errors.h"
#include "engine/sweep/sweep_messages.h"
#include "report/judge/point/disturbances.h"
#include "report/judge/point/telemetry.h"
#include "report/record/rank_fields.h"

namespace scalemark::sweeping {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPollPeriod{1000};

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
  std::string busy = read_machines();
  double waited_s = 0;
  while (!busy.empty() && !last_wait_failed_) {
    waited_s = std::chrono::duration<double>(clock.now() - begun).count();
    if (waited_s > options_.longest_wait_s || options_.idle()) break;
    clock.sleep_for(std::min(kPollPeriod, milliseconds_of(options_.longest_wait_s - waited_s)));
    busy = read_machines();
  }
  const bool waited = waited_s > options_.longest_wait_s;
  last_wait_failed_ = !busy.empty() && (last_wait_failed_ || waited);
  return busy.empty()
             ? busy
             : "the machine was busy before this block" + waited_text(waited_s) + ": " + busy;
}

// A rank that does not answer is only left out; the next task will notice its loss.
std::string QuietCheck::read_machines() {
  const auto texts =
      loop_.ask_all(to_wire(SweepCommand{.task = {}, .quiet_check = true}), options_.read);
  std::vector<reporting::RankReadings> ranks;
  for (const auto& [rank, text] : texts) ranks.push_back(from_wire<reporting::RankReadings>(text));
  return reporting::in_words(options_.judge(reporting::telemetry_of("", ranks)));
}

namespace {

// Exchanges are those of all devices, whichever the record names.
bool is_of_other_gpu(const std::string& source, const reporting::FingerprintRecord& record) {
  using enum reporting::MachineRate;
  const bool of_all =
      record.what == kAllReduce || record.what == kNodeAllReduce || record.what == kNodeAllToAll;
  return !of_all && source.starts_with("cuda:") && source != record.device;
}

// Notes clocks, power and temperature of the record's GPU meanwhile.
void note_gpu(const std::vector<reporting::TelemetryRecord>& telemetry,
              reporting::FingerprintRecord& record) {
  for (const reporting::TelemetryRecord& one : telemetry) {
    const monitoring::SourceSummary& values = one.values;
    if (values.device != record.device) continue;
    if (values.source == "sm_clock_MHz") record.sm_clock_MHz = values.mean;
    if (values.source == "power_W") record.power_W = values.mean;
    if (values.source == "temperature_C") record.temperature_C = values.max;
  }
}

}  // namespace

// Takes the fingerprint of a sweep's machines, before its first block: the first rank of each
// machine measures it while all others wait, then all ranks measure the exchange of gradients
// together. It is taken once for all sessions, of which an earlier one may have done so.
void MachineRounds::take_fingerprint() {
  if (!(plan_.fingerprint_s > 0) || plan_.runs.empty() || report_.has_fingerprint()) return;
  loop_.link().enter("wait");
  auto records = ask_ranks({.fingerprint = FingerprintPart::kMachine}).records;
  if (!loop_.requested_signal()) {
    std::ranges::move(ask_ranks({.fingerprint = FingerprintPart::kExchange}).records,
                      std::back_inserter(records));
  }
  report_.add_fingerprint(std::move(records));
}

// --checks devices runs in each session, to show differences from start to start; --sustain and
// --checks replay run once.
void MachineRounds::check_devices() {
  if (plan_.runs.empty()) return;
  if (plan_.device_check_s > 0) {
    ask_devices(FingerprintPart::kDevices);
    ask_nodes();
  }
  if (plan_.sweep.sustain_s && !report_.has_sustained()) ask_devices(FingerprintPart::kSustained);
  if (plan_.replay_s > 0 && !report_.has_replays()) ask_devices(FingerprintPart::kReplay);
}

// GPUs are measured at the same time, as in training; ranks on CPUs share cores and memory, and
// take turns.
void MachineRounds::ask_devices(FingerprintPart part) {
  loop_.link().enter("wait");
  const bool take_turns = planning::devices_take_turns(plan_);
  FingerprintAnswer all;
  for (int rank = 0; rank < (take_turns ? loop_.link().size() : 1); ++rank) {
    if (loop_.requested_signal()) return;
    SweepCommand command{.fingerprint = part};
    if (take_turns) command.only_rank = rank;
    FingerprintAnswer answer = ask_ranks(command);
    std::ranges::move(answer.records, std::back_inserter(all.records));
    std::ranges::move(answer.replays, std::back_inserter(all.replays));
  }
  // The session that continues this one measures again what a stop cut short.
  if (loop_.requested_signal()) return;
  report_.add_fingerprint(std::move(all.records));
  report_.add_replays(std::move(all.replays));
}

// All ranks measure at once, each with the others of its node.
void MachineRounds::ask_nodes() {
  if (loop_.requested_signal() || plan_.world_size < 2) return;
  FingerprintAnswer answer = ask_ranks({.fingerprint = FingerprintPart::kNode});
  if (loop_.requested_signal()) return;
  report_.add_fingerprint(std::move(answer.records));
  report_.set_nccl(answer.nccl);
}

// Returns the answers in the order of ranks. What others did on a machine meanwhile is noted with
// all of its values.
FingerprintAnswer MachineRounds::ask_ranks(const SweepCommand& command) {
  // A measurement may take as long as was asked: a rank's heartbeat shows that it lives, and its
  // watchdog ends it where it hangs.
  const auto texts = loop_.ask_all(
      to_wire(command), [&] { return member_.fingerprint(command); },
      process::TaskLoop::Waits::kWhileTheyLive);
  if (texts.size() != static_cast<std::size_t>(loop_.link().size())) {
    throw distributed::peer_lost("a rank did not answer while the machines were measured", {},
                                 "look at its output, and check whether the system killed it");
  }
  member_.release();
  FingerprintAnswer all;
  std::vector<reporting::RankReadings> readings;
  for (const auto& [rank, text] : texts) {
    auto answer = from_wire<FingerprintAnswer>(text);
    if (!answer.readings.sources.empty()) readings.push_back(std::move(answer.readings));
    std::ranges::move(answer.records, std::back_inserter(all.records));
    std::ranges::move(answer.replays, std::back_inserter(all.replays));
    std::ranges::move(answer.nccl, std::back_inserter(all.nccl));
  }
  const auto telemetry = reporting::telemetry_of("", readings);
  for (reporting::FingerprintRecord& record : all.records) {
    auto of_host = telemetry;
    std::erase_if(of_host, [&](const auto& one) {
      return one.host != record.host || is_of_other_gpu(one.values.device, record);
    });
    const auto disturbances = report_.disturbances_of(of_host);
    record.disturbed = reporting::in_words(disturbances);
    record.disturbed_by = reporting::codes_of(disturbances);
    if (record.what == reporting::MachineRate::kSustainedProduct) note_gpu(of_host, record);
  }
  return all;
}

}  // namespace scalemark::sweeping
