#include "core/collectives/fit_links.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/statistics/runs.h"
#include "core/statistics/summary.h"

namespace scalemark::collectives {
namespace {

CostTerms allreduce_terms(Layout layout, double bytes) {
  const double within = 2.0 * (layout.ranks_per_node - 1), between = 2.0 * (layout.nodes - 1);
  return {.messages = {within, between},
          .bytes = {within * bytes / layout.ranks_per_node, between * bytes / layout.nodes}};
}

CostTerms half_of(CostTerms terms) {
  for (std::size_t level = 0; level < kLevels; ++level) {
    terms.messages[level] /= 2;
    terms.bytes[level] /= 2;
  }
  return terms;
}

CostTerms chain_terms(Layout layout, double bytes) {
  const double within = layout.ranks_per_node - 1, between = layout.nodes - 1;
  return {.messages = {within, between},
          .bytes = {within > 0 ? bytes : 0, between > 0 ? bytes : 0}};
}

CostTerms gather_terms(Layout layout, double share) {
  const double within = layout.ranks_per_node - 1;
  const double between = layout.ranks_per_node * (layout.nodes - 1);
  return {.messages = {within, between}, .bytes = {within * share, between * share}};
}

CostTerms all_to_all_terms(Layout layout, double share) {
  CostTerms terms = gather_terms(layout, share);
  terms.bytes[kInterNode] *= layout.ranks_per_node;
  return terms;
}

CostTerms shift_terms(Layout layout, double bytes) {
  CostTerms terms;
  const auto level = layout.nodes > 1 ? kInterNode : kIntraNode;
  if (layout.nodes * layout.ranks_per_node > 1) {
    terms.messages[level] = 1;
    terms.bytes[level] = bytes;
  }
  return terms;
}

double doublings(int ranks) { return std::bit_width(static_cast<unsigned>(ranks - 1)); }

}  // namespace

double cost_s(const CostTerms& terms, const Links& links) {
  double cost = 0;
  for (std::size_t level = 0; level < kLevels; ++level) {
    cost +=
        terms.messages[level] * links[level].alpha_s + terms.bytes[level] * links[level].s_per_byte;
  }
  return cost;
}

CostTerms ring_terms(Collective collective, Layout layout, double bytes) {
  const double share = bytes / (layout.nodes * layout.ranks_per_node);
  switch (collective) {
    case Collective::kAllReduce:
      return allreduce_terms(layout, bytes);
    case Collective::kAllGather:
    case Collective::kReduceScatter:
      return half_of(allreduce_terms(layout, bytes));
    case Collective::kBroadcast:
    case Collective::kReduce:
      return chain_terms(layout, bytes);
    case Collective::kGather:
      return gather_terms(layout, share);
    case Collective::kAllToAll:
      return all_to_all_terms(layout, share);
    case Collective::kSendRecv:
      return shift_terms(layout, bytes);
    case Collective::kBarrier:
      return {.messages = {doublings(layout.ranks_per_node), doublings(layout.nodes)}};
  }
  throw bug("a collective without a cost");
}

namespace {

// One equation: the sum of coefficients[j] x[j] should be 1. Two unknowns of each level.
constexpr std::size_t kMostUnknowns = 2 * kLevels;
using Numbers = std::array<double, kMostUnknowns>;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// A column of which less is left depends on the columns before: the rest is rounding.
constexpr double kDependent = 1e-12;

// Plain least squares on the unknowns whose bit is set, the others being 0, by QR (modified
// Gram-Schmidt, Bjorck 1967). Absent where their columns depend on each other: a smaller set does
// as well.
std::optional<Numbers> solve_on(const std::vector<std::vector<double>>& columns, unsigned subset) {
  std::vector<std::size_t> chosen;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (subset >> j & 1u) chosen.push_back(j);
  }
  std::vector<double> target(columns.front().size(), 1.0);
  std::vector<std::vector<double>> q;
  std::array<Numbers, kMostUnknowns> r{};
  Numbers projected{};
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    std::vector<double> rest = columns[chosen[j]];
    const double length = std::sqrt(dot(rest, rest));
    for (std::size_t i = 0; i < j; ++i) {
      r[i][j] = dot(q[i], rest);
      for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= r[i][j] * q[i][k];
    }
    r[j][j] = std::sqrt(dot(rest, rest));
    if (!(r[j][j] > kDependent * length)) return std::nullopt;
    for (double& value : rest) value /= r[j][j];
    projected[j] = dot(rest, target);
    for (std::size_t k = 0; k < rest.size(); ++k) target[k] -= projected[j] * rest[k];
    q.push_back(std::move(rest));
  }
  Numbers x{};
  for (std::size_t j = chosen.size(); j-- > 0;) {
    double sum = projected[j];
    for (std::size_t k = j + 1; k < chosen.size(); ++k) sum -= r[j][k] * x[chosen[k]];
    x[chosen[j]] = sum / r[j][j];
  }
  return x;
}

double squared_error(const std::vector<std::vector<double>>& columns, const Numbers& x) {
  double sum = 0;
  for (std::size_t k = 0; k < columns.front().size(); ++k) {
    double residual = -1;
    for (std::size_t j = 0; j < columns.size(); ++j) residual += columns[j][k] * x[j];
    sum += residual * residual;
  }
  return sum;
}

// The x >= 0 of least squared residuals. Exact: the solution of the constrained problem is the
// plain one on the set of unknowns that are not 0, and every such set is tried.
Numbers non_negative_least_squares(const std::vector<std::vector<double>>& columns) {
  Numbers best{};
  double least = squared_error(columns, best);
  for (unsigned subset = 1; subset < 1u << columns.size(); ++subset) {
    const auto x = solve_on(columns, subset);
    if (!x || std::ranges::any_of(*x, [](double value) { return value < 0; })) continue;
    const double error = squared_error(columns, *x);
    if (error < least) {
      least = error;
      best = *x;
    }
  }
  return best;
}

