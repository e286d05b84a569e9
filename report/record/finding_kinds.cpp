#include "report/record/finding_kinds.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "core/base/number_words.h"

namespace scalemark::reporting {
namespace {

constexpr FindingKind kAll[] = {
#define SCALEMARK_FINDING(code, ...) finding_kinds::code,
#include "report/record/cause_list.inc"
#include "report/record/finding_list.inc"
#undef SCALEMARK_FINDING
};

constexpr std::string_view kLeastEnding = "_least", kMostEnding = "_most";

bool has_scope(const Finding& finding, FindingScope scope) {
  const FindingKind* kind = find_finding_kind(finding.code);
  return kind && kind->scope == scope;
}

std::string name_of_range(std::string_view name) {
  for (const std::string_view end : {kLeastEnding, kMostEnding}) {
    if (name.ends_with(end)) name.remove_suffix(end.size());
  }
  return std::string(name);
}

// `largest` decides how many digits both ends of a range have.
std::string number_text(double value, std::string_view format, double largest) {
  if (format.empty()) {
    return std::trunc(value) == value ? with_decimals(value, 0) : significant(value, 6);
  }
  if (format == "%") return percent(value);
  if (format == "~") return with_decimals(value, largest < 1 ? 2 : 1);
  const int digits = format.back() - '0';
  if (format.front() == 's') return significant(value, digits);
  const bool is_signed = format.front() == '+';
  const bool is_share = format[is_signed ? 1 : 0] == 'p';
  const double shown = is_share ? 100 * value : value;
  return is_signed ? with_sign(shown, digits) : with_decimals(shown, digits);
}

}  // namespace

// Reads a template from its begin to its end.
class Wording::Filler {
 public:
  Filler(const Wording& with, std::string_view pattern) : with_(with), rest_(pattern) {}

  // Fills in the template up to a character of `ends`. Returns nothing where a value is missing.
  std::optional<std::string> until(std::string_view ends) {
    std::string text;
    bool whole = true;
    while (!rest_.empty() && ends.find(rest_.front()) == std::string_view::npos) {
      const char next = rest_.front();
      rest_.remove_prefix(1);
      if (next == '[') {
        text += alternatives();
      } else if (next == '{') {
        const auto value = placeholder();
        whole = whole && value;
        text += value.value_or("");
      } else {
        text += next;
      }
    }
    return whole ? std::optional(text) : std::nullopt;
  }

 private:
  std::string alternatives() {
    std::optional<std::string> chosen;
    for (char end = '|'; end == '|';) {
      const auto one = until("|]");
      if (!chosen) chosen = one;
      end = rest_.empty() ? ']' : rest_.front();
      if (!rest_.empty()) rest_.remove_prefix(1);
    }
    return chosen.value_or("");
  }

  std::optional<std::string> placeholder() {
    const std::size_t end = rest_.find('}');
    std::string_view name = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end, rest_.size() - 1) + 1);
    const bool is_demand = name.starts_with('+');
    if (is_demand) name.remove_prefix(1);
    const std::size_t at = std::min(name.find_first_of(":#?"), name.size());
    const std::string_view how = name.substr(at);
    name = name.substr(0, at);
    const auto word = with_.words_.find(name);
    const auto number = with_.numbers_.find(name);
    if (word == with_.words_.end() && number == with_.numbers_.end()) return std::nullopt;
    if (is_demand) return "";
    return word != with_.words_.end() ? word->second : shown(number->second, how);
  }

  static std::string shown(const std::pair<double, double>& range, std::string_view how) {
    const auto [low, high] = range;
    const char kind = how.empty() ? ':' : how.front();
    how.remove_prefix(how.empty() ? 0 : 1);
    if (kind == '?') {
      const std::size_t other = how.find('/');
      return std::string(high == 1 ? how.substr(0, other) : how.substr(other + 1));
    }
    const std::string_view format = kind == '#' ? "" : how;
    std::string text = number_text(low, format, high);
    const std::string most = number_text(high, format, high);
    if (text != most) text += " to " + most;
    return kind == '#' ? text + " " + std::string(how) + (high == 1 ? "" : "s") : text;
  }

  const Wording& with_;
  std::string_view rest_;
};

void Wording::add(const Named& one) {
  if (!one.word.empty()) words_.emplace(one.name, one.word);
  if (!one.number) return;
  for (const std::string& name : {one.name, name_of_range(one.name)}) {
    auto& [low, high] =
        numbers_.try_emplace(name, std::pair(*one.number, *one.number)).first->second;
    low = std::min(low, *one.number);
    high = std::max(high, *one.number);
  }
}

