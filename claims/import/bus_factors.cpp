// Holds the numbers of nccl-tests' rows against each other: algbw is bytes over time, and busbw is
// algbw times a factor of the collective and the number of ranks. So rows without a list of ranks
// say what they are of.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "claims/import/log_text.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/collectives/bandwidth.h"

namespace scalemark::importing {
namespace {

using collectives::Collective;

constexpr int kMostRanks = 1 << 16;

// The numbers that a printed text can be rounded from.
struct Digits {
  double low = 0, high = 0;
  bool meets(const Digits& other) const { return low <= other.high && other.low <= high; }
};

Digits digits_of(const std::string& text) {
  const double value = number_at(text).value_or(0);
  const std::size_t point = text.find('.');
  const auto decimals = point == std::string::npos ? 0 : text.size() - point - 1;
  // A hair more than half a unit, since the sums behind it are rounded, too.
  const double half = 0.501 * std::pow(10.0, -static_cast<double>(decimals));
  return {std::max(0.0, value - half), value + half};
}

Digits quotient(const Digits& a, const Digits& b) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  return {a.low / b.high, b.low > 0 ? a.high / b.low : kNone};
}

Digits factor_of(const PrintedRow& row) {
  return quotient(digits_of(row.busbw), digits_of(row.algbw));
}

std::vector<Exchange> exchanges_of(const Digits& factor) {
  std::vector<Exchange> found;
  for (const auto& [collective, name] : words_of(Collective())) {
    Exchange one{std::string(name), 0, 0};
    for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
      const auto own = collectives::bus_factor(collective, ranks);
      if (!own || *own < factor.low || *own > factor.high) continue;
      if (one.least == 0) one.least = ranks;
      one.most = ranks;
    }
    if (one.least > 0) found.push_back(one);
  }
  return found;
}

std::string ranks_in_words(const Exchange& one) {
  if (one.most >= kMostRanks)
    return one.least == 1 ? "any number" : std::to_string(one.least) + " or more";
  const std::string least = std::to_string(one.least), most = std::to_string(one.most);
  if (least == most) return least;
  return least + (one.most == one.least + 1 ? " or " : " to ") + most;
}

// "all-reduce on 71 or 72", "all-gather, reduce-scatter, gather, all-to-all on 8".
std::string exchanges_in_words(const std::vector<Exchange>& exchanges) {
  std::vector<std::pair<std::string, std::string>> groups;  // ranks, collectives
  for (const Exchange& one : exchanges) {
    const std::string ranks = ranks_in_words(one);
    if (groups.empty() || groups.back().first != ranks)
      groups.emplace_back(ranks, one.collective);
    else
      groups.back().second += ", " + one.collective;
  }
  std::vector<std::string> texts;
  for (const auto& [ranks, names] : groups) texts.push_back(names + " on " + ranks);
  return joined(texts, "; ");
}

std::vector<Exchange> those_that_fit(std::vector<Exchange> exchanges, const published::Row& row) {
  std::erase_if(exchanges, [&](const Exchange& one) {
    return (row.collective && *row.collective != one.collective) ||
           (row.gpus && (*row.gpus < one.least || *row.gpus > one.most));
  });
  return exchanges;
}

// nccl-tests have collectives of which no factor is known here.
bool has_factor(const published::Row& row) {
  return !row.collective || find_word<Collective>(*row.collective);
}

std::string said(const published::Row& row) {
  std::string text = row.collective ? "collective=" + *row.collective : "";
  if (row.gpus) text += (text.empty() ? "" : ",") + ("gpus=" + std::to_string(*row.gpus));
  return text;
}

}  // namespace

bool fits(const PrintedRow& row) {
  // Programs compute both from one time. What is off by less hides no error that matters.
  constexpr double kSlack = 1.05;
  const double kilobytes = static_cast<double>(row.bytes) / 1e3;
  const Digits rate = quotient({kilobytes / kSlack, kilobytes * kSlack}, digits_of(row.time_us));
  return rate.meets(digits_of(row.algbw));
}

void find_exchanges(const std::vector<PrintedRow>& rows, Log& log) {
  std::vector<const PrintedRow*> sorted;
  for (const PrintedRow& row : rows) {
    if (!fits(row))
      contradict(log, row.line,
                 grouped(static_cast<double>(row.bytes)) + " bytes in " + row.time_us +
                     " us are not the " + row.algbw + " GB/s of algbw");
    if (digits_of(row.algbw).low > 0) sorted.push_back(&row);
  }
  if (sorted.empty() || !has_factor(log.says)) return;
  const auto middle = [](const PrintedRow* row) {
    const Digits factor = factor_of(*row);
    return factor.low + factor.high;
  };
  const auto half = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, half, {}, middle);
  const PrintedRow& usual = **half;
  Digits factor = factor_of(usual);
  for (const PrintedRow& row : rows) {
    const Digits own = factor_of(row);
    if (own.meets(factor))
      factor = {std::max(own.low, factor.low), std::min(own.high, factor.high)};
    else
      contradict(log, row.line,
                 "busbw " + row.busbw + " over algbw " + row.algbw +
                     " is another ratio than that of line " + std::to_string(usual.line));
  }
  log.exchanges = exchanges_of(factor);
  if (!those_that_fit(log.exchanges, log.says).empty()) return;
  if (!log.exchanges.empty() && !said(log.says).empty())
    contradict(log, usual.line,
               "busbw / algbw is that of " + exchanges_in_words(log.exchanges) + ", and it says " +
                   said(log.says));
  log.exchanges.clear();
}

void hold_against_exchanges(const Log& log, published::Row& row, const std::string& where) {
  if (log.exchanges.empty() || !has_factor(row)) return;
  const auto fitting = those_that_fit(log.exchanges, row);
  if (fitting.empty())
    throw configuration("--fields gives " + said(row) + ", and by its busbw / algbw " + where +
                            " is of " + exchanges_in_words(log.exchanges),
                        "leave out what contradicts, or give what is there");
  const Exchange& first = fitting.front();
  if (fitting.size() == 1) row.collective = first.collective;
  const bool same = std::ranges::all_of(fitting, [&](const Exchange& one) {
    return one.least == first.least && one.most == first.least;
  });
  if (same) row.gpus = first.least;
}

}  // namespace scalemark::importing
