// Medians of all values of a sample but one's own: how far a rank is from the others. Sorting the
// others anew for each of n would take the time of n^2 values.
#pragma once

#include <cstddef>
#include <vector>

namespace scalemark::statistics {

// From so many parts on one may be called slow. Of two each is all that the other is compared with:
// one is slower, and neither can be said to be at fault.
inline constexpr std::size_t kPartsToBlame = 3;

class Others {
 public:
  explicit Others(std::vector<double> sample);

  // median() and spread_by_median() of the sample without `own`: values of it, each as often as it
  // is left out, and not all. The time grows with the number of these and with ln n.
  double median(std::vector<double> own) const;
  double spread_by_median(std::vector<double> own) const;

 private:
  std::vector<double> sorted_;
};

}  // namespace scalemark::statistics
