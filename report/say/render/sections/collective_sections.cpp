// Shows a report's collectives and links.

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/number_words.h"
#include "core/base/words.h"
#include "core/collectives/collective.h"
#include "report/judge/collectives/words.h"
#include "report/record/surety.h"
#include "report/say/render/sections/sweep_sections.h"
#include "report/say/render/text.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

using collectives::Collective;
using Group = CollectiveGroup;

// One size: out of place and in place. One of the two may be missing.
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

// Returns what nccl-tests shows in the columns type, redop and root.
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
  // Intervals are symmetric on a logarithmic scale, so "+- half" of a wide one would reach below 0.
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
  return {column({"size"}, false, lines,
                 [](const Line& line) { return size_text(static_cast<double>(line.bytes)); }),
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

namespace {

std::string size_of(const EffectRecord& effect) {
  const auto bytes = effect.fixed.find("bytes");
  return bytes == effect.fixed.end() || bytes->second == "0" ? kAbsent
                                                             : trait_text("bytes", bytes->second);
}

// Names where the effect was measured, without the size.
std::string place_of(const EffectRecord& effect, const std::vector<EffectRecord>& all) {
  const std::string text =
      where_text(effect, all, [](const std::string& trait, const std::string& value) {
        return trait == "bytes" || trait == "collective" ? "" : trait_text(trait, value);
      });
  const auto collective = effect.fixed.find("collective");
  if (collective == effect.fixed.end()) return text;
  return collective->second + (text.empty() ? "" : ", " + text);
}

bool is_disturbed(const EffectRecord& effect) {
  return effect.verdict == statistics::EffectVerdict::kDisturbed;
}

std::string factor_text(const EffectRecord& effect) {
  if (is_disturbed(effect)) return unknown_text(effect);
  return is_rough(surety_of(effect)) ? two_digits(effect.ratio) : readable(effect.ratio);
}

std::string factor_interval(const EffectRecord& effect) {
  if (is_disturbed(effect)) return kAbsent;
  const std::string instead = effect_interval_instead(effect);
  return instead.empty() ? interval_text(effect.ratio_ci95, readable) : instead;
}

Section collective_effects_section(const std::vector<EffectRecord>& rows) {
  using Row = EffectRecord;
  Section section{"What backends and options give", {}, {}};
  section.columns = {
      column({"with"}, true, rows, [](const Row& e) { return trait_text(e.axis, e.to); }),
      column({"against"}, true, rows, [](const Row& e) { return trait_text(e.axis, e.from); }),
      column({"size"}, false, rows, size_of),
      column({"at"}, true, rows, [&](const Row& e) { return place_of(e, rows); }),
      column({"times", "faster"}, false, rows, factor_text),
      column({"95 %", "interval"}, true, rows, factor_interval),
      numbers({"p"}, rows, &Row::p_holm, p_digits),
      column({"verdict"}, true, rows, [](const Row& e) { return name_of(e.verdict); })};
  section.lines.push_back(
      "time of a call against the other's, paired within repetitions; below 1: slower; p by Holm "
      "over what is compared; real: significant and 2 % or more, none: surely less");
  if (std::string looked = axes_looked_at(rows); !looked.empty()) {
    section.lines.push_back(std::move(looked));
  }
  return section;
}

Section winners_section(const std::vector<CollectiveWinners>& winners) {
  Section section{"Which backend wins", {}, {}};
  for (const CollectiveWinners& one : winners) section.lines.push_back(one.in_words);
  section.lines.push_back(
      "wins: surely faster than each other backend, one-sided 5 % over all "
      "backends and sizes");
  return section;
}

std::string with_half_width(double value, const Bounds& ci95, double scale) {
  std::string text = readable(scale * value);
  if (!ci95) return text;
  return text + " +- " + significant(scale * (*ci95.high - *ci95.low) / 2, 2);
}

std::string series_of(const CollectiveFit& fit, const std::vector<CollectiveFit>& all) {
  std::vector<Traits> places;
  for (const CollectiveFit& one : all) places.push_back(one.fixed);
  Traits alike = fit.fixed;
  alike.erase("backend");
  return series_text(alike, places);
}

Section fits_section(const std::vector<CollectiveFit>& rows) {
  using Row = CollectiveFit;
  Section section{"Latency and bandwidth, fitted", {}, {}};
  section.columns = {
      column({"backend"}, true, rows, [](const Row& f) { return value_at(f.fixed, "backend"); }),
      column({"of"}, true, rows, [&](const Row& f) { return series_of(f, rows); }),
      column({"link"}, true, rows, [](const Row& f) { return f.level.substr(0, 5); }),
      column({"sizes"}, true, rows,
             [](const Row& f) {
               return collectives::to_text({.count = f.from_bytes}) + ".." +
                      collectives::to_text({.count = f.to_bytes});
             }),
      column({"latency", "us"}, false, rows,
             [](const Row& f) { return with_half_width(f.alpha_s, f.alpha_ci95, 1e6); }),
      column({"bandwidth", "GB/s"}, false, rows,
             [](const Row& f) {
               return f.bandwidth_GBps ? with_half_width(*f.bandwidth_GBps, f.bandwidth_ci95, 1)
                                       : kAbsent;
             }),
      numbers({"worst", "error %"}, rows, &Row::worst_relative_error, percent_text)};
  section.lines.push_back(
      "time = messages that follow each other x latency + bytes / bandwidth; intra: links within a "
      "node, inter: between nodes; +- half of the 95 % interval over repetitions");
  return section;
}

}  // namespace

Section links_section(const std::vector<LinkRecord>& rows) {
  using Row = LinkRecord;
  Section section{"Links", {}, {}};
  section.columns = {column({"from"}, true, rows, &Row::first),
                     column({"to"}, true, rows, &Row::second),
                     numbers({"latency", "us"}, rows, &Row::latency_s, in_microseconds),
                     numbers({"bandwidth", "GB/s"}, rows, &Row::bandwidth_GBps, readable)};
  const bool repeated =
      std::ranges::any_of(rows, [](const Row& l) { return bool(l.bandwidth_ci95); });
  if (!repeated) return section;
  section.columns.push_back(column({"95 %", "interval"}, true, rows, [](const Row& l) {
    return interval_text(l.bandwidth_ci95, readable);
  }));
  section.columns.push_back(
      column({"passes"}, false, rows, [](const Row& l) { return std::to_string(l.passes); }));
  section.lines.push_back("means over passes; the interval is the bandwidth's");
  return section;
}

std::vector<Section> collective_sections(const Report& report) {
  std::vector<Section> sections = collective_tables(report.collective_groups);
  if (!report.collective_winners.empty()) {
    sections.push_back(winners_section(report.collective_winners));
  }
  if (!report.effects.empty()) sections.push_back(collective_effects_section(report.effects));
  if (!report.collective_fits.empty()) sections.push_back(fits_section(report.collective_fits));
  if (Section section = not_measured_section(report.collectives); !section.lines.empty()) {
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace scalemark::reporting
