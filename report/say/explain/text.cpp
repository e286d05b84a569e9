// Writes an explanation of lost efficiency on one screen.

#include "core/base/text.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/terminal.h"
#include "report/judge/collectives/words.h"
#include "report/record/point_facts.h"
#include "report/record/surety.h"
#include "report/say/explain/explain.h"
#include "report/say/table/text_table.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

// Advice is given from this share of efficiency on.
constexpr double kWorthIt = 0.01;

std::string interval_of(const Bounds& bounds, int blocks) {
  if (!bounds) return kAbsent;
  if (!is_known_share(bounds)) return not_known(blocks, "run");
  return interval_text(bounds, percent_text);
}

std::string headline(const Explanation& all) {
  const ScalingRow& row = *all.row;
  if (!all.withheld.empty()) {
    return "what " + counted(row.world_size, "rank") + " give is withheld: " + all.withheld;
  }
  return scaling_in_words(row);
}

std::string measured_as(const Explanation& all) {
  return all.row->group + "; " + all.table->kind + " scaling, against " +
         baseline_text(*all.table) + "; " + counted(all.blocks, "run") +
         (all.row->unsteady_runs
              ? ", " + std::to_string(*all.row->unsteady_runs) + " of them not steady"
              : "");
}

// Writes how small each part would have to be for the target, where that alone is enough.
std::vector<std::string> target_lines(const Explanation& all) {
  const double missing = all.target - all.row->efficiency.value();
  const std::string target = "the target of " + percent(all.target) + " (--target)";
  if (missing <= 0) return {target + " is reached"};
  std::vector<std::string> lines;
  for (const LostShare& one : all.shares) {
    if (!one.at_most) continue;
    lines.push_back("for " + target + " it would suffice that \"" + one.name + "\" cost " +
                    percent_text(*one.at_most) + " points instead of " + percent_text(one.share));
  }
  if (lines.empty()) {
    lines.push_back(target + " is " + percent_text(missing) +
                    " points away, more than any one cause takes");
  }
  return lines;
}

Section causes(const Explanation& all) {
  if (all.shares.empty()) return {};
  using Share = LostShare;
  std::vector<Column> columns{
      column({"where it went"}, true, all.shares, [](const Share& one) { return one.name; }),
      column({"speed-up"}, false, all.shares,
             [&](const Share& one) { return with_sign(-one.share * all.ideal_speedup, 2); }),
      numbers({"points of", "efficiency"}, all.shares, &Share::share, percent_text),
      column({"95 %"}, true, all.shares,
             [&](const Share& one) { return interval_of(one.ci95, all.blocks); })};
  columns[1].may_go = true;
  return {"", std::move(columns), target_lines(all)};
}

Section advice(const Explanation& all) {
  Section section{"What to do", {}, {}};
  if (!all.withheld.empty()) {
    section.lines.push_back("stop what disturbed the runs, then measure again" +
                            (all.next.command.empty() ? "" : ": " + all.next.command));
    section.lines.push_back("scalemark report DIR --withheld shows the numbers, each marked");
    return section;
  }
  for (const LostShare& one : all.shares) {
    if (one.share >= kWorthIt) section.lines.push_back(std::string(one.name) + ": " + one.advice);
  }
  if (!all.next.command.empty()) {
    section.lines.push_back(std::string(all.next.when) + ": " + all.next.command);
  }
  return section;
}

std::string bucket_list(const std::vector<double>& bytes) {
  const double sum = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  return std::to_string(bytes.size()) + (bytes.size() == 1 ? " bucket, " : " buckets, together ") +
         size_text(sum);
}

// Writes how much of the buckets' time backward hides.
std::string overlap_text(const Overlap& overlap) {
  std::string text =
      "backward hides " + percent(overlap.hidden_share) + " of the time that buckets are under way";
  if (overlap.after_backward_s <= 0) return text + ": all end before it does";
  return text + "; " + std::to_string(overlap.buckets - overlap.hidden) + " of " +
         std::to_string(overlap.buckets) + " (" + size_text(overlap.unhidden_bytes) +
         ") end after it, the last one " + duration_text(overlap.after_backward_s) + " later";
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

// Writes "1.50 ms shorter" or "4.90 ms longer".
std::string change_text(double shorter_s) {
  return duration_text(std::abs(shorter_s)) + (shorter_s < 0 ? " longer" : " shorter");
}

// An interval wider than the step does not show how sure the number is.
std::string cost_text(const GroupCommunication& cost, const Explanation& all) {
  const Bounds& ci = cost.cost_ci95;
  const bool known = !ci || !all.step_s || *ci.high - *ci.low <= *all.step_s;
  if (!known) {
    return "without communication it would be about " + change_text(*cost.cost_s) +
           ", how surely is " + not_known(all.blocks, "run");
  }
  std::string text = "without communication it would be " + change_text(*cost.cost_s);
  if (ci) text += " (" + change_text(*ci.low) + " to " + change_text(*ci.high) + ")";
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
             size_text(size.bytes) + " " +
             (size.time_s ? duration_text(*size.time_s) : "outside the measured sizes");
  }
  lines.push_back(
      all.buckets->measured_as + " by itself: " + sizes +
      (all.buckets->together_s ? "; together " + duration_text(*all.buckets->together_s) : ""));
  if (const std::string wait = wait_text(all); !wait.empty()) lines.push_back(wait);
  return lines;
}

Section best_option(const Explanation& all) {
  Section section{"The option that helped most, of those that were measured", {}, {}};
  if (!all.compares_options) return section;
  section.lines = {all.best_effect ? all.best_effect->in_words : "none: no gain is proven"};
  return section;
}

}  // namespace

std::string explanation_text(const Explanation& all, const Terminal& terminal) {
  const auto width = text_width(terminal);
  std::string text = wrapped(headline(all), width, 2);
  text.pop_back();  // the line end is not to be bold
  text = inked(terminal, Ink::kBold, text) + "\n" + wrapped(measured_as(all), width, 4, "  ");
  if (!all.quoting.empty()) text += wrapped(all.quoting, width, 4, "  ");
  for (const Section& section :
       {Section{"Disturbed", {}, all.disturbed}, causes(all), advice(all),
        Section{"Communication", {}, communication_lines(all)},
        Section{"Proven slow", {}, all.slow.proven}, Section{"Slower, of two", {}, all.slow.of_two},
        best_option(all), Section{"Not measured", {}, all.missing}}) {
    if (section.columns.empty() && section.lines.empty()) continue;
    text += "\n" + section_text(section, terminal);
  }
  return text;
}

std::vector<std::string> explanation_in_brief(const Explanation& all) {
  std::vector<std::string> lines{"against " + baseline_text(*all.table) + ": " + headline(all)};
  if (!all.withheld.empty()) return lines;
  if (const std::string parts = waterfall_in_words(*all.row); !parts.empty()) {
    lines.push_back(parts);
  } else if (all.shares.empty() && !all.missing.empty()) {
    lines.push_back(all.missing.front());
  }
  return lines;
}

}  // namespace scalemark::reporting
