#include "engine/distributed/stop_agreement.h"

#include <algorithm>
#include <utility>

namespace scalemark::distributed {
namespace {

constexpr const char* kRequestKey = "stop/request";      // of the whole run, not of one loop
constexpr std::chrono::milliseconds kFrozenPeriod{250};  // somebody waits for the agreement

}  // namespace

void request_stop(c10d::Store& store, int signal) {
  store.set(kRequestKey, std::to_string(signal));
}

std::optional<int> requested_stop(c10d::Store& store) {
  if (!store.check({kRequestKey})) return std::nullopt;
  return std::stoi(store.get_to_str(kRequestKey));
}

std::chrono::milliseconds look_period(std::chrono::milliseconds least, int ranks) {
  constexpr std::chrono::milliseconds kLongest{1000};
  return std::clamp(std::chrono::milliseconds(ranks), least, std::max(least, kLongest));
}

StopAgreement::StopAgreement(const c10::intrusive_ptr<c10d::Store>& store, const std::string& loop,
                             int rank, int world_size, Options options)
    : store_(store),
      prefix_("stop/" + loop + "/"),
      rank_(rank),
      world_size_(world_size),
      options_(std::move(options)),
      thread_(options_.clock.start([this] { run(); })) {}

StopAgreement::~StopAgreement() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    closing_ = true;
  }
  changed_.notify_all();
  options_.clock.join(thread_);
}

std::string StopAgreement::promise_key(int rank) const {
  return prefix_ + "promise/" + std::to_string(rank);
}

// The order matters: begun_ is stored before frozen_ is loaded, and the side thread stores frozen_
// before it loads begun_, all sequentially consistent. So either this thread sees the freeze and
// waits, or the promise counts this step.
bool StopAgreement::may_begin(std::int64_t step) {
  begun_.store(step + 1);
  if (!frozen_.load()) return true;
  std::unique_lock lock(mutex_);
  // The side thread may itself be stuck in a lost store: this thread has its own deadline.
  options_.clock.wait_for(changed_, lock, options_.answer + std::chrono::milliseconds(500),
                          [this] { return agreed_steps_.has_value(); });
  if (!agreed_steps_) {
    agreed_steps_ = step;
    decision_ = Stop{signal_, false};
  }
  if (step < *agreed_steps_) return true;
  begun_.store(step);  // waited to begin it and did not
  stopped_ = true;
  return false;
}

std::optional<Stop> StopAgreement::stop() const {
  const std::lock_guard lock(mutex_);
  return stopped_ ? decision_ : std::nullopt;
}

void StopAgreement::run() {
  const auto period = look_period(options_.period, world_size_);
  std::unique_lock lock(mutex_);
  while (!closing_) {
    lock.unlock();
    look();
    lock.lock();
    const auto pause = frozen_.load() ? std::min(period, kFrozenPeriod) : period;
    options_.clock.wait_for(changed_, lock, pause, [this] { return closing_; });
  }
  lock.unlock();
  close();
}

// A store that fails is not asked again: the main thread will notice the loss by its collectives,
// and this rank's own signal still ends it.
void StopAgreement::look() {
  if (!frozen_.load()) {
    if (const auto signal = requested_signal()) freeze(*signal);
  }
  if (!frozen_.load()) return;
  seek_agreement();
  const auto waited = since_frozen_->elapsed();
  bool stuck = false;
  {
    const std::lock_guard lock(mutex_);
    stuck = !stopped_ && waited > options_.overdue;
  }
  if (stuck && !overdue_called_ && options_.on_overdue) {
    overdue_called_ = true;
    options_.on_overdue(signal_);
  }
}

std::optional<int> StopAgreement::requested_signal() {
  const auto own = options_.received();
  try {
    if (!store_alive_) return own;
    if (own) {
      request_stop(*store_, *own);
      return own;
    }
    if (const auto signal = requested_stop(*store_)) return signal;
  } catch (const std::exception&) {
    store_alive_ = false;
  }
  return own;
}

void StopAgreement::freeze(int signal) {
  {
    const std::lock_guard lock(mutex_);
    signal_ = signal;
  }
  since_frozen_.emplace(options_.clock);
  frozen_.store(true);
}

void StopAgreement::seek_agreement() {
  {
    const std::lock_guard lock(mutex_);
    if (agreed_steps_) return;
  }
  try {
    if (store_alive_ && !promised_) {
      store_->set(promise_key(rank_), std::to_string(begun_.load()));
      promised_ = true;
    }
    if (store_alive_ && rank_ == 0) {
      if (const auto steps = largest_promise()) {
        store_->set(prefix_ + "agreed", std::to_string(*steps));
      }
    }
    if (store_alive_ && store_->check({prefix_ + "agreed"})) {
      decide(std::stoll(store_->get_to_str(prefix_ + "agreed")), true);
    }
  } catch (const std::exception&) {
    store_alive_ = false;
  }
  if (!store_alive_ || since_frozen_->elapsed() > options_.answer) decide(0, false);
}

std::optional<std::int64_t> StopAgreement::largest_promise() {
  for (; promises_seen_ < world_size_; ++promises_seen_) {
    const std::string key = promise_key(promises_seen_);
    if (!store_->check({key})) return std::nullopt;
    largest_promise_ =
        std::max<std::int64_t>(largest_promise_, std::stoll(store_->get_to_str(key)));
  }
  return largest_promise_;
}

void StopAgreement::decide(std::int64_t steps, bool agreed) {
  {
    const std::lock_guard lock(mutex_);
    if (agreed_steps_) return;
    agreed_steps_ = steps;
    decision_ = Stop{signal_, agreed};
  }
  changed_.notify_all();
}

// Nobody may wait for a rank that has left the loop. Rank 0 has run every step of a loop that it
// leaves by itself, so it can agree for all.
void StopAgreement::close() {
  if (!store_alive_ || world_size_ == 1) return;
  try {
    const std::string steps = std::to_string(begun_.load());
    if (!promised_) store_->set(promise_key(rank_), steps);
    if (rank_ == 0 && !store_->check({prefix_ + "agreed"})) {
      store_->set(prefix_ + "agreed", steps);
    }
  } catch (const std::exception&) {
    store_alive_ = false;
  }
}

}  // namespace scalemark::distributed
