#include "core/settings/near_match.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace scalemark::settings {
namespace {

constexpr std::size_t kLongestWord = 80;  // longer words get no match; bounds the work
constexpr std::size_t kShortestPart = 4;  // "iter" may name "iters", "o" names nothing

std::string comparable(std::string_view word) {
  std::string text(word);
  std::ranges::replace(text, '-', '_');
  return text;
}

std::size_t allowed_edits(std::size_t length) { return std::clamp<std::size_t>(length / 3, 1, 4); }

// One letter off in a word of three is often another word: 'gpu' is no typo of 'cpu'.
bool plausible(std::string_view a, std::string_view b) {
  return std::max(a.size(), b.size()) > 3 || a.front() == b.front();
}

bool one_contains_other(std::string_view a, std::string_view b) {
  if (std::min(a.size(), b.size()) < kShortestPart) return false;
  return a.find(b) != std::string_view::npos || b.find(a) != std::string_view::npos;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  const std::string wanted = comparable(word);
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : candidates) {
    const std::string known = comparable(candidate);
    const std::size_t distance = edit_distance(wanted, known);
    const bool near = distance <= allowed_edits(std::max(wanted.size(), known.size())) ||
                      one_contains_other(wanted, known);
    if (near && plausible(wanted, known) && (!best || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates,
                         std::string_view prefix) {
  const auto near = nearest(word, candidates);
  if (!near) return {};
  return "did you mean '" + std::string(prefix) + std::string(*near) + "'?";
}

}  // namespace scalemark::settings
