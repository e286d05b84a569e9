#include "core/machine/telemetry/sampler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/threads.h"
#include "core/machine/process_reading.h"

namespace scalemark::monitoring {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(Clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// Naps of a stretch last so long on average. They vary, so that stops that come at a fixed rate
// cannot keep in step with them.
constexpr std::chrono::milliseconds kNap{20};

}  // namespace

Sampler::Sampler(std::vector<std::unique_ptr<Probe>> probes, std::chrono::milliseconds period,
                 std::vector<std::unique_ptr<Probe>> shared)
    : period_(period) {
  probes.push_back(thread_cpu_probe(kSamplerCost));
  probes.push_back(probe_of(
      {counter_named(kStoppedShare)}, [this](ProbeValues values) { values[0] = stopped_s_; },
      kOnlyAtEnds));
  add(std::move(probes), /*shared=*/false);
  add(std::move(shared), /*shared=*/true);
  only_at_ends_ =
      std::ranges::all_of(sources_, [](const auto& one) { return one.probe->only_at_ends(); });
  clear();
  thread_ = quiet_thread([this] { serve(); });
}

void Sampler::add(std::vector<std::unique_ptr<Probe>> probes, bool shared) {
  for (auto& probe : probes) {
    Source source{.probe = nullptr, .shared = shared, .readings = {}, .values = {}, .latest = {}};
    source.values.resize(probe->sources().size());
    source.latest.resize(probe->sources().size());
    source.probe = std::move(probe);
    sources_.push_back(std::move(source));
  }
}

Sampler::~Sampler() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Sampler::begin() {
  {
    const std::lock_guard lock(mutex_);
    ++begun_;
  }
  changed_.notify_all();
}

void Sampler::end() {
  std::unique_lock lock(mutex_);
  ended_ = begun_;
  changed_.notify_all();
  wait_until_true(changed_, lock, [&] { return served_ == begun_; });
}

void Sampler::clear() {
  const std::lock_guard lock(mutex_);
  const double least_interval_s = std::chrono::duration<double>(period_).count() / 2;
  for (Source& source : sources_) {
    source.readings.clear();
    for (const SourceName& name : source.probe->sources()) {
      source.readings.emplace_back(name, least_interval_s);
    }
  }
}

std::vector<SourceSummary> Sampler::summaries() const {
  const std::lock_guard lock(mutex_);
  std::vector<SourceSummary> all;
  for (const Source& source : sources_) {
    for (const Readings& readings : source.readings) {
      if (auto summary = readings.summary()) all.push_back(std::move(*summary));
    }
  }
  return all;
}

std::vector<Sampler::Latest> Sampler::latest() const {
  const std::lock_guard lock(latest_mutex_);
  std::vector<Latest> all;
  for (const Source& source : sources_) {
    for (std::size_t i = 0; i < source.latest.size(); ++i) {
      if (source.latest[i]) all.push_back({source.probe->sources()[i], *source.latest[i]});
    }
  }
  return all;
}

void Sampler::serve() {
  const WatchingThread watching;
  schedule_.emplace(thread_schedule_file());
  auto pause = take(Pass::kIdle);
  std::unique_lock lock(mutex_);
  while (true) {
    const bool has_work = wait(lock, pause, [&] { return over_ || begun_ > served_; });
    if (over_) return;
    lock.unlock();
    if (has_work) {
      sample_stretch();
    } else {
      pause = take(Pass::kIdle);
    }
    lock.lock();
    if (!has_work) continue;
    served_ = begun_;
    changed_.notify_all();
  }
}

void Sampler::sample_stretch() {
  auto pause = take(Pass::kFirst);
  in_stretch_ = true;
  std::unique_lock lock(mutex_);
  while (!wait(lock, pause, [&] { return over_ || ended_ == begun_; })) {
    lock.unlock();
    pause = take(Pass::kBetween);
    lock.lock();
  }
  lock.unlock();
  in_stretch_ = false;
  take(Pass::kLast);
}

// Returns whether `until` holds; false: the pause is over.
template <class Until>
bool Sampler::wait(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds pause,
                   Until until) {
  if (only_at_ends_) {
    wait_until_true(changed_, lock, until);
    return true;
  }
  const auto end = Clock::now() + pause;
  for (auto now = Clock::now(); now < end;) {
    const auto due = now + next_nap(end - now);
    if (changed_.wait_until(lock, due, until)) return true;
    now = Clock::now();
    note_wake(now - due);
  }
  return false;
}

std::chrono::nanoseconds Sampler::next_nap(std::chrono::nanoseconds left) {
  if (!in_stretch_) return left;
  nap_seed_ = nap_seed_ * 1664525U + 1013904223U;  // Numerical Recipes, "quick and dirty"
  const double varied = 0.5 + static_cast<double>(nap_seed_ >> 8) / (1 << 24);
  const std::chrono::duration<double> nap = varied * kNap;
  return std::min(left, std::chrono::duration_cast<std::chrono::nanoseconds>(nap));
}

// A stop is met by as many ends of naps as would have been in it, so their number times the mean
// nap estimates its length without bias, however short stops are.
void Sampler::note_wake(std::chrono::nanoseconds late) {
  constexpr std::chrono::milliseconds kLate{5}, kNoticed{2};
  if (late > kLate) late_wakeups_.fetch_add(1, std::memory_order_relaxed);
  const bool counts = in_stretch_ && late > kNoticed;
  const double before_s = queued_s_;
  if (const auto times = schedule_times(*schedule_)) queued_s_ = times->queued_s;
  const double stopped_s = std::chrono::duration<double>(late).count() - (queued_s_ - before_s);
  if (!counts || stopped_s < std::chrono::duration<double>(kNoticed).count()) return;
  const double nap_s = std::chrono::duration<double>(kNap).count();
  stopped_s_ += nap_s * (1 + std::floor(stopped_s / nap_s));
}

bool Sampler::is_read(const Source& source, Pass pass) const {
  const bool in_between = pass == Pass::kIdle || pass == Pass::kBetween;
  const bool waits = source.probe->only_at_ends() || passes_ % source.probe->every() != 0;
  return !(in_between && waits) && !(source.shared && !reads_shared());
}

std::chrono::nanoseconds Sampler::take(Pass pass) {
  const double before_s = thread_cpu_s();
  for (Source& source : sources_) {
    std::ranges::fill(source.values, std::nullopt);
    if (!is_read(source, pass)) {
      if (source.shared && !reads_shared()) publish(source);
      continue;
    }
    source.probe->read(source.values);
    const double now_s = seconds_of(Clock::now());
    for (std::size_t i = 0; pass != Pass::kIdle && i < source.readings.size(); ++i) {
      if (pass == Pass::kFirst) source.readings[i].begin_stretch();
      source.readings[i].add(now_s, source.values[i]);
    }
    if (!source.probe->only_at_ends()) publish(source);
  }
  const double after_s = thread_cpu_s();
  cpu_s_.store(after_s, std::memory_order_relaxed);
  ++passes_;
  const std::chrono::duration<double> least((after_s - before_s) / kLargestShare);
  // The ends of a stretch read more than what is read in between.
  if (pass == Pass::kFirst) return period_;
  return std::max<std::chrono::nanoseconds>(
      period_, std::chrono::duration_cast<std::chrono::nanoseconds>(least));
}

void Sampler::publish(Source& source) {
  const std::lock_guard lock(latest_mutex_);
  source.latest = source.values;
}

}  // namespace scalemark::monitoring
