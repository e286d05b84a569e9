#include "engine/distributed/stop_agreement.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/threads.h"
#include "engine/distributed/store.h"

namespace scalemark::distributed {
namespace {

constexpr const char* kRequestKey = "stop/request";      // one for the whole run
constexpr std::chrono::milliseconds kFrozenPeriod{250};  // frozen ranks wait for each other

constexpr std::array<int, 3> kSignals{SIGTERM, SIGINT, SIGUSR1};

// A signal handler may only use static, lock-free objects.
std::atomic<int> first_signal{0};
std::atomic<unsigned> backstop_seconds{0};
std::atomic<bool> backstop_is_set{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
std::array<struct sigaction, kSignals.size() + 1> old_actions;

void note(int signal) {
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, signal)) return;
  if (const unsigned seconds = backstop_seconds.load()) {
    alarm(seconds);
    backstop_is_set = true;
  }
}

// The handler of SIGALRM. An alarm that comes before note()'s is from outside, even while a stop is
// under way, and may have been ignored before.
void give_up(int) {
  const unsigned left_s = backstop_is_set ? alarm(0) : 0;
  const bool is_backstop = backstop_is_set && left_s == 0;
  if (is_backstop || old_actions.back().sa_handler != SIG_IGN)
    _exit(static_cast<int>(exit_code_of_signal(first_signal.load())));
  if (left_s > 0) alarm(left_s);
}

struct sigaction action_of(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return action;
}

}  // namespace

InterruptHandlers::InterruptHandlers(std::optional<unsigned> backstop_s) {
  first_signal = 0;
  backstop_is_set = false;
  backstop_seconds = backstop_s.value_or(0);
  const struct sigaction noting = action_of(note), ending = action_of(give_up);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], is_ignored(kSignals[i]) ? nullptr : &noting, &old_actions[i]);
  }
  sigaction(SIGALRM, &ending, &old_actions.back());
}

InterruptHandlers::~InterruptHandlers() {
  alarm(0);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &old_actions[i], nullptr);
  }
  sigaction(SIGALRM, &old_actions.back(), nullptr);
}

std::optional<int> received_signal() {
  const int signal = first_signal.load(std::memory_order_relaxed);
  return signal == 0 ? std::nullopt : std::optional(signal);
}

ExitCode exit_code_of_signal(int signal) {
  return signal == SIGINT ? ExitCode::kInterrupted : ExitCode::kPreempted;
}

void request_stop(c10d::Store& store, int signal) {
  store.set(kRequestKey, std::to_string(signal));
}

std::optional<int> requested_stop(c10d::Store& store) {
  if (!store.check({kRequestKey})) return std::nullopt;
  return std::stoi(store.get_to_str(kRequestKey));
}

std::chrono::milliseconds poll_period(std::chrono::milliseconds least, int ranks) {
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
  // The side thread may itself be stuck in a lost store, so this thread has its own deadline.
  options_.clock.wait_for(changed_, lock, options_.answer + std::chrono::milliseconds(500),
                          [this] { return agreed_steps_.has_value(); });
  if (!agreed_steps_) {
    agreed_steps_ = step;
    decision_ = Stop{signal_, false};
  }
  if (step < *agreed_steps_) return true;
  begun_.store(step);  // this step was not begun
  stopped_ = true;
  return false;
}

std::optional<Stop> StopAgreement::stop() const {
  const std::lock_guard lock(mutex_);
  return stopped_ ? decision_ : std::nullopt;
}

void StopAgreement::run() {
  const auto period = poll_period(options_.period, world_size_);
  std::unique_lock lock(mutex_);
  while (!closing_) {
    lock.unlock();
    poll();
    lock.lock();
    const auto pause = frozen_.load() ? std::min(period, kFrozenPeriod) : period;
    options_.clock.wait_for(changed_, lock, pause, [this] { return closing_; });
  }
  lock.unlock();
  close();
}

// A store that has failed is not asked again: the main thread will notice the loss by its
// collectives, and this rank's own signal still ends it.
void StopAgreement::poll() {
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
      if (const auto steps = largest_promise())
        store_->set(prefix_ + "agreed", std::to_string(*steps));
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
  std::vector<std::string> keys;
  for (int rank = promises_seen_; rank < world_size_; ++rank) keys.push_back(promise_key(rank));
  for (const std::string& steps : values_present(*store_, keys)) {
    largest_promise_ = std::max<std::int64_t>(largest_promise_, std::stoll(steps));
    ++promises_seen_;
  }
  return promises_seen_ == world_size_ ? std::optional(largest_promise_) : std::nullopt;
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
// leaves by itself, so it can decide for all.
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
