// Do runs that follow each other resemble each other more than others? Then they are no independent
// draws: intervals over them are too narrow, and a drift may be chance. Knows nothing of clocks or
// reports.
#pragma once

#include <optional>
#include <span>

#include "core/statistics/drift.h"

namespace scalemark::statistics {

struct RunCorrelation {
  double lag1 = 0;           // between neighbouring runs, less what the fit itself brings
  bool significant = false;  // one-sided, 5 %
};

// Of the residuals of ln X in time order, once each point's mean and the common slope over time are
// removed (estimate_drift(): a drift is no correlation). Among independent runs the residuals e = M
// x of that fit have E[sum e_i e_i+1 / sum e_i^2] = sum M_i,i+1 / (n - points - 1) exactly, which
// is taken off, and a standard deviation of about 1 / sqrt(n), or less where n is small. Absent
// where estimate_drift() is.
std::optional<RunCorrelation> correlation_of_runs(std::span<const TimedRun> runs);

// By how much the half-width of a point's interval grows when runs at distance d in the order of
// all runs are correlated by lag1^d: its mean varies by V = sum lag1^|i_k - i_l| / R times as much
// as that of independent runs (n_eff = R / V), and s^2 is (R - V) / (R - 1) of the true one in the
// mean. `places` of the R runs, from 2 on. Absent when the runs hold no more than one independent
// value.
std::optional<double> interval_growth(std::span<const double> places, double lag1);

}  // namespace scalemark::statistics
