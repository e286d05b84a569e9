#include <algorithm>

#include "core/base/number_words.h"
#include "core/base/words.h"
#include "core/collectives/collective.h"
#include "core/reporting/collectives/words.h"
#include "core/reporting/record/surety.h"
#include "core/reporting/render/sections/not_measured.h"
#include "core/reporting/render/sections/sweep_sections.h"
#include "core/reporting/render/text.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

std::string size_of(const EffectRecord& effect) {
  const auto bytes = effect.fixed.find("bytes");
  return bytes == effect.fixed.end() || bytes->second == "0" ? kAbsent
                                                             : trait_text("bytes", bytes->second);
}

// Where it holds, but for the size.
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
