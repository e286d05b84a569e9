#include "tests/report/sample_slices.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/text.h"
#include "core/catalogue/strategy.h"

namespace scalemark::reporting {
namespace {

// A baseline and its rows have everything in common but sizes, ranks and communication.
std::map<std::string, std::string> common_part(const PointRecord& p) {
  std::map<std::string, std::string> fixed = {{"workload", p.workload},
                                              {"device", p.device},
                                              {"precision", p.precision},
                                              {"memory_format", p.memory_format},
                                              {"threads", std::to_string(p.threads)},
                                              {"data", p.data}};
  if (!p.task.empty()) fixed["task"] = p.task;
  if (p.image_size) fixed["image_size"] = std::to_string(*p.image_size);
  if (p.sequence_length) fixed["sequence_length"] = std::to_string(*p.sequence_length);
  if (p.activation_checkpointing == true) fixed["activation_checkpointing"] = "on";
  if (p.stochastic_depth.value_or(0) > 0) {
    fixed["stochastic_depth"] = printed("%g", *p.stochastic_depth);
  }
  if (p.fused_layers == false) fixed["fused_layers"] = "off";
  if (p.cuda_graphs == true) fixed["cuda_graphs"] = "on";
  return fixed;
}

bool is_alone(const PointRecord& p) { return !catalogue::exchanges(p.strategy); }

// The settings of communication that a row fixes; a point without communication has none.
auto communication_part(const PointRecord& p) {
  return std::tie(p.strategy, p.overlap, p.gradient_compression, p.backend, p.bucket_cap_mb);
}

bool same_size(const PointRecord& a, const PointRecord& b, const std::string& kind) {
  if (kind == "weak") {
    return a.batch_size == b.batch_size &&
           a.gradient_accumulation_steps == b.gradient_accumulation_steps;
  }
  if (a.global_batch_size != b.global_batch_size) return false;
  return kind == "strong-by-batch" ? a.gradient_accumulation_steps == b.gradient_accumulation_steps
                                   : a.batch_size == b.batch_size;
}

void set_size(std::map<std::string, std::string>& fixed, const PointRecord& p,
              const std::string& kind) {
  if (kind != "weak") fixed["global_batch_size"] = std::to_string(p.global_batch_size);
  if (kind != "strong-by-batch" && p.batch_size) {
    fixed["batch_size"] = std::to_string(*p.batch_size);
  }
  if (kind != "strong-by-accumulation" && p.gradient_accumulation_steps) {
    fixed["gradient_accumulation_steps"] = std::to_string(*p.gradient_accumulation_steps);
  }
}

void set_communication(std::map<std::string, std::string>& fixed, const PointRecord& p) {
  fixed["strategy"] = p.strategy;
  fixed["backend"] = p.backend;
  fixed["overlap"] = p.overlap ? "on" : "off";
  fixed["gradient_compression"] = p.gradient_compression;
}

struct Candidate {
  SliceGroups slice;
  std::set<int> world_sizes;  // rows that communicate, and the baseline, have them
};

// The slice that contains `first`, from the points in `all`: one point per group.
Candidate slice_around(const PointRecord& first, const RunsOf<PointRecord>& all,
                       const std::string& kind) {
  Candidate found{{.kind = kind, .fixed = common_part(first), .baseline = ""}, {}};
  set_size(found.slice.fixed, first, kind);
  set_communication(found.slice.fixed, first);
  for (const PointRecord* p : all) {
    if (common_part(*p) != common_part(first) || !same_size(*p, first, kind)) continue;
    if (is_alone(*p) && p->world_size == 1) {
      found.slice.baseline = p->group;
      found.world_sizes.insert(1);
    } else if (is_alone(*p)) {
      found.slice.rows.push_back(p->group);
    } else if (communication_part(*p) == communication_part(first)) {
      found.slice.rows.push_back(p->group);
      found.world_sizes.insert(p->world_size);
    }
  }
  return found;
}

bool holds(const std::vector<SliceGroups>& slices, const std::string& group,
           const std::string& kind) {
  return std::ranges::any_of(slices, [&](const SliceGroups& slice) {
    return (kind.empty() || slice.kind == kind) &&
           std::ranges::find(slice.rows, group) != slice.rows.end();
  });
}

}  // namespace

std::vector<SliceGroups> slices_of(std::span<const PointRecord> points) {
  RunsOf<PointRecord> firsts;
  for (const auto& group : runs_by_group(points)) firsts.push_back(&group.first());

  std::vector<SliceGroups> slices;
  for (const std::string kind : {"weak", "strong-by-batch", "strong-by-accumulation"}) {
    const std::vector<SliceGroups> earlier = slices;
    for (const PointRecord* first : firsts) {
      if (is_alone(*first)) continue;
      if (holds(slices, first->group, kind) || holds(earlier, first->group, "")) continue;
      Candidate found = slice_around(*first, firsts, kind);
      if (found.world_sizes.size() >= 2) slices.push_back(std::move(found.slice));
    }
  }
  return slices;
}

void summarise(Report& report, SummaryOptions options) {
  if (options.slices.empty()) options.slices = slices_of(report.points);
  for (const PointRecord& point : report.points)
    options.launched_ranks = std::max(options.launched_ranks, point.world_size);
  summarise_sweep(report, options);
}

}  // namespace scalemark::reporting
