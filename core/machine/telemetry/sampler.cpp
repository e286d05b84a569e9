#include "core/machine/telemetry/sampler.h"

#include <algorithm>
#include <utility>

#include "core/base/threads.h"
#include "core/machine/process_reading.h"

namespace scalemark::monitoring {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(Clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace

Sampler::Sampler(std::vector<std::unique_ptr<Probe>> probes, std::chrono::milliseconds period,
                 std::vector<std::unique_ptr<Probe>> shared)
    : period_(period) {
  probes.push_back(thread_cpu_probe(kSamplerCost));
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
  std::unique_lock lock(mutex_);
  while (!wait(lock, pause, [&] { return over_ || ended_ == begun_; })) {
    lock.unlock();
    pause = take(Pass::kBetween);
    lock.lock();
  }
  lock.unlock();
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
  constexpr std::chrono::milliseconds kLate{5};
  const auto due = Clock::now() + pause;
  if (changed_.wait_for(lock, pause, until)) return true;
  if (Clock::now() > due + kLate) late_wakeups_.fetch_add(1, std::memory_order_relaxed);
  return false;
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

void Readings::note(double value) {
  min_ = n_ == 0 ? value : std::min(min_, value);
  max_ = n_ == 0 ? value : std::max(max_, value);
  if (n_ == 0) first_ = value;
  last_ = value;
  sum_ += value;
  ++n_;
}

void Readings::add_growth(const At& before, const At& now) {
  if (now.value < before.value) return;
  const double interval_s = now.s - before.s;
  growth_ += now.value - before.value;
  seconds_ += interval_s;
  if (n_ == 0 || interval_s >= least_interval_s_) note((now.value - before.value) / interval_s);
}

void Readings::add(double now_s, std::optional<double> value) {
  if (!value) return;
  const At now{.s = now_s, .value = *value};
  const bool is_gauge = name_.kind == SourceKind::kGauge;
  if (is_gauge) note(*value);
  if (before_ && now.s <= before_->s) return;
  if (before_ && is_gauge) seconds_ += now.s - before_->s;
  if (before_ && !is_gauge) add_growth(*before_, now);
  before_ = now;
}

std::optional<SourceSummary> Readings::summary() const {
  if (n_ == 0) return std::nullopt;
  SourceSummary summary{.source = name_.source,
                        .device = name_.device,
                        .n = n_,
                        .mean = sum_ / static_cast<double>(n_),
                        .min = min_,
                        .max = max_,
                        .first = first_,
                        .last = last_,
                        .total = std::nullopt,
                        .observed_s = seconds_};
  if (name_.kind == SourceKind::kCounter) {
    summary.total = growth_;
    summary.mean = growth_ / seconds_;
  }
  return summary;
}

}  // namespace scalemark::monitoring
