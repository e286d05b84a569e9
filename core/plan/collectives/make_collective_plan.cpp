#include "core/plan/collectives/make_collective_plan.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/catalogue/backends.h"
#include "core/catalogue/workload.h"
#include "core/collectives/collective.h"
#include "core/plan/collectives/collective_plan.h"
#include "core/plan/collectives/support.h"
#include "core/plan/plan.h"
#include "core/settings/processes.h"
#include "core/settings/reader.h"

namespace scalemark::planning {

namespace {

constexpr std::int64_t kFirstBucket = (std::int64_t{1} << 20) / 4;  // elements of float32
constexpr std::int64_t kBucket = 25 * kFirstBucket;

}  // namespace

std::vector<collectives::MessageSize> gradient_sizes(std::string_view workload) {
  const catalogue::Workload* found = catalogue::find_workload(workload);
  if (!found) return {};
  const std::int64_t all = found->parameters(catalogue::resolved_shape(*found, {}));
  std::set<std::int64_t> counts{all, std::min(all, kFirstBucket)};
  const std::int64_t rest = all - std::min(all, kFirstBucket);
  if (rest >= kBucket) counts.insert(kBucket);
  if (rest % kBucket > 0) counts.insert(rest % kBucket);
  std::vector<collectives::MessageSize> sizes;
  for (const std::int64_t count : counts) sizes.push_back({.count = count, .elements = true});
  return sizes;
}

namespace {

using collectives::MessageSize;
using settings::CommSettings;
using settings::Problem;

class CollectivePlanMaker {
 public:
  explicit CollectivePlanMaker(const CollectivePlanRequest& request) : request_(request) {
    answer_.comm = request.asked.comm;
    answer_.plan = {.world_size = static_cast<int>(request.node_of_rank.size()),
                    .repetitions = request.asked.comm.repetitions,
                    .retries = request.asked.comm.retries,
                    .seed = request.seed,
                    .device = request.device,
                    .points = {},
                    .health = asks_for(request.asked.comm.checks, settings::Check::kHealth),
                    .notes = request.asked.notes};
  }

  CollectivePlanAnswer run() {
    decide_world_sizes();
    decide_backends();
    if (request_.asked.comm.pairs) return pairs_only();
    decide_sizes();
    refuse_too_many_points();
    if (!answer_.problems.empty()) return std::move(answer_);
    for (const auto collective : answer_.comm.collectives) add_sizes({.collective = collective});
    note_equal_placements();
    refuse_a_plan_without_runs();
    return std::move(answer_);
  }

 private:
  // Plans pairs over the first backend that can send between them.
  CollectivePlanAnswer pairs_only() {
    std::string why = "no backend of this program serves the device";
    for (const std::string& backend : answer_.comm.backends) {
      const auto missing = request_.missing_backends.find(backend);
      if (missing == request_.missing_backends.end() && serves(backend, request_.device)) {
        answer_.plan.pairs = PairPlan{
            .backend = backend,
            .passes = answer_.comm.repetitions,
            .by = answer_.comm.pair_by,
            .seed = request_.seed,
            .pass = count_links(request_.node_of_rank, answer_.comm.pair_by, request_.seed),
            .divisions = divisions_over(backend)};
        break;
      }
      if (missing != request_.missing_backends.end()) why = missing->second;
    }
    if (!answer_.plan.pairs) {
      answer_.problems.push_back({"pairs", "on", why, origin_of("pairs"), ""});
    } else if (answer_.plan.world_size < 2) {
      answer_.problems.push_back({"pairs", "on", "one rank has no link", origin_of("pairs"),
                                  "start 2 ranks or more, with --nproc-per-node 2"});
    }
    answer_.comm.collectives.clear();
    answer_.comm.sizes.clear();
    return std::move(answer_);
  }

  // NCCL refuses two ranks on one GPU.
  int divisions_over(const std::string& backend) const {
    if (shared_gpu({.backend = backend, .members = all_ranks()})) return 0;
    return static_cast<int>(drawn_parts(request_.node_of_rank, request_.seed).size());
  }