void Wording::add_made(const auto& made) {
  for (const auto& [name, value] : made.values) add({name.c_str(), value});
  for (const auto& [name, word] : made.words) add({name.c_str(), word});
  add({"text", made.text});
  if (!made.place) return;
  if (made.place->rank) add({"rank", std::to_string(*made.place->rank)});
  add({"host", made.place->host});
  add({"device", made.place->device});
  add({"link", made.place->link});
}

void Wording::add_finding(const Finding& finding) { add_made(finding); }

Wording::Wording(const CauseRecord& cause) { add_made(cause); }

std::optional<std::string> Wording::filled(std::string_view pattern) const {
  return Filler(*this, pattern).until("");
}

std::span<const FindingKind> all_finding_kinds() { return kAll; }

const FindingKind* find_finding_kind(std::string_view code) {
  const auto found = std::ranges::find(kAll, code, &FindingKind::code);
  return found == std::end(kAll) ? nullptr : found;
}

FindingRole role_of(std::string_view code) {
  const FindingKind* kind = find_finding_kind(code);
  return kind ? kind->role : FindingRole::kRemark;
}

bool is_brief(const FindingKind& kind) {
  return kind.code == std::string_view(finding_kinds::others_unknown.code);
}

const FindingKind* more_severe(const FindingKind* a, const FindingKind* b) {
  if (!a || !b) return a ? a : b;
  return std::pair(is_brief(*a), a) < std::pair(is_brief(*b), b) ? a : b;
}

const FindingKind& disturbance_in(const std::string& words) {
  const FindingKind* said = nullptr;
  for (const FindingKind& kind : kAll) {
    const std::string code = std::string(kind.code) + ":";
    const bool is_said = words.starts_with(code) || words.find("; " + code) != std::string::npos;
    if (is_said && kind.role == FindingRole::kDisturbs) said = more_severe(said, &kind);
  }
  return said ? *said : *find_finding_kind(finding_kinds::shared.code);
}

const FindingKind* naming(RankVerdict verdict) {
  switch (verdict) {
    case RankVerdict::kStraggler:
      return &finding_kinds::straggler;
    case RankVerdict::kSlower:
      return &finding_kinds::ranks_unequal;
    case RankVerdict::kIntermittent:
      return &finding_kinds::straggler_intermittent;
    case RankVerdict::kSlowerAtTimes:
      return &finding_kinds::ranks_take_turns;
    default:
      return nullptr;
  }
}

bool names(const Finding& finding, const Straggler& rank) {
  const FindingKind* kind = naming(rank.verdict);
  if (!kind || finding.code != kind->code) return false;
  if (rank.verdict == RankVerdict::kSlowerAtTimes) return true;  // one finding names both ranks
  const auto& place = finding.place;
  return place && place->rank == rank.rank && place->host == rank.host &&
         place->device == rank.device;
}

Finding make_finding(const FindingKind& kind, std::string point, const AllNamed& values,
                     std::optional<FindingPlace> place) {
  Finding finding{.code = kind.code,
                  .severity = kind.severity,
                  .point = std::move(point),
                  .domain = std::string(name_of(kind.domain)),
                  .place = std::move(place)};
  Wording wording(finding);
  for (const Named& one : values) {
    wording.add(one);
    if (one.number && std::isfinite(*one.number)) finding.values.emplace(one.name, *one.number);
    if (!one.word.empty()) finding.words.emplace(one.name, one.word);
  }
  finding.text = wording.filled(kind.text).value_or(kind.said_when);
  return finding;
}

void merge_values(Finding& finding, const Finding& more) {
  const auto keep = [&](const std::string& name, double value) {
    const auto [found, is_new] = finding.values.emplace(name, value);
    if (is_new) return;
    if (name.ends_with(kLeastEnding)) found->second = std::min(found->second, value);
    if (name.ends_with(kMostEnding)) found->second = std::max(found->second, value);
  };
  for (const auto& [name, value] : more.values) {
    keep(name, value);
    const double first = finding.values.at(name);
    if (first == value || name_of_range(name) != name) continue;
    keep(name + std::string(kLeastEnding), std::min(first, value));
    keep(name + std::string(kMostEnding), std::max(first, value));
  }
  finding.words.insert(more.words.begin(), more.words.end());
}

std::string brief_text(const Finding& finding) {
  const FindingKind* kind = find_finding_kind(finding.code);
  const std::string_view brief = kind ? kind->brief : "";
  return brief.empty() ? finding.text : Wording(finding).filled(brief).value_or(finding.text);
}

bool is_of_sweep(const Finding& finding) { return has_scope(finding, FindingScope::kOfSweep); }

bool is_of_collectives(const Finding& finding) {
  return has_scope(finding, FindingScope::kOfCollectives);
}

}  // namespace scalemark::reporting
