#include <algorithm>
#include <tuple>
#include <utility>

#include "core/collectives/collective.h"
#include "core/reporting/collectives/words.h"
#include "core/reporting/record/surety.h"
#include "core/reporting/render/sections/sweep_sections.h"
#include "core/reporting/render/text.h"

namespace scalemark::reporting {
namespace {

using collectives::Collective;
using Group = CollectiveGroup;

// One size: out of place and in place, of which one may be missing.
struct Line {
  std::int64_t bytes = 0;
  const Group* out_of_place = nullptr;
  const Group* in_place = nullptr;
  const Group& any() const { return out_of_place ? *out_of_place : *in_place; }
};
using Lines = std::vector<Line>;
using Block = const Group* Line::*;

auto series_of(const Group& g) {
  return std::tie(g.collective, g.dtype, g.backend, g.via, g.device, g.staging, g.world_size,
                  g.nodes, g.placement, g.overlap_compute, g.congestion);
}

void add(Lines& lines, const Group& group) {
  auto line = std::ranges::find(lines, group.bytes, &Line::bytes);
  if (line == lines.end()) line = lines.insert(lines.end(), Line{.bytes = group.bytes});
  (group.in_place ? line->in_place : line->out_of_place) = &group;
}

std::vector<Lines> tables_of(const std::vector<Group>& groups) {
  std::vector<Lines> tables;
  for (const Group& group : groups) {
    const auto same = [&](const Lines& table) {
      return series_of(table.front().any()) == series_of(group);
    };
    auto table = std::ranges::find_if(tables, same);
    if (table == tables.end()) table = tables.insert(tables.end(), Lines{});
    add(*table, group);
  }
  for (Lines& table : tables) std::ranges::sort(table, {}, &Line::bytes);
  return tables;
}

bool has(const Lines& lines, Block block) {
  return std::ranges::any_of(lines, [&](const Line& line) { return line.*block != nullptr; });
}

// The words that nccl-tests has columns for: type, redop, root.
std::string kind_text(const Group& g) {
  std::string text(name_of(g.collective));
  if (g.collective == Collective::kBarrier) return text;
  text += ", " + std::string(name_of(g.dtype));
  if (collectives::is_reduction(g.collective)) text += ", sum";
  const bool has_root = g.collective == Collective::kBroadcast ||
                        g.collective == Collective::kReduce || g.collective == Collective::kGather;
  return has_root ? text + ", root " + std::to_string(collectives::kRoot) : text;
}

std::string title_of(const Lines& lines) {
  const Group& g = lines.front().any();
  std::string text = kind_text(g) + ", " + g.backend + " via " + std::string(name_of(g.via)) +
                     ", " + trait_text("world_size", std::to_string(g.world_size)) + ", " +
                     g.device;
  if (g.staging != collectives::Staging::kNone) {
    text += " staged through the " + std::string(name_of(g.staging));
  }
  if (g.nodes > 1) text += ", " + std::to_string(g.nodes) + " nodes";
  if (g.nodes > 1 && !g.placement.empty()) text += ", placement " + g.placement;
  if (g.overlap_compute) text += ", beside compute";
  if (g.congestion) text += ", with congestion";
  if (has(lines, &Line::in_place) && has(lines, &Line::out_of_place)) return text;
  if (g.collective == Collective::kBarrier) return text;
  return text + (g.in_place ? ", in place" : ", out of place");
}

template <class Text>
Column block_column(std::vector<std::string> head, const Lines& lines, Block block, Text text) {
  return column(std::move(head), false, lines,
                [&](const Line& line) { return line.*block ? text(*(line.*block)) : kAbsent; });
}

std::string time_text(const Group& g) {
  const auto& [time, ci95] = g.time_s;
  if (!time && g.standing.is_withheld()) return held_text(g.standing, "");
  if (!time) return g.status_counts.empty() ? kAbsent : g.status_counts.begin()->first;
  const Surety surety = surety_of(g);
  if (is_disturbed(g.standing)) return held_text(g.standing, two_digits(1e6 * *time));
  if (!ci95) return in_microseconds(*time);
  const std::string instead = instead_of_interval(surety, g.n);
  if (!instead.empty()) return two_digits(1e6 * *time) + " (" + instead + ")";
  // Intervals are symmetric on a logarithmic scale: half of a wide one would reach below 0.
  if (surety == Surety::kWide) {
    return two_digits(1e6 * *time) + " (" + interval_text(ci95, in_microseconds) + ")";
  }
  return in_microseconds(*time) + " +- " + in_microseconds((*ci95.high - *ci95.low) / 2);
}

std::string wrong_text(const Group& g) { return g.wrong ? std::to_string(*g.wrong) : kAbsent; }

void add_measured(std::vector<Column>& columns, const Lines& lines, Block block,
                  const std::string& head) {
  columns.push_back(block_column({head, "us"}, lines, block, time_text));
  if (lines.front().any().collective == Collective::kBarrier) return;
  columns.push_back(block_column({"algbw", "GB/s"}, lines, block, [](const Group& g) {
    return or_absent(g.algbw_GBps.value, readable);
  }));
  columns.push_back(block_column({"busbw", "GB/s"}, lines, block, [](const Group& g) {
    return or_absent(g.busbw_GBps.value, readable);
  }));
  columns.push_back(block_column({"#wrong"}, lines, block, wrong_text));
}

void add_latencies(std::vector<Column>& columns, const Lines& lines, Block block,
                   const std::string& prefix) {
  const std::pair<const char*, OverRuns Group::*> quantiles[] = {{"p50", &Group::latency_p50_s},
                                                                 {"p95", &Group::latency_p95_s},
                                                                 {"p99", &Group::latency_p99_s}};
  for (const auto& one : quantiles) {
    const auto quantile = one.second;
    columns.push_back(block_column(
        {prefix + one.first, "us"}, lines, block,
        [quantile](const Group& g) { return or_absent((g.*quantile).value, in_microseconds); }));
  }
  const bool any_expected = std::ranges::any_of(
      lines, [&](const Line& line) { return line.*block && (line.*block)->expected_share.value; });
  if (!any_expected) return;
  columns.push_back(block_column({"of what is", "expected %"}, lines, block, [](const Group& g) {
    return or_absent(g.expected_share.value, percent_text);
  }));
}

std::vector<Column> size_columns(const Lines& lines) {
  if (lines.front().any().collective == Collective::kBarrier) return {};
  return {column({"size", "B"}, false, lines,
                 [](const Line& line) { return std::to_string(line.bytes); }),
          column({"count", "elements"}, false, lines, [](const Line& line) {
            return std::to_string(line.bytes / bytes_of(line.any().dtype));
          })};
}

std::vector<std::string> expected_lines(const Lines& lines) {
  std::vector<std::string> texts;
  for (const Line& line : lines) {
    const Group& g = line.any();
    if (!g.expected_busbw_GBps) continue;
    std::string text = "expected: " + bandwidth_text(*g.expected_busbw_GBps) +
                       (g.expected_source.empty() ? "" : ", " + g.expected_source);
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  return texts;
}

void add_sections(const Lines& lines, std::vector<Section>& sections) {
  Section section{title_of(lines), size_columns(lines), {}};
  if (!has(lines, &Line::in_place) || !has(lines, &Line::out_of_place)) {
    const Block block = has(lines, &Line::in_place) ? &Line::in_place : &Line::out_of_place;
    add_measured(section.columns, lines, block, "time");
    add_latencies(section.columns, lines, block, "");
    section.lines = expected_lines(lines);
    sections.push_back(std::move(section));
    return;
  }
  add_measured(section.columns, lines, &Line::out_of_place, "out of place");
  add_measured(section.columns, lines, &Line::in_place, "in place");
  Section latency{"Latency: " + section.title, size_columns(lines), expected_lines(lines)};
  add_latencies(latency.columns, lines, &Line::out_of_place, "out ");
  add_latencies(latency.columns, lines, &Line::in_place, "in ");
  sections.push_back(std::move(section));
  sections.push_back(std::move(latency));
}

}  // namespace

std::vector<Section> collective_tables(const std::vector<CollectiveGroup>& groups) {
  std::vector<Section> sections;
  for (const Lines& lines : tables_of(groups)) add_sections(lines, sections);
  if (sections.empty()) return sections;
  sections.back().lines.push_back(
      "time: of one call in a back-to-back loop, mean over ranks and repetitions, +- half of its "
      "95 % interval; p50, p95, p99: of isolated calls, slowest rank of each; GB/s: 1e9 bytes per "
      "second");
  return sections;
}

}  // namespace scalemark::reporting
