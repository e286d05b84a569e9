#include "engine/distributed/task_board.h"

#include <exception>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "engine/distributed/errors.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kNotice = "task/notice";         // "17 text"
constexpr const char* kCalledOff = "task/called-off";  // number of the last one that failed
constexpr milliseconds kPulsePeriod{1000};
// Of these periods. Below the 10 s after which launchers end the ranks that a dead one leaves
// behind: by then rank 0 has said what happened.
constexpr int kLostAfter = 8;
constexpr milliseconds kFaultLook{1000};
// Short while something may come at once, longer for a rank that sits out a long point.
constexpr milliseconds kFirstPause{2}, kLongestPause{50};

std::string vote_key(int rank) { return "task/vote/" + std::to_string(rank); }

std::string pulse_key(int rank) { return "task/pulse/" + std::to_string(rank); }

std::string numbered(std::int64_t number, const std::string& text) {
  return std::to_string(number) + " " + text;
}

Notice notice_of(const std::string& text) {
  const auto space = text.find(' ');
  return {.number = std::stoll(text.substr(0, space)), .text = text.substr(space + 1)};
}

class Pause {
 public:
  void take() {
    std::this_thread::sleep_for(length_);
    length_ = std::min(2 * length_, kLongestPause);
  }

 private:
  milliseconds length_ = kFirstPause;
};

Error rank_0_is_gone(const std::string& seen) {
  return peer_lost(seen, {}, "look at rank 0's output, and at its machine");
}

}  // namespace

TaskBoard::TaskBoard(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world_size,
                     FaultBoard& faults, milliseconds patience, OnLost on_lost)
    : store_(store->clone()),
      side_store_(store->clone()),
      pulse_store_(store->clone()),
      rank_(rank),
      faults_(faults),
      patience_(patience),
      on_lost_(std::move(on_lost)),
      pulses_(rank == 0 ? static_cast<std::size_t>(world_size) : 0) {
  if (world_size > 1) pulse_.emplace(kPulsePeriod, [this] { return beat(); });
}

bool TaskBoard::beat() {
  try {
    pulse_store_->add(pulse_key(rank_), 1);
    const auto lost = silent_rank();
    if (lost) on_lost_(loss_of(*lost));
    return !lost;
  } catch (const std::exception&) {
    return false;  // the store is gone: every rank finds out by itself
  }
}

std::optional<int> TaskBoard::silent_rank() {
  for (int rank = 1; rank < static_cast<int>(pulses_.size()); ++rank) {
    Pulse& pulse = pulses_[static_cast<std::size_t>(rank)];
    const std::int64_t beats = pulse_store_->add(pulse_key(rank), 0);
    pulse.silent_for = beats == pulse.beats ? pulse.silent_for + 1 : 0;
    pulse.beats = beats;
    if (pulse.silent_for >= kLostAfter) return rank;
  }
  return std::nullopt;
}

ErrorRecord TaskBoard::loss_of(int rank) {
  const auto cause = faults_.find_cause(milliseconds(0));
  if (cause.record) return caused_by(*cause.record, rank_);
  return peer_lost("a rank was lost: " + name_ranks({rank}) + " gives no sign of life", {},
                   "look at its output, and for a kill by the system")
      .record();
}

TaskBoard::~TaskBoard() = default;

Notice TaskBoard::post(const std::string& text) {
  store_->set(kNotice, numbered(++posted_, text));
  return {.number = posted_, .text = text};
}

std::optional<std::string> TaskBoard::read(const std::string& key) {
  try {
    if (!store_->check({key})) return std::nullopt;
    return store_->get_to_str(key);
  } catch (const std::exception&) {
    refuse_posted_fault();
    throw rank_0_is_gone("the store that rank 0 holds does not answer any more");
  }
}

void TaskBoard::refuse_posted_fault() {
  const auto cause = faults_.find_cause(milliseconds(0));
  if (cause.record) throw Error(caused_by(*cause.record, rank_));
}

void TaskBoard::post_last(const std::string& text) {
  pulse_.reset();
  post(text);
}

Notice TaskBoard::next(std::int64_t last_seen, const std::function<void()>& idle) {
  Pause pause;
  auto alive = steady_clock::now(), looked = alive;
  std::string pulse;
  while (true) {
    if (const auto text = read(kNotice)) {
      Notice notice = notice_of(*text);
      if (notice.number > last_seen) return notice;
    }
    idle();
    pause.take();
    const auto now = steady_clock::now();
    if (now - looked < kFaultLook) continue;
    looked = now;
    refuse_posted_fault();
    if (const auto beat = read(pulse_key(0)); beat && *beat != pulse) {
      pulse = *beat;
      alive = now;
    }
    if (now - alive > patience_) throw rank_0_is_gone("rank 0 gives no sign of life");
  }
}

void TaskBoard::vote(std::int64_t number, const std::string& text, bool failed) {
  if (failed) store_->set(kCalledOff, std::to_string(number));
  store_->set(vote_key(rank_), numbered(number, text));
}

TaskBoard::Votes TaskBoard::votes(
    std::int64_t number, const std::vector<int>& members,
    const std::function<bool(const Votes&, milliseconds waited)>& patient,
    const std::function<void()>& idle) {
  Votes votes;
  Pause pause;
  const auto start = steady_clock::now();
  auto looked = start;
  while (true) {
    for (const int member : members) {
      if (votes.contains(member)) continue;
      const auto text = read(vote_key(member));
      if (!text) continue;
      const Notice vote = notice_of(*text);
      if (vote.number == number) votes[member] = vote.text;
    }
    const auto now = steady_clock::now();
    const auto waited = std::chrono::duration_cast<milliseconds>(now - start);
    if (votes.size() == members.size() || !patient(votes, waited)) return votes;
    idle();
    pause.take();
    if (now - looked < kFaultLook) continue;
    looked = now;
    refuse_posted_fault();
  }
}

bool TaskBoard::called_off(std::int64_t number) noexcept {
  try {
    return side_store_->check({kCalledOff}) &&
           std::stoll(side_store_->get_to_str(kCalledOff)) >= number;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace scalemark::distributed