  std::vector<int> all_ranks() const {
    std::vector<int> ranks(request_.node_of_rank.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
  }

  std::string origin_of(const char* option) const {
    return value_at(request_.asked.own, option).origin;
  }

  void decide_world_sizes() {
    auto& sizes = answer_.comm.world_sizes;
    const int launched = answer_.plan.world_size;
    if (sizes.empty()) sizes = {launched};
    if (sizes.back() <= launched) return;
    answer_.problems.push_back(
        {"world_sizes", std::to_string(sizes.back()),
         "at most " + std::to_string(launched) + ", the ranks that are launched",
         origin_of("world_sizes"), "start more ranks, or leave it out"});
  }

  void decide_backends() {
    auto& backends = answer_.comm.backends;
    if (!backends.empty()) return;
    for (const std::string_view name : catalogue::backend_names()) {
      const bool missing = request_.missing_backends.contains(std::string(name));
      if (serves(name, request_.device) && !missing) backends.emplace_back(name);
    }
  }

  // Puts the sizes of --sizes first.
  void decide_sizes() {
    auto& sizes = answer_.comm.sizes;
    for (const std::string& workload : answer_.comm.sizes_of) {
      for (const MessageSize& size : gradient_sizes(workload)) {
        if (std::ranges::count(sizes, size) == 0) sizes.push_back(size);
      }
    }
  }

  void refuse_too_many_points() {
    const CommSettings& comm = answer_.comm;
    double count = 1;
    for (const std::size_t values :
         {comm.collectives.size(), comm.sizes.size(), comm.dtypes.size(), comm.backends.size(),
          comm.vias.size(), std::max<std::size_t>(1, comm.in_place.size()),
          comm.overlap_compute.size(), comm.congestion.size(), comm.world_sizes.size(),
          comm.placements.size()}) {
      count *= static_cast<double>(values);
    }
    if (count <= static_cast<double>(settings::kMostPoints)) return;
    answer_.problems.push_back(
        {"", with_decimals(count, 0) + " points",
         "one comm measures at most " + std::to_string(settings::kMostPoints), "",
         "shorten a list, or make several runs"});
  }

  void add_sizes(CollectivePoint point) {
    for (const MessageSize& size : answer_.comm.sizes) {
      for (const auto dtype : answer_.comm.dtypes) {
        point.dtype = dtype;
        for (const std::string& backend : answer_.comm.backends) {
          point.backend = backend;
          add_ways(point, size);
        }
      }
    }
  }

  std::vector<bool> places_of(collectives::Collective collective) const {
    const bool is_barrier = collective == collectives::Collective::kBarrier;
    if (!is_barrier && !answer_.comm.in_place.empty()) return answer_.comm.in_place;
    return {usually_in_place(collective)};
  }

  void add_ways(CollectivePoint point, const MessageSize& size) {
    for (const auto via : answer_.comm.vias) {
      point.via = via;
      for (const bool in_place : places_of(point.collective)) {
        point.in_place = in_place;
        for (const bool overlap : answer_.comm.overlap_compute) {
          point.overlap_compute = overlap;
          for (const bool congestion : answer_.comm.congestion) {
            point.congestion = congestion;
            add_ranks(point, size);
          }
        }
      }
    }
  }

  void add_ranks(CollectivePoint point, const MessageSize& size) {
    for (const int world_size : answer_.comm.world_sizes) {
      point.world_size = world_size;
      std::set<std::vector<int>> seen;
      for (const auto placement : answer_.comm.placements) {
        point.placement = placement;
        point.members = members(world_size, request_.node_of_rank, placement);
        if (seen.insert(point.members).second) {
          add(point, size);
        } else {
          equal_placements_.insert(world_size);
        }
      }
    }
  }

  void add(CollectivePoint point, const MessageSize& size) {
    const auto measured = collectives::measured_elements(
        point.collective, collectives::elements_of(size, point.dtype), point.dtype,
        point.world_size);
    point.elements = measured.value_or(0);
    point.group = point_name(point, measured ? collectives::to_text({.count = point.bytes()})
                                             : collectives::to_text(size));
    if (!groups_.insert(point.group).second) return;
    point.skipped = why_skipped(point, measured.has_value());
    answer_.plan.points.push_back(std::move(point));
  }

  std::optional<std::string> why_skipped(const CollectivePoint& point, bool large_enough) const {
    if (point.world_size < 2) return "one rank has nobody to exchange with";
    const auto missing = request_.missing_backends.find(point.backend);
    if (missing != request_.missing_backends.end()) return missing->second;
    if (auto lack = lack_of({.collective = point.collective,
                             .backend = point.backend,
                             .via = point.via,
                             .device = request_.device,
                             .in_place = point.in_place})) {
      return lack;
    }
    if (auto shared = shared_gpu(point)) return shared;
    if (!large_enough) {
      return "too small: each of " + std::to_string(point.world_size) +
             " ranks would have less than one element";
    }
    return too_large(point);
  }

  std::optional<std::string> shared_gpu(const CollectivePoint& point) const {
    if (!catalogue::needs_one_rank_per_gpu(point.backend)) return std::nullopt;
    const int ranks = most_on_a_node(point.members, request_.node_of_rank);
    if (ranks <= request_.gpus_per_node) return std::nullopt;
    return counted(ranks, "rank") + " on " + counted(request_.gpus_per_node, "GPU") + ": " +
           point.backend + " takes one rank per GPU";
  }

  std::optional<std::string> too_large(const CollectivePoint& point) const {
    if (!request_.memory_available_bytes) return std::nullopt;
    const auto needed = static_cast<std::uint64_t>(buffer_bytes(point));
    if (needed <= *request_.memory_available_bytes) return std::nullopt;
    return "its buffers need " + size_text(needed) + ", and a rank has " +
           size_text(*request_.memory_available_bytes);
  }

  void note_equal_placements() {
    for (const int world_size : equal_placements_) {
      answer_.plan.notes.push_back("both placements give the same " + counted(world_size, "rank") +
                                   "; they are measured once");
    }
  }

  void refuse_a_plan_without_runs() {
    const auto& points = answer_.plan.points;
    if (std::ranges::any_of(points, [](const auto& point) { return !point.skipped; })) return;
    if (points.empty()) {
      answer_.problems.push_back(
          {"backend", "auto",
           "no backend of this program serves --device " + std::string(name_of(request_.device)),
           origin_of("backend"), "`scalemark doctor` says what is missing"});
      return;
    }
    const bool too_few_ranks = answer_.plan.world_size < 2;
    answer_.problems.push_back(
        {"", counted(std::ssize(points), "point"),
         "none of them can be measured; the first, " + points.front().group + ": " +
             *points.front().skipped,
         "",
         too_few_ranks ? "start 2 ranks or more, with --nproc-per-node 2 on this machine" : ""});
  }

  const CollectivePlanRequest& request_;
  std::set<std::string> groups_;
  std::set<int> equal_placements_;  // world sizes
  CollectivePlanAnswer answer_;
};

}  // namespace

CollectivePlanAnswer make_collective_plan(const CollectivePlanRequest& request) {
  return CollectivePlanMaker(request).run();
}

int ranks_wanted(const settings::CommRequest& asked, const settings::Machine& machine) {
  if (!asked.comm.world_sizes.empty()) return asked.comm.world_sizes.back();
  const bool cuda = !machine.gpus.empty() && value_at(asked.common, "device").text != "cpu";
  return cuda ? static_cast<int>(machine.gpus.size()) * settings::nodes_in(asked.common) : 2;
}

std::vector<std::string> used_backends(const CollectivePlan& plan) {
  std::vector<std::string> backends;
  if (plan.pairs) backends.push_back(plan.pairs->backend);
  for (const CollectivePoint& point : plan.points) {
    if (point.skipped || std::ranges::count(backends, point.backend) > 0) continue;
    backends.push_back(point.backend);
  }
  return backends;
}

}  // namespace scalemark::planning
