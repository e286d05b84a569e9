#include "core/collectives/fit_links.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/collectives/ring_terms.h"
#include "core/prediction/least_squares.h"
#include "core/statistics/mean_interval.h"

namespace scalemark::collectives {
namespace {

using prediction::CostTerms;
using prediction::kLevels;

struct Sample {
  CostTerms terms;
  std::vector<double> seconds;
};

using Links = std::array<prediction::Link, kLevels>;

double geometric_mean(const std::vector<double>& seconds) {
  double sum = 0;
  for (const double value : seconds) {
    if (!(value > 0)) throw bug("a collective took no time");
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(seconds.size()));
}

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

  // To one time of each sample. Bytes are counted in the largest, so that both columns are alike.
  template <class TimeOf>
  Links fit(TimeOf time_of) const {
    std::vector<prediction::Equation> equations;
    for (const Sample& sample : samples_) {
      equations.push_back(equation(sample.terms, time_of(sample)));
    }
    const auto solved = prediction::non_negative_least_squares(equations);
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
  prediction::Equation equation(const CostTerms& terms, double seconds) const {
    if (!(seconds > 0)) throw bug("a collective took no time");
    prediction::Equation equation{.coefficients = {}, .target = 1};
    for (std::size_t level = 0; level < kLevels; ++level) {
      if (!uses(level)) continue;
      equation.coefficients.push_back(terms.messages[level] / seconds);
      equation.coefficients.push_back(terms.bytes[level] / largest_[level] / seconds);
    }
    return equation;
  }

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
  double sum = 0;
  for (const Sample& sample : fitter.samples()) {
    const double seconds = prediction::cost_s(sample.terms, links);
    const double error = std::abs(seconds / geometric_mean(sample.seconds) - 1);
    fit.worst_relative_error = std::max(fit.worst_relative_error, error);
    sum += error;
  }
  fit.mean_relative_error = sum / static_cast<double>(fitter.samples().size());
}

}  // namespace

std::optional<LinksFit> fit_links(std::span<const LinkPoint> points) {
  const LinkFitter fitter(samples_of(points));
  const std::size_t unknowns = fitter.unknowns();
  if (unknowns == 0 || fitter.samples().size() <= unknowns) return std::nullopt;
  const Links whole =
      fitter.fit([](const Sample& sample) { return geometric_mean(sample.seconds); });
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
