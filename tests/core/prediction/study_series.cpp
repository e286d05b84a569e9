#include "tests/core/prediction/study_series.h"

#include "core/published/library.h"
#include "core/published/series.h"

namespace scalemark::prediction {

std::vector<PublishedSeries> published_series(const std::string& root) {
  std::vector<PublishedSeries> all;
  const auto rows = published::read_library(root + "/results/published");
  for (const published::Series& series : published::scaling_series(rows, kFewestPoints + 1)) {
    PublishedSeries made{.source = series.repo, .name = series.name};
    for (const published::SeriesPoint& point : series.points) {
      const auto ranks = static_cast<int>(point.gpus), nodes = static_cast<int>(point.nodes);
      const Layout layout{nodes, (ranks + nodes - 1) / nodes};
      // Seconds per sample of one rank: the batch size cancels in every ratio.
      made.measured.points.push_back({ranks, layout, ranks / point.throughput});
    }
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace scalemark::prediction
