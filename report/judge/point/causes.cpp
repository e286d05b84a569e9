#include "report/judge/point/causes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "core/machine/machine_numbers.h"
#include "core/machine/telemetry/host_probes.h"
#include "report/judge/point/cause_finder.h"
#include "report/record/finding_kinds.h"
#include "report/record/point_facts.h"

namespace scalemark::reporting {
namespace {

namespace kinds = finding_kinds;

// Below these shares of the step, counters of a healthy machine differ as much.
constexpr double kHeldShare = 0.02, kFaultOfRank = 0.05;

// Where the time of one rank's step went that is its own, in seconds.
struct OwnTimes {
  const RankRecord* rank = nullptr;
  double own = 0, data = 0;
  double quota = 0, queued = 0, stopped = 0, paged = 0;
  double queued_in_exchange = 0;
  double queued_in_all() const { return queued + queued_in_exchange; }
  double without_data() const { return std::max(0.0, own - data); }
  double held() const { return quota + queued + stopped + paged; }
};

// A page that a rank's own thread had to wait for is seen as time in which it neither ran nor
// queued. A quota is seen as time in the queue, too.
OwnTimes times_of(const RankRecord& rank, const PointRecord& point) {
  constexpr double kFewFaults = 0.5;
  OwnTimes times{.rank = &rank,
                 .own = rank.own_mean_s.value_or(rank.step_s.mean),
                 .data = rank.data_wait_s.value_or(0)};
  if (!rank.scheduling) return times;
  const Scheduling& got = *rank.scheduling;
  const double step_s = whole_step_s(point);
  times.stopped = std::min(got.stopped_s.value_or(0), step_s);
  if (times.stopped < kHeldShare * step_s) times.stopped = 0;
  if (point.device != "cpu") return times;
  times.quota = std::min(got.throttled_s.value_or(0), step_s);
  times.queued = std::max(0.0, got.queued_s.value_or(0) - times.quota);
  // Threads of the exchange are taken to wait for a CPU as often as the one that computes.
  const CommunicationTimes& exchange = point.communication;
  if (exchange.network_s && exchange.alone_s && got.ran_s && times.queued > 0) {
    times.queued_in_exchange = std::max(0.0, *exchange.network_s - *exchange.alone_s) *
                               times.queued / (times.queued + *got.ran_s);
  }
  if (got.ran_s && rank.own_mean_s && got.major_faults.value_or(0) >= kFewFaults) {
    times.paged = std::max(
        0.0, times.own - times.data - *got.ran_s - times.quota - times.queued - times.stopped);
  }
  return times;
}

std::vector<OwnTimes> times_of_ranks(const PointRecord& point) {
  std::vector<OwnTimes> all;
  for (const RankRecord& rank : peers_of(point)) all.push_back(times_of(rank, point));
  return all;
}

// Returns the lower median over the ranks but `without`; 0 without any.
template <class Number>
double usual(const std::vector<OwnTimes>& ranks, const Number& number,
             const RankRecord* without = nullptr) {
  std::vector<double> values;
  for (const OwnTimes& one : ranks) {
    if (one.rank != without) values.push_back(std::invoke(number, one));
  }
  if (values.empty()) return 0;
  const auto middle = values.begin() + (std::ssize(values) - 1) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Returns what a rank computes in a step when nothing holds it up, as most do.
double computed_s(const std::vector<OwnTimes>& ranks) {
  return std::max(0.0, usual(ranks, &OwnTimes::without_data) - usual(ranks, &OwnTimes::held));
}

// Finds what the ranks do in their own time, and what keeps them from it.
class OwnCauses {
 public:
  OwnCauses(CauseFinder& finder, std::vector<OwnTimes> ranks)
      : finder_(finder), ranks_(std::move(ranks)), step_s_(finder.step_s()) {
    const PointRecord& point = finder.point();
    for (const OwnTimes& one : ranks_) own_s_ = std::max(own_s_, one.own);
    own_s_ = point.own_mean_of_step_max_s.value_or(own_s_);
    find_data();
    find_held(&OwnTimes::quota, &OwnCauses::add_quota);
    find_held(&OwnTimes::queued_in_all, &OwnCauses::add_queue);
    find_held(&OwnTimes::stopped, &OwnCauses::add_stops);
    find_held(&OwnTimes::paged, &OwnCauses::add_pages);
    find_steal();
    find_slow_rank();
    find_jitter();
  }

  double own_s() const { return own_s_; }
  double data_s() const { return data_s_; }
  // How long ranks were held up beyond what their own times show, so within exchanges.
  double held_in_exchange_s() const { return std::max(0.0, held_s_ - held_in_own_s_); }

 private:
  // One rank that has far more of something than the others is named, else the host.
  struct Most {
    const OwnTimes& times;
    bool of_one;
    FindingPlace place() const {
      if (!of_one) return {.host = times.rank->host};
      return {.rank = times.rank->rank, .host = times.rank->host};
    }
    AllNamed values() const { return of_one ? AllNamed{{"of_one", 1}} : AllNamed{}; }
  };
  template <class Number>
  Most most_of(const Number& number) const {
    const auto& most = *std::ranges::max_element(ranks_, {}, number);
    const double others = usual(ranks_, number, most.rank);
    return {most,
            ranks_.size() > 1 && std::invoke(number, most) > 2 * others + kLeastCause * step_s_};
  }

  void find_data() {
    const PointRecord& point = finder_.point();
    if (!point.compute_samples_per_sec || ranks_.empty()) return;
    const double samples =
        static_cast<double>(point.samples) / static_cast<double>(point.iterations);
    data_s_ = std::max(0.0, step_s_ - samples / *point.compute_samples_per_sec);
    const Most most = most_of(&OwnTimes::data);
    const RankRecord& rank = *most.times.rank;
    AllNamed values = most.values();
    values.emplace_back("rank_ms", kMs * most.times.data);
    values.emplace_back("others_ms", kMs * usual(ranks_, &OwnTimes::data, &rank));
    if (const Finding* wait = finder_.find(kinds::data_wait)) {
      const auto why = wait->words.find("why");
      if (why != wait->words.end() && !most.of_one) values.emplace_back("why", why->second);
    }
    const double faults = rank.scheduling ? rank.scheduling->major_faults.value_or(0) : 0;
    if (faults >= 1) values.emplace_back("faults", faults);
    const auto pressure = finder_.mean_of_host(monitoring::kPressureMemory, rank.host);
    const bool is_short_of_memory = faults >= 1 && pressure.value_or(0) >= kHeldShare;
    if (is_short_of_memory) values.emplace_back("pressure", pressure);
    finder_.add(is_short_of_memory ? kinds::paging : kinds::slow_data, data_s_, values,
                most.place());
  }

  template <class Number, class Add>
  void find_held(Number number, Add add) {
    if (ranks_.empty()) return;
    const Most most = most_of(number);
    const double seconds = std::invoke(number, most.times);
    if (seconds < kHeldShare * step_s_) return;
    held_s_ += seconds;
    (this->*add)(most, seconds);
  }

  void add_quota(const Most& most, double seconds) {
    AllNamed values = most.values();
    values.emplace_back("cpus", most.times.rank->cpu_limit);
    finder_.add(kinds::quota, seconds, values, most.place());
  }

  // Others can have had no more than the time that they used, in equal shares of the ranks of a
  // machine. The rest is the ranks' own: threads of the exchange and of loaders had the CPU, which
  // is no fault.
  void add_queue(const Most& most, double seconds) {
    const PointRecord& point = finder_.point();
    const RankRecord& rank = *most.times.rank;
    const Finding* threads = finder_.find(kinds::too_many_threads);
    if (threads && rank.cpu_limit.value_or(point.threads) >= point.threads)
      return finder_.add(kinds::crowded, seconds, {{"told", threads->text}}, most.place());
    const auto beside = std::ranges::count(point.ranks, rank.host, &RankRecord::host);
    const double others =
        finder_.find(kinds::shared) ? finder_.mean_of_host(kOtherCpus, rank.host).value_or(0) : 0;
    const double theirs_s = std::min(
        seconds, others * step_s_ /
                     (most.of_one ? 1 : static_cast<double>(std::max<std::ptrdiff_t>(1, beside))));
    AllNamed values = most.values();
    finder_.add(kinds::queued, seconds - theirs_s, values, most.place(), {.is_fault = false});
    values.emplace_back("others", others);
    finder_.add(kinds::queued, theirs_s, values, most.place());
  }

  void add_stops(const Most& most, double seconds) {
    AllNamed values = most.values();
    values.emplace_back("stopped", seconds / step_s_);
    const double others_s = usual(ranks_, &OwnTimes::stopped, most.times.rank);
    if (most.of_one) values.emplace_back("others_stopped", others_s / step_s_);
    finder_.add(kinds::stopped, seconds, values, most.place());
  }

  void add_pages(const Most& most, double seconds) {
    const RankRecord& rank = *most.times.rank;
    AllNamed values = most.values();
    values.emplace_back("faults", rank.scheduling->major_faults);
    values.emplace_back("pressure", finder_.mean_of_host(monitoring::kPressureMemory, rank.host));
    constexpr double kGib = 1 << 30;
    if (const auto limit = rank.memory_limit_bytes)
      values.emplace_back("limit_gib", static_cast<double>(*limit) / kGib);
    finder_.add(kinds::paging, seconds, values, most.place());
  }

  // The ranks of a machine lose in equal shares as much as its hypervisor takes.
  void find_steal() {
    finder_.each_reading(monitoring::kStealCpus, [&](const TelemetryRecord& record) {
      const monitoring::Host* host = finder_.host(record.host);
      if (!host || host->cores.logical <= 0) return;
      const double seconds = step_s_ * record.values.mean / host->cores.logical;
      if (seconds < kHeldShare * step_s_) return;
      held_s_ += seconds;
      finder_.add(kinds::stolen, seconds,
                  {{"steal", record.values.mean}, {"cpus", host->cores.logical}},
                  FindingPlace{.host = record.host});
    });
  }

  // Returns by how much a rank's own time is longer than the median of the others (of two: than the
  // other one's), less what it is held up more than they are. It may be held up within exchanges,
  // so that no rank is slow because another one is held up and has the same own time.
  double longer_s(const OwnTimes& one) const {
    const double held_more_s = one.held() - usual(ranks_, &OwnTimes::held, one.rank);
    return one.without_data() - std::max(0.0, held_more_s) -
           usual(ranks_, &OwnTimes::without_data, one.rank);
  }

  void find_slow_rank() {
    if (ranks_.size() < 2) return;
    const Summary& steps = finder_.point().step_s;
    const auto& most = *std::ranges::max_element(
        ranks_, {}, [this](const OwnTimes& one) { return longer_s(one); });
    const double others_s = usual(ranks_, &OwnTimes::without_data, most.rank);
    slow_s_ = std::max(0.0, longer_s(most));
    AllNamed values{{"own_ms", kMs * (others_s + slow_s_)}, {"others_ms", kMs * others_s}};
    add_longest_phase(*most.rank, values);
    const auto ran_s = [](const OwnTimes& one) {
      return one.rank->scheduling ? one.rank->scheduling->ran_s.value_or(0) : 0;
    };
    if (finder_.point().device == "cpu" && ran_s(most) > 0) {
      values.emplace_back("ran_ms", kMs * ran_s(most));
      values.emplace_back("others_ran_ms", kMs * usual(ranks_, ran_s, most.rank));
    }
    // The kernel's work on pages is the rank's own time, too.
    const auto faults = [](const OwnTimes& one) {
      return one.rank->scheduling ? one.rank->scheduling->major_faults.value_or(0) : 0;
    };
    constexpr double kFar = 10;
    if (faults(most) >= 1 && faults(most) > kFar * usual(ranks_, faults, most.rank)) return;
    constexpr double kErrors = 3 * 1.4142135623730951;  // a difference has the errors of two means
    const double error_s = steps.stdev.value_or(0) /
                           std::sqrt(static_cast<double>(std::max<std::int64_t>(1, steps.n)));
    finder_.add(kinds::slow_rank, slow_s_, values,
                FindingPlace{.rank = most.rank->rank, .host = most.rank->host},
                {.is_fault = slow_s_ >= kFaultOfRank * others_s && slow_s_ >= kErrors * error_s});
  }

  void add_longest_phase(const RankRecord& rank, AllNamed& values) const {
    if (!rank.phases_s) return;
    const NamedPhase* longest = nullptr;
    double most_s = 0;
    for (const NamedPhase& named : kPhases) {
      const bool waits =
          named.phase == &Phases::exposed_communication || named.phase == &Phases::data_wait;
      const auto of = [&](const OwnTimes& one) {
        return one.rank->phases_s ? (*one.rank->phases_s).*named.phase : 0;
      };
      const double longer_s = (*rank.phases_s).*named.phase - usual(ranks_, of, &rank);
      if (waits || (longest && longer_s <= most_s)) continue;
      longest = &named;
      most_s = longer_s;
    }
    const double phase_s = (*rank.phases_s).*longest->phase;
    values.emplace_back("phase", longest->name);
    values.emplace_back("phase_ms", kMs * phase_s);
    values.emplace_back("phase_others_ms", kMs * (phase_s - most_s));
  }

  // Ranks take turns by what is left of the longest own times when all that is known of single
  // ranks is taken off.
  void find_jitter() {
    const PointRecord& point = finder_.point();
    const double beyond_s = own_s_ - data_s_ - computed_s(ranks_);
    held_in_own_s_ = std::max(0.0, beyond_s - slow_s_);
    if (!point.own_max_of_rank_means_s || !point.own_mean_of_step_max_s) return;
    const double turns_s = *point.own_mean_of_step_max_s - *point.own_max_of_rank_means_s;
    finder_.add(kinds::jitter, std::min(turns_s, held_in_own_s_ - held_s_), {});
  }

  CauseFinder& finder_;
  std::vector<OwnTimes> ranks_;
  double step_s_;
  double own_s_ = 0;  // the slowest rank of each step has it
  double data_s_ = 0, slow_s_ = 0;
  double held_s_ = 0, held_in_own_s_ = 0;
};

}  // namespace

std::vector<CauseRecord> causes_of(const PointRecord& point, const CauseContext& context) {
  if (point.status != PointStatus::kOk || !(whole_step_s(point) > 0)) return {};
  CauseFinder finder(point, context);
  const OwnCauses own(finder, times_of_ranks(point));
  find_link_causes(finder, own.held_in_exchange_s());
  find_device_causes(finder, own.own_s(), own.data_s());
  find_level_change(finder);
  return finder.take();
}

std::vector<StepPart> step_parts(const PointRecord& point) {
  const double step_s = whole_step_s(point);
  if (!point.phases_s) return {{"a step as a whole", step_s}};
  const Phases& phases = *point.phases_s;
  const CommunicationTimes& times = point.communication;
  const bool is_split = times.network_s && times.peer_wait_s;
  const double slow_s = is_split && point.own_max_of_rank_means_s && point.own_mean_s
                            ? *point.own_max_of_rank_means_s - *point.own_mean_s
                            : 0;
  std::vector<StepPart> all{
      {"waiting for data", phases.data_wait},
      {"copies to the device", phases.host_to_device},
      {"forward", phases.forward},
      {"backward", phases.backward},
      {"optimizer", phases.optimizer},
      {"waiting for a slower rank", slow_s},
      {"waiting for ranks in turn", is_split ? *times.peer_wait_s - slow_s : 0},
      {is_split ? "exchange" : "exchange and waiting for ranks",
       is_split ? *times.network_s : phases.exposed_communication}};
  double rest_s = step_s;
  for (const StepPart& part : all) rest_s -= part.seconds;
  all.push_back({"other", rest_s});
  std::erase_if(all, [](const StepPart& part) { return part.seconds == 0; });
  return all;
}

double unexplained_s(const PointRecord& point, std::span<const CauseRecord> causes) {
  double rest_s = whole_step_s(point) - computed_s(times_of_ranks(point));
  for (const CauseRecord& cause : causes) rest_s -= cause.seconds;
  return std::max(0.0, rest_s);
}

}  // namespace scalemark::reporting
