#include "engine/distributed/work_queue.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "engine/distributed/errors.h"
#include "engine/distributed/key_wait.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;

constexpr const char* kNotice = "task/notice";         // "17 text"
constexpr const char* kCalledOff = "task/called-off";  // number of the last one that failed
// A waiting rank may miss a bell that is deleted; it also reads the message itself regularly.
constexpr std::int64_t kBellsKept = 3;
constexpr int kLooksPerPulse = 4;
// Below the 10 s after which launchers end the remaining ranks when one has ended: rank 0 has
// reported the cause by then.
constexpr milliseconds kLostAfter{8000};
constexpr milliseconds kFaultLook{1000};
// Short while a result may come at once, longer when the others are late.
constexpr milliseconds kFirstPause{2}, kLongestPause{50};

// Each rank writes its pulse and rank 0 reads them all: 2 ms for each rank keep that at 1,000
// requests a second.
milliseconds pulse_period(int world_size) {
  return std::clamp(milliseconds(2 * world_size), milliseconds(1000), milliseconds(2500));
}

std::string bell_key(std::int64_t number) { return "task/bell/" + std::to_string(number); }

// How many ranks have reported on a message, and the K-th result of any message: "17 RANK text".
std::string voted_key(std::int64_t number) { return "task/voted/" + std::to_string(number); }
std::string vote_key(std::int64_t place) { return "task/vote/" + std::to_string(place); }

std::string pulse_key(int rank) { return "task/pulse/" + std::to_string(rank); }

std::string numbered(std::int64_t number, const std::string& text) {
  return std::to_string(number) + " " + text;
}

WorkMessage notice_of(const std::string& text) {
  const auto space = text.find(' ');
  return {.number = std::stoll(text.substr(0, space)), .text = text.substr(space + 1)};
}

class Pause {
 public:
  explicit Pause(Clock& clock) : clock_(clock) {}

  void take() {
    clock_.sleep_for(length_);
    length_ = std::min(2 * length_, kLongestPause);
  }

 private:
  Clock& clock_;
  milliseconds length_ = kFirstPause;
};

Error rank_0_is_gone(const std::string& seen) {
  return peer_lost(seen, {}, "look at rank 0's output, and at its machine");
}

}  // namespace

WorkQueue::WorkQueue(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world_size,
                     ErrorStore& faults, milliseconds patience, OnLost on_lost, milliseconds look,
                     Clock& clock)
    : store_(store),
      side_store_(faults.store()),
      rank_(rank),
      faults_(faults),
      patience_(patience),
      on_lost_(std::move(on_lost)),
      look_(look),
      clock_(clock),
      pulse_period_(pulse_period(world_size)),
      pulses_(rank == 0 ? static_cast<std::size_t>(world_size) : 0) {
  if (world_size > 1)
    pulse_.emplace(
        pulse_period_, [this] { return beat(); }, clock);
}

bool WorkQueue::beat() {
  try {
    side_store_->add(pulse_key(rank_), 1);
    const auto lost = silent_rank();
    if (lost) on_lost_(loss_of(*lost));
    return !lost;
  } catch (const std::exception&) {
    return false;  // the store is gone: every rank finds out by itself
  }
}

// How often each rank's pulse has beaten: one request where the store can answer several keys at
// once, which must be there then.
std::vector<std::int64_t> WorkQueue::read_pulses() {
  std::vector<std::int64_t> beats;
  if (pulse_keys_.empty() || !side_store_->hasExtendedApi()) {
    for (int rank = 0; rank < static_cast<int>(pulses_.size()); ++rank) {
      beats.push_back(side_store_->add(pulse_key(rank), 0));
      if (pulse_keys_.size() < pulses_.size()) pulse_keys_.push_back(pulse_key(rank));
    }
    return beats;
  }
  for (const auto& bytes : side_store_->multiGet(pulse_keys_)) {
    beats.push_back(std::stoll(std::string(bytes.begin(), bytes.end())));
  }
  return beats;
}

std::optional<int> WorkQueue::silent_rank() {
  if (pulses_.empty()) return std::nullopt;
  const auto beats = read_pulses();
  for (std::size_t rank = 1; rank < pulses_.size(); ++rank) {
    Pulse& pulse = pulses_[rank];
    pulse.silent_for = beats[rank] == pulse.beats ? pulse.silent_for + 1 : 0;
    pulse.beats = beats[rank];
    if (pulse.silent_for * pulse_period_ >= kLostAfter) return static_cast<int>(rank);
  }
  return std::nullopt;
}

ErrorRecord WorkQueue::loss_of(int rank) {
  const auto cause = faults_.find_cause(milliseconds(0));
  if (cause.record) return caused_by(*cause.record, rank_);
  return peer_lost("a rank was lost: " + name_ranks({rank}) + " sends no heartbeat", {},
                   "look at its output, and check whether the system killed it")
      .record();
}

WorkQueue::~WorkQueue() = default;

