#include "tests/core/prediction/measured_step.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tools/prediction/simulator.h"

namespace scalemark::prediction {
namespace {

namespace fs = std::filesystem;

MeasuredStep read_step(const nlohmann::json& run) {
  return {.workload = run.at("workload"),
          .payload_bytes = run.at("payload_bytes_per_step"),
          .step_s = run.at("step_s"),
          .own_mean_of_step_max_s = run.at("own_mean_of_step_max_s"),
          .own_s = run.at("own_mean_s"),
          .bucket_bytes = run.at("bucket_bytes")};
}

MeasuredSteps read_file(const fs::path& path) {
  const auto json = nlohmann::json::parse(std::ifstream(path));
  MeasuredSteps read{.cpu = json.at("machine").at("cpu"), .date = json.at("date")};
  for (const auto& run : json.at("runs")) read.steps.push_back(read_step(run));
  return read;
}

// Ring of two: each bucket is two messages of half of it, one after the other.
MessageTime message_of(const MeasuredStep& step) {
  const double messages = 2.0 * static_cast<double>(step.bucket_bytes.size());
  const double communication_s = step.step_s - step.own_mean_of_step_max_s;
  return {step.payload_bytes / messages, communication_s / messages};
}

}  // namespace

std::vector<MeasuredSteps> read_measured_steps(const std::string& root) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(root + "/results/measured")) {
    if (entry.path().filename().string().starts_with("two-ranks-")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<MeasuredSteps> all;
  for (const fs::path& file : files) all.push_back(read_file(file));
  return all;
}

SimulatedStep simulate_step(const MeasuredSteps& measured, std::size_t which) {
  std::vector<MessageTime> others;
  for (std::size_t i = 0; i < measured.steps.size(); ++i) {
    if (i != which) others.push_back(message_of(measured.steps[i]));
  }
  const MeasuredStep& step = measured.steps.at(which);
  SimulatedStep made{.link = fit_link(others).link};
  const SimulatedNetwork network{{1, static_cast<int>(step.own_s.size())}, made.link, made.link};
  std::vector<double> ready_s = step.own_s;
  for (const double bytes : step.bucket_bytes) {
    ready_s = simulate_ring(network, bytes, ready_s).rank_done_s;
  }
  made.step_s = *std::max_element(ready_s.begin(), ready_s.end());
  made.relative_error = made.step_s / step.step_s - 1;
  return made;
}

}  // namespace scalemark::prediction
