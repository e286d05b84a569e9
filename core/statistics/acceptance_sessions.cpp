#include "core/statistics/acceptance_sessions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr std::size_t kPartsByKeptOut = 16;

std::size_t session_of(const AcceptancePart& part, std::size_t value) {
  return part.sessions.empty() ? 0 : part.sessions[value];
}

std::vector<double> of_session(const AcceptancePart& part, std::size_t session) {
  std::vector<double> values;
  for (std::size_t k = 0; k < part.values.size(); ++k) {
    if (session_of(part, k) == session) values.push_back(part.values[k]);
  }
  return values;
}

// The shift that all values of a later session have in common, found from the parts that show it.
struct Shift {
  double by = 0, error = 0;
};

// `variance` is that of one repetition; the differences vary by it at least.
std::optional<Shift> shift_of(std::span<const AcceptancePart> parts,
                              const std::vector<bool>& is_control, std::size_t session,
                              double variance) {
  std::vector<double> differences;
  double of_noise = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto first = of_session(parts[i], 0), later = of_session(parts[i], session);
    if (!is_control[i] || first.empty() || later.empty() || !are_finite(later)) continue;
    differences.push_back(mean(later) - mean(first));
    of_noise +=
        variance / static_cast<double>(first.size()) + variance / static_cast<double>(later.size());
  }
  const auto count = static_cast<double>(differences.size());
  if (differences.size() < kControlsOfSession) return std::nullopt;
  const double by = mean(differences);
  const double seen = sum_of_squares(differences, by) / (count - 1);
  return Shift{by, std::sqrt(std::max(seen, of_noise / count) / count)};
}

std::vector<ComparedPart> compared_of(std::span<const AcceptancePart> parts, bool only_first) {
  std::vector<ComparedPart> all;
  for (const AcceptancePart& part : parts) {
    ComparedPart& one = all.emplace_back();
    for (std::size_t k = 0; k < part.values.size(); ++k) {
      if (only_first && session_of(part, k) > 0) break;
      one.values.push_back(part.values[k]);
      one.sessions.push_back(session_of(part, k));
    }
  }
  return all;
}

std::set<std::size_t> later_sessions(std::span<const AcceptancePart> parts) {
  std::set<std::size_t> later;
  for (const AcceptancePart& part : parts) {
    later.insert(part.sessions.begin(), part.sessions.end());
  }
  later.erase(0);
  return later;
}

}  // namespace

bool are_finite(Repetitions values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

double ComparedPart::error_of_sessions(std::size_t runs) const {
  double squares = 0;
  for (const auto& [session, error] : errors) {
    const auto from_it = std::ranges::count(std::span(sessions).first(runs), session);
    const double share = error * static_cast<double>(from_it) / static_cast<double>(runs);
    squares += share * share;
  }
  return std::sqrt(squares);
}

std::vector<ComparedPart> as_measured(std::span<const AcceptancePart> parts) {
  return compared_of(parts, /*only_first=*/false);
}

std::vector<ComparedPart> first_session(std::span<const AcceptancePart> parts) {
  return compared_of(parts, /*only_first=*/true);
}

bool has_later_sessions(std::span<const AcceptancePart> parts) {
  return !later_sessions(parts).empty();
}

void keep_out(std::vector<ComparedPart>& parts, double limit) {
  std::vector<std::pair<double, std::size_t>> means;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto first = static_cast<std::size_t>(std::ranges::count(parts[i].sessions, 0U));
    if (first == 0 || !are_finite(parts[i].values)) continue;
    means.emplace_back(mean(std::span(parts[i].values).first(first)), i);
  }
  std::ranges::sort(means, std::greater<>());
  for (std::size_t beyond = means.size() / kPartsByKeptOut; beyond > 0; --beyond) {
    if (means[beyond - 1].first - means[beyond].first <= -limit) continue;
    for (std::size_t k = 0; k < beyond; ++k) parts[means[k].second].kept_out = true;
    return;
  }
}

void add_later_sessions(std::span<const AcceptancePart> parts, const std::vector<bool>& passed,
                        double variance, std::vector<ComparedPart>& compared) {
  std::vector<bool> measured;
  for (const ComparedPart& part : compared) {
    measured.push_back(!part.values.empty() && are_finite(part.values));
  }
  for (const std::size_t session : later_sessions(parts)) {
    const bool of_all = std::ranges::all_of(parts, [&](const AcceptancePart& part) {
      return part.values.empty() || !of_session(part, session).empty();
    });
    const auto shift = shift_of(parts, of_all ? measured : passed, session, variance);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (const double value : of_session(parts[i], session)) {
        if (!shift) {
          compared[i].lacks_controls = true;
          continue;
        }
        compared[i].values.push_back(value - shift->by);
        compared[i].sessions.push_back(session);
        compared[i].errors[session] = shift->error;
      }
    }
  }
}

}  // namespace scalemark::statistics