WorkMessage WorkQueue::post(const std::string& text) {
  store_->set(kNotice, numbered(++posted_, text));
  store_->set(bell_key(posted_), "1");
  if (posted_ > kBellsKept) store_->deleteKey(bell_key(posted_ - kBellsKept));
  return {.number = posted_, .text = text};
}

std::optional<std::string> WorkQueue::read(const std::string& key) {
  try {
    if (!store_->check({key})) return std::nullopt;
    return store_->get_to_str(key);
  } catch (const std::exception&) {
    refuse_posted_error();
    throw rank_0_is_gone("the store that rank 0 holds does not answer any more");
  }
}

void WorkQueue::refuse_posted_error() {
  const auto cause = faults_.find_cause(milliseconds(0));
  if (cause.record) throw Error(caused_by(*cause.record, rank_));
}

void WorkQueue::post_last(const std::string& text) {
  pulse_.reset();
  post(text);
}

std::optional<WorkMessage> WorkQueue::newest_above(std::int64_t last_seen) {
  const auto text = read(kNotice);
  if (!text) return std::nullopt;
  const WorkMessage notice = notice_of(*text);
  return notice.number > last_seen ? std::optional(notice) : std::nullopt;
}

bool WorkQueue::bell_rings(std::int64_t number) {
  try {
    return await_key(*store_, bell_key(number), look_);
  } catch (const std::exception&) {
    refuse_posted_error();
    throw rank_0_is_gone("the store that rank 0 holds does not answer any more");
  }
}

std::int64_t WorkQueue::pulse_of_rank_0() {
  try {
    return store_->add(pulse_key(0), 0);
  } catch (const std::exception&) {
    refuse_posted_error();
    throw rank_0_is_gone("the store that rank 0 holds does not answer any more");
  }
}

// Silence is counted in time during which this process ran: after a stop of all ranks (scontrol
// suspend) no pulse has advanced yet.
void WorkQueue::require_pulse_of_rank_0(std::int64_t& beats, milliseconds& silent_since,
                                        milliseconds now) {
  const std::int64_t seen = pulse_of_rank_0();
  if (seen != std::exchange(beats, seen)) silent_since = now;
  if (now - silent_since > patience_) throw rank_0_is_gone("rank 0 sends no heartbeat");
}

WorkMessage WorkQueue::next(std::int64_t last_seen, const std::function<void()>& idle) {
  if (const auto notice = newest_above(last_seen)) return *notice;
  AwakeClock clock(clock_);
  milliseconds silent_since{0};
  std::int64_t beats = -1;
  for (int look = 1;; ++look) {
    idle();
    const bool rang = bell_rings(last_seen + 1);
    if (!rang) refuse_posted_error();
    const bool thorough = look % kLooksPerPulse == 0;
    if (rang || thorough) {
      if (const auto notice = newest_above(last_seen)) return *notice;
    }
    const milliseconds now = clock.elapsed();
    if (thorough) require_pulse_of_rank_0(beats, silent_since, now);
  }
}

void WorkQueue::report_result(std::int64_t number, const std::string& text, bool failed) {
  if (failed) store_->set(kCalledOff, std::to_string(number));
  const std::int64_t place = store_->add(voted_key(number), 1);
  store_->set(vote_key(place), numbered(number, std::to_string(rank_) + " " + text));
}

// The results since the last call. One that is counted but not written yet is read next time.
void WorkQueue::read_result_texts(std::int64_t number, std::int64_t& read_so_far,
                                  ResultTexts& result_texts) {
  const auto count = read(voted_key(number));
  const std::int64_t announced = count ? std::stoll(*count) : 0;
  while (read_so_far < announced) {
    const auto text = read(vote_key(read_so_far + 1));
    if (!text) return;
    const WorkMessage vote = notice_of(*text);
    if (vote.number != number) return;  // the place still holds an older one
    const WorkMessage by_rank = notice_of(vote.text);
    result_texts[static_cast<int>(by_rank.number)] = by_rank.text;
    ++read_so_far;
  }
}

WorkQueue::ResultTexts WorkQueue::result_texts(
    std::int64_t number, const std::vector<int>& members,
    const std::function<bool(const ResultTexts&, milliseconds waited)>& patient,
    const std::function<void()>& idle) {
  ResultTexts result_texts;
  Pause pause(clock_);
  AwakeClock clock(clock_);
  std::int64_t read_so_far = 0;
  milliseconds looked{0};
  while (true) {
    read_result_texts(number, read_so_far, result_texts);
    const milliseconds waited = clock.elapsed();
    const bool complete = result_texts.size() == members.size();
    if (complete) store_->deleteKey(voted_key(number));
    if (complete || !patient(result_texts, waited)) return result_texts;
    idle();
    pause.take();
    if (waited - looked < kFaultLook) continue;
    looked = waited;
    refuse_posted_error();
  }
}

bool WorkQueue::called_off(std::int64_t number) noexcept {
  try {
    return side_store_->check({kCalledOff}) &&
           std::stoll(side_store_->get_to_str(kCalledOff)) >= number;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace scalemark::distributed
