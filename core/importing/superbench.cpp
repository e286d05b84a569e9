// SuperBench's results-summary.jsonl and baseline.json: "model-benchmarks:resnet/pytorch-resnet50/
// fp16_train_throughput", with ":3" of a rank behind it where ranks are listed. The rate is that of
// one GPU (its documents on model benchmarks).
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/importing/log_text.h"
#include "core/importing/readers.h"
#include "core/lint/text_tables.h"

namespace scalemark::importing {
namespace {

using nlohmann::json;
using published::Row;

constexpr std::size_t kMostSuperbenchRows = 100'000;

struct SuperbenchMetric {
  std::string network, precision;
  bool of_rank = false;
};

// Half-precision models are cast; whether fp32 takes TF32 is an option that the file lacks.
std::string superbench_precision(std::string_view metric) {
  for (const std::string_view begin : {"throughput-train-", "throughput_train_"}) {
    if (metric.starts_with(begin)) metric.remove_prefix(begin.size());
  }
  constexpr std::string_view kEnd = "_train_throughput";
  if (metric.ends_with(kEnd)) metric.remove_suffix(kEnd.size());
  if (metric == "fp32" || metric == "float32") return "fp32_or_tf32";
  if (metric == "fp16" || metric == "float16" || metric == "half") return "fp16_cast";
  if (metric == "bf16" || metric == "bfloat16") return "bf16_cast";
  if (metric == "tf32") return "tf32";
  return metric.starts_with("fp8") ? "fp8" : "";
}

std::optional<SuperbenchMetric> superbench_metric(std::string_view key) {
  SuperbenchMetric found;
  const std::size_t last = key.rfind('/');
  if (last == std::string_view::npos || last == 0) return std::nullopt;
  std::string_view metric = key.substr(last + 1);
  if (metric.find("throughput") == std::string_view::npos ||
      metric.find("train") == std::string_view::npos)
    return std::nullopt;
  if (const std::size_t colon = metric.rfind(':'); colon != std::string_view::npos) {
    found.of_rank = count_of(number_at(metric.substr(colon + 1))) || metric.substr(colon) == ":0";
    metric = metric.substr(0, colon);
  }
  found.precision = superbench_precision(metric);
  const std::string_view path = key.substr(0, last);
  std::string_view network = path.substr(path.rfind('/') + 1);
  if (const std::size_t dash = network.find('-');
      network.starts_with("pytorch-") || network.starts_with("megatron-"))
    network.remove_prefix(dash + 1);
  found.network = network;
  if (found.precision.empty() || found.network.empty()) return std::nullopt;
  return found;
}

// Each rank of a node may be a value; without ranks there is one.
struct SuperbenchRate {
  double sum = 0;
  std::int64_t values = 0;
  bool of_ranks = false;
};

void add_superbench_rows(const json& object, const std::string& file, std::vector<Row>& rows) {
  std::map<std::pair<std::string, std::string>, SuperbenchRate> rates;
  for (const auto& [key, value] : object.items()) {
    const auto metric = superbench_metric(key);
    const auto number = number_of(value);
    if (!metric || !number || !(*number > 0)) continue;
    SuperbenchRate& rate = rates[{metric->network, metric->precision}];
    if (rate.values > 0 && rate.of_ranks != metric->of_rank) continue;
    rate.of_ranks = metric->of_rank;
    rate.sum += *number;
    rate.values++;
  }
  const auto node = object.find("node");
  for (const auto& [what, rate] : rates) {
    Row row;
    row.repo = "import";
    row.path = file;
    row.framework = "PyTorch DDP (SuperBench)";
    row.workload = what.first;
    row.precision = what.second;
    row.unit = "samples/s";
    row.data = "synthetic random";
    row.throughput = rate.sum / static_cast<double>(rate.values);
    if (rate.of_ranks) row.gpus = rate.values;
    if (node != object.end() && node->is_string()) row.note = "node " + node->get<std::string>();
    if (rows.size() < kMostSuperbenchRows) rows.push_back(std::move(row));
  }
}

}  // namespace

std::optional<TableFile> read_superbench(std::string_view text, const std::string& file) {
  TableFile read;
  if (const auto whole = json_object(lint::trimmed(text))) {
    read.form = whole->contains("node") ? "SuperBench summary" : "SuperBench baseline";
    add_superbench_rows(*whole, file, read.rows);
  } else {
    read.form = "SuperBench summary";
    for_each_line(text, [&](std::string_view line, std::size_t) {
      if (const auto object = json_object(line)) add_superbench_rows(*object, file, read.rows);
    });
  }
  return read.rows.empty() ? std::nullopt : std::optional(std::move(read));
}

}  // namespace scalemark::importing
