#include "engine/distributed/work_queue.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "engine/distributed/errors.h"
#include "engine/distributed/store.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;

constexpr const char* kNotice = "task/notice";         // "17 text"
constexpr const char* kCalledOff = "task/called-off";  // number of the last message that failed
// Enough that a waiting rank rarely misses a wake-up key before it is deleted; the rank also reads
// the message itself regularly.
constexpr std::int64_t kWakeupsKept = 3;
constexpr int kPollsPerHeartbeat = 4;
constexpr milliseconds kFaultPollPeriod{1000};
// The pause is short while a result may come at once, and longer when the others are late.
constexpr milliseconds kFirstPause{2}, kLongestPause{50};

std::string wakeup_key(std::int64_t number) { return "task/wakeup/" + std::to_string(number); }

// voted: how many ranks have reported on a message. vote: the K-th result of any message, "17 RANK
// text".
std::string voted_key(std::int64_t number) { return "task/voted/" + std::to_string(number); }
std::string vote_key(std::int64_t place) { return "task/vote/" + std::to_string(place); }

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
                     ErrorStore& faults, milliseconds heartbeat_timeout, Heartbeat::Hooks heartbeat,
                     milliseconds poll_period, Clock& clock)
    : store_(store),
      side_store_(faults.store()),
      rank_(rank),
      faults_(faults),
      heartbeat_timeout_(heartbeat_timeout),
      poll_period_(poll_period),
      clock_(clock) {
  // Rank 0 ends its heartbeat before the others have read that all is done, and who waits for a
  // message watches rank 0 by itself.
  if (rank != 0) heartbeat.on_lost = {};
  heartbeat_.emplace(rank, world_size, faults, std::move(heartbeat), clock);
}

WorkQueue::~WorkQueue() = default;

WorkMessage WorkQueue::post(const std::string& text) {
  store_->set(kNotice, numbered(++posted_, text));
  store_->set(wakeup_key(posted_), "1");
  if (posted_ > kWakeupsKept) store_->deleteKey(wakeup_key(posted_ - kWakeupsKept));
  return {.number = posted_, .text = text};
}

template <class Request>
auto WorkQueue::asked(Request request) -> decltype(request()) {
  try {
    return request();
  } catch (const std::exception&) {
    refuse_posted_error();
    throw rank_0_is_gone("the store that rank 0 holds does not answer any more");
  }
}

std::optional<std::string> WorkQueue::read(const std::string& key) {
  return asked([&]() -> std::optional<std::string> {
    if (!store_->check({key})) return std::nullopt;
    return store_->get_to_str(key);
  });
}

void WorkQueue::refuse_posted_error() {
  if (const auto end = faults_.own_end()) throw Error(*end);
}

void WorkQueue::post_last(const std::string& text) {
  heartbeat_.reset();
  post(text);
}

std::optional<WorkMessage> WorkQueue::newest_above(std::int64_t last_seen) {
  const auto text = read(kNotice);
  if (!text) return std::nullopt;
  const WorkMessage notice = notice_of(*text);
  return notice.number > last_seen ? std::optional(notice) : std::nullopt;
}

// Silence is counted in time during which this process ran: after a stop of all ranks (scontrol
// suspend) no heartbeat has advanced yet.
void WorkQueue::require_heartbeat_of_rank_0(std::int64_t& beats, milliseconds& silent_since,
                                            milliseconds now) {
  const std::int64_t seen = asked([&] { return Heartbeat::count_of_rank_0(*store_); });
  if (seen != std::exchange(beats, seen)) silent_since = now;
  if (now - silent_since > heartbeat_timeout_) throw rank_0_is_gone("rank 0 sends no heartbeat");
}

WorkMessage WorkQueue::next(std::int64_t last_seen, const std::function<void()>& idle) {
  if (const auto notice = newest_above(last_seen)) return *notice;
  AwakeClock clock(clock_);
  milliseconds silent_since{0};
  std::int64_t beats = -1;
  for (int poll = 1;; ++poll) {
    idle();
    const bool is_notified =
        asked([&] { return await_key(*store_, wakeup_key(last_seen + 1), poll_period_); });
    if (!is_notified) refuse_posted_error();
    const bool thorough = poll % kPollsPerHeartbeat == 0;
    if (is_notified || thorough) {
      if (const auto notice = newest_above(last_seen)) return *notice;
    }
    const milliseconds now = clock.elapsed();
    if (thorough) require_heartbeat_of_rank_0(beats, silent_since, now);
  }
}

void WorkQueue::report_result(std::int64_t number, const std::string& text, bool failed) {
  if (failed) store_->set(kCalledOff, std::to_string(number));
  const std::int64_t place = store_->add(voted_key(number), 1);
  store_->set(vote_key(place), numbered(number, std::to_string(rank_) + " " + text));
}

// Reads the results since the last call. A result that is counted but not written yet is left to
// the next call.
void WorkQueue::read_result_texts(std::int64_t number, std::int64_t& read_so_far,
                                  ResultTexts& result_texts) {
  const auto count = read(voted_key(number));
  const std::int64_t announced = count ? std::stoll(*count) : 0;
  std::vector<std::string> keys;
  for (auto place = read_so_far + 1; place <= announced; ++place) keys.push_back(vote_key(place));
  for (const std::string& text : asked([&] { return values_present(*store_, keys); })) {
    const WorkMessage vote = notice_of(text);
    if (vote.number != number) return;  // the key still holds an older message's result
    const WorkMessage by_rank = notice_of(vote.text);
    result_texts[static_cast<int>(by_rank.number)] = by_rank.text;
    ++read_so_far;
  }
}

WorkQueue::ResultTexts WorkQueue::result_texts(
    std::int64_t number, const std::vector<int>& members,
    const std::function<bool(const ResultTexts&, milliseconds waited)>& keep_waiting,
    const std::function<void()>& idle) {
  ResultTexts result_texts;
  Pause pause(clock_);
  AwakeClock clock(clock_);
  std::int64_t read_so_far = 0;
  milliseconds checked{0};
  while (true) {
    read_result_texts(number, read_so_far, result_texts);
    const milliseconds waited = clock.elapsed();
    const bool complete = result_texts.size() == members.size();
    if (complete) store_->deleteKey(voted_key(number));
    if (complete || !keep_waiting(result_texts, waited)) return result_texts;
    idle();
    pause.take();
    if (waited - checked < kFaultPollPeriod) continue;
    checked = waited;
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
