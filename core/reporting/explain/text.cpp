#include "core/base/text.h"

#include <cmath>
#include <numeric>

#include "core/reporting/collectives/words.h"
#include "core/reporting/explain/explain.h"
#include "core/reporting/table/text_table.h"

namespace scalemark::reporting {
namespace {

constexpr std::size_t kWidth = 98;

std::string points_of(double share) { return printed("%.1f", 100 * share); }

std::string interval_of(const Bounds& bounds) {
  if (!bounds.low || !bounds.high) return "-";
  return points_of(*bounds.low) + " .. " + points_of(*bounds.high);
}

std::string times_text(double speedup) {
  return printed(speedup < 9.95 ? "%.2fx" : "%.1fx", speedup);
}

std::string bytes_text(double bytes) { return size_text(static_cast<std::int64_t>(bytes)); }

std::string headline(const Explanation& all) {
  const ScalingRow& row = *all.row;
  std::string text = std::to_string(row.world_size) + " ranks give " +
                     times_text(row.speedup.value()) + " of the " + times_text(all.ideal_speedup) +
                     " that would be ideal: efficiency " + percent(row.efficiency.value());
  if (row.efficiency_ci95_low && row.efficiency_ci95_high) {
    text += " [" + points_of(*row.efficiency_ci95_low) + ", " +
            points_of(*row.efficiency_ci95_high) + "]";
  }
  return text + "\n";
}

std::string measured_as(const Explanation& all) {
  return "  " + all.row->group + "; " + all.table->kind + " scaling, against " +
         all.table->relative_to + "; " + std::to_string(all.blocks) +
         (all.blocks == 1 ? " run" : " runs") +
         (all.row->unsteady_runs
              ? ", " + std::to_string(*all.row->unsteady_runs) + " of them not steady"
              : "") +
         "\n";
}

std::string waterfall(const Explanation& all) {
  if (all.shares.empty()) return {};
  const double missing = all.target - all.row->efficiency.value();
  Column what{{"", "lost to"}, true, {}, false}, times{{"", "x"}, false, {}, false};
  Column share{{"points of", "efficiency"}, false, {}, false};
  Column interval{{"", "95 %"}, true, {}, false};
  Column needed{{"alone, for " + percent(all.target), "at most"}, true, {}, false};
  for (const LostShare& one : all.shares) {
    what.cells.push_back(one.name);
    times.cells.push_back(printed("%+.2f", -one.share * all.ideal_speedup));
    share.cells.push_back(points_of(one.share));
    interval.cells.push_back(interval_of(one.ci95));
    needed.cells.push_back(one.at_most                    ? points_of(*one.at_most)
                           : missing > 0 && one.share > 0 ? "not enough"
                                                          : "-");
  }
  std::vector<Column> columns{what, times, share, interval};
  if (missing > 0) columns.push_back(needed);
  std::string text = "\n" + set_text(columns);
  if (missing <= 0) text += percent(all.target) + " is reached.\n";
  return text;
}

std::string bucket_list(const std::vector<double>& bytes) {
  const double sum = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  return std::to_string(bytes.size()) + (bytes.size() == 1 ? " bucket, " : " buckets, together ") +
         significant(sum / 1e6, 4) + " MB";
}

// Tells how much of the buckets' time backward hides, from where they lie in the step.
std::string overlap_text(const Overlap& overlap) {
  std::string text =
      "backward hides " + percent(overlap.hidden_share) + " of the time that buckets are under way";
  if (overlap.after_backward_s <= 0) return text + ": all end before it does";
  return text + "; " + std::to_string(overlap.buckets - overlap.hidden) + " of " +
         std::to_string(overlap.buckets) + " (" + significant(overlap.unhidden_bytes / 1e6, 4) +
         " MB)" + " end after it, the last one " + duration_text(overlap.after_backward_s) +
         " later";
}

// Compares a step's wait for the network with the network's time by itself.
std::string wait_text(const Explanation& all) {
  if (!all.buckets || !all.buckets->together_s || !all.network_s) return {};
  if (!all.buckets->whole_exchange) return {};
  const double alone = *all.buckets->together_s, seen = *all.network_s;
  if (seen > alone) {
    return "in the step it takes " + duration_text(seen - alone) +
           " longer than by itself: nothing is hidden, and something slows it down";
  }
  return "a step waits for " + percent(seen / alone) + " of that; the rest is hidden";
}

// "1.50 ms shorter", "4.90 ms longer"
std::string change_text(double shorter_s) {
  return duration_text(std::abs(shorter_s)) + (shorter_s < 0 ? " longer" : " shorter");
}

// An interval wider than the step says nothing.
std::string cost_text(const GroupCommunication& cost, const Explanation& all) {
  const Bounds& ci = cost.cost_ci95;
  const bool known = !ci.low || !ci.high || !all.step_s || *ci.high - *ci.low <= *all.step_s;
  if (!known) {
    return "how much shorter it would be without communication is not known (" +
           counted(all.blocks, "run") + ")";
  }
  std::string text = "without communication it would be " + change_text(*cost.cost_s);
  if (ci.low && ci.high) text += " (" + change_text(*ci.low) + " to " + change_text(*ci.high) + ")";
  if (cost.contention_s && *cost.contention_s > 0) {
    text += "; " + duration_text(*cost.contention_s) +
            " of that because it takes cores or bandwidth from the computation";
  }
  return text;
}

std::vector<std::string> communication_lines(const Explanation& all) {
  std::vector<std::string> lines;
  if (all.network_s && all.peer_wait_s && all.step_s) {
    lines.push_back(
        "a step of " + duration_text(*all.step_s) + " waits " + duration_text(*all.network_s) +
        (all.in_one_process ? " for copies between its replicas and " : " for the network and ") +
        duration_text(*all.peer_wait_s) + " for slower ranks");
  }
  if (all.cost && all.cost->cost_s) lines.push_back(cost_text(*all.cost, all));
  if (!all.bucket_bytes.empty()) lines.push_back(bucket_list(all.bucket_bytes));
  if (all.overlap) lines.push_back(overlap_text(*all.overlap));
  if (!all.buckets) return lines;
  std::string sizes;
  for (const BucketTime& size : all.buckets->sizes) {
    sizes += (sizes.empty() ? "" : ", ") +
             (size.buckets > 1 ? std::to_string(size.buckets) + " x " : std::string()) +
             bytes_text(size.bytes) + " " +
             (size.time_s ? duration_text(*size.time_s) : "outside the measured sizes");
  }
  lines.push_back(
      all.buckets->measured_as + " by itself: " + sizes +
      (all.buckets->together_s ? "; together " + duration_text(*all.buckets->together_s) : ""));
  if (const std::string wait = wait_text(all); !wait.empty()) lines.push_back(wait);
  return lines;
}

std::string listed_under(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = "\n" + title + "\n";
  for (const std::string& line : lines) text += list_item(on_one_line(line), kWidth);
  return text;
}

std::string option_text(const Explanation& all) {
  constexpr const char* kTitle = "The option that helped most, of those that were measured";
  if (!all.compares_options) return {};
  if (!all.best_effect) return listed_under(kTitle, {"none: no gain is proven"});
  const EffectRecord& effect = *all.best_effect;
  return listed_under(kTitle,
                      {effect.in_words.empty() ? effect.axis + " " + effect.to + " instead of " +
                                                     effect.from + ": " + times_text(effect.ratio)
                                               : effect.in_words});
}

}  // namespace

std::string explanation_text(const Explanation& all) {
  return headline(all) + measured_as(all) + waterfall(all) +
         listed_under("Communication", communication_lines(all)) +
         listed_under("Proven slow", all.slow) + listed_under("Disturbed", all.disturbed) +
         option_text(all) + listed_under("Not measured", all.missing);
}

}  // namespace scalemark::reporting