struct Sample {
  CostTerms terms;
  std::vector<double> seconds;
};

std::vector<Sample> samples_of(std::span<const LinkPoint> points) {
  std::vector<Sample> samples;
  for (const LinkPoint& point : points) {
    if (point.seconds.empty()) throw bug("a point of a link without a time");
    if (point.collective == Collective::kBarrier) continue;
    samples.push_back({ring_terms(point.collective, point.layout, static_cast<double>(point.bytes)),
                       point.seconds});
  }
  return samples;
}

class LinkFitter {
 public:
  explicit LinkFitter(std::vector<Sample> samples) : samples_(std::move(samples)) {
    for (const Sample& sample : samples_) {
      for (std::size_t level = 0; level < kLevels; ++level) {
        largest_[level] = std::max(largest_[level], sample.terms.bytes[level]);
      }
    }
  }

  bool uses(std::size_t level) const { return largest_[level] > 0; }

  // Numbers to be found: two of each level in use.
  std::size_t unknowns() const {
    return static_cast<std::size_t>(
        2 * std::ranges::count_if(largest_, [](double bytes) { return bytes > 0; }));
  }

  // Fits one time of each sample. Bytes are shares of the largest, so that both columns are alike.
  template <class TimeOf>
  Links fit(TimeOf time_of) const {
    std::vector<std::vector<double>> columns;
    for (std::size_t level = 0; level < kLevels; ++level) {
      if (!uses(level)) continue;
      std::vector<double> messages, bytes;
      for (const Sample& sample : samples_) {
        const double seconds = time_of(sample);
        if (!(seconds > 0)) throw bug("a collective took no time");
        messages.push_back(sample.terms.messages[level] / seconds);
        bytes.push_back(sample.terms.bytes[level] / largest_[level] / seconds);
      }
      columns.push_back(std::move(messages));
      columns.push_back(std::move(bytes));
    }
    const Numbers solved = non_negative_least_squares(columns);
    Links links{};
    std::size_t next = 0;
    for (std::size_t level = 0; level < kLevels; ++level) {
      if (!uses(level)) continue;
      links[level] = {.alpha_s = solved[next], .s_per_byte = solved[next + 1] / largest_[level]};
      next += 2;
    }
    return links;
  }

  // Repetitions that every sample has.
  std::size_t repetitions() const {
    std::size_t least = samples_.front().seconds.size();
    for (const Sample& sample : samples_) least = std::min(least, sample.seconds.size());
    return least;
  }

  const std::vector<Sample>& samples() const { return samples_; }

 private:
  std::vector<Sample> samples_;
  std::array<double, kLevels> largest_{};
};

FittedNumber number_of(double value, const std::vector<double>& repetitions) {
  const auto spread = statistics::mean_interval(repetitions);
  if (!spread) return {.value = value, .ci95 = {}};
  const double half = (spread->high - spread->low) / 2;
  return {.value = value, .ci95 = statistics::Interval{std::max(0.0, value - half), value + half}};
}

std::optional<FittedNumber> bandwidth_of(const FittedNumber& s_per_byte) {
  if (!(s_per_byte.value > 0)) return std::nullopt;
  FittedNumber bandwidth{.value = 1e-9 / s_per_byte.value, .ci95 = {}};
  if (s_per_byte.ci95 && s_per_byte.ci95->low > 0) {
    bandwidth.ci95 = {1e-9 / s_per_byte.ci95->high, 1e-9 / s_per_byte.ci95->low};
  }
  return bandwidth;
}

FittedLink link_of(const Links& whole, const std::vector<Links>& repetitions, std::size_t level) {
  std::vector<double> alphas, betas;
  for (const Links& links : repetitions) {
    alphas.push_back(links[level].alpha_s);
    betas.push_back(links[level].s_per_byte);
  }
  FittedLink link{.alpha_s = number_of(whole[level].alpha_s, alphas),
                  .s_per_byte = number_of(whole[level].s_per_byte, betas),
                  .bandwidth_GBps = {}};
  link.bandwidth_GBps = bandwidth_of(link.s_per_byte);
  return link;
}

void add_errors(const LinkFitter& fitter, const Links& links, LinksFit& fit) {
  for (const Sample& sample : fitter.samples()) {
    const double seconds = cost_s(sample.terms, links);
    const double error = std::abs(seconds / statistics::geometric_mean(sample.seconds) - 1);
    fit.worst_relative_error = std::max(fit.worst_relative_error, error);
  }
}

}  // namespace

std::optional<LinksFit> fit_links(std::span<const LinkPoint> points) {
  const LinkFitter fitter(samples_of(points));
  const std::size_t unknowns = fitter.unknowns();
  if (unknowns == 0 || fitter.samples().size() <= unknowns) return std::nullopt;
  const Links whole =
      fitter.fit([](const Sample& sample) { return statistics::geometric_mean(sample.seconds); });
  std::vector<Links> repetitions;
  for (std::size_t k = 0; k < fitter.repetitions(); ++k) {
    repetitions.push_back(fitter.fit([k](const Sample& sample) { return sample.seconds[k]; }));
  }
  LinksFit fit;
  for (std::size_t level = 0; level < kLevels; ++level) {
    if (fitter.uses(level)) fit.links[level] = link_of(whole, repetitions, level);
  }
  add_errors(fitter, whole, fit);
  return fit;
}

}  // namespace scalemark::collectives
