#include "core/settings/unknown_option.h"

#include <algorithm>
#include <array>

#include "core/settings/near_match.h"

namespace scalemark::settings {
namespace {

struct OtherWord {
  std::string_view name;
  unsigned commands;
  std::string_view hint;
};

// --accept promised an acceptance test but checked nothing: it set lengths and repetitions.
// --topology fed a model of links that predicted no better than the rule (docs/PREDICTION.md), and
// --save-topology wrote its file. The others are words of other tools: llama-bench, torchrun,
// mpirun, Hugging Face, nccl-tests.
constexpr const char* kRanks = "--nproc-per-node N starts N ranks on this machine";
constexpr const char* kSweptRanks =
    "--world-sizes 1,2,4 are the numbers of ranks that are compared";
constexpr std::array kOtherWords = {
    OtherWord{
        "accept", kSweep,
        "--thorough measures as long as --accept did; an acceptance test is not implemented yet"},
    OtherWord{"topology", kPredict,
              "links no longer count, since a model of them was no better than the rule: "
              "--ranks-per-node N says how many ranks share a node"},
    OtherWord{"save_topology", kComm,
              "the fitted links are in report.json, `collective_fits`, which `scalemark report DIR "
              "--details` shows; predict takes none any more"},
    OtherWord{"world_size", kTrain, kRanks},
    OtherWord{"gpus", kSweep | kComm, kSweptRanks},
    OtherWord{"gpus", kTrain, kRanks},
    OtherWord{"ngpus", kRuns, kRanks},
    OtherWord{"num_gpus", kRuns, kRanks},
    OtherWord{"np", kRuns, kRanks},
    OtherWord{"n", kRuns, kRanks},
    OtherWord{"nproc", kRuns, kRanks},
    OtherWord{"num_processes", kRuns, kRanks},
    OtherWord{"lr", kTrain | kSweep, "--learning-rate"},
    OtherWord{"bs", kTrain | kSweep, "--batch-size"},
    OtherWord{"batch", kTrain | kSweep, "--batch-size"},
    OtherWord{"arch", kTrain | kSweep, "--workload"},
    OtherWord{"model", kTrain | kSweep, "--workload"},
    OtherWord{"dataset", kTrain | kSweep, "--data"},
    OtherWord{"amp", kTrain | kSweep, "--precision amp-fp16 or amp-bf16"},
    OtherWord{"fp16", kTrain | kSweep, "--precision amp-fp16"},
    OtherWord{"bf16", kTrain | kSweep, "--precision amp-bf16"},
    OtherWord{"num_workers", kTrain | kSweep, "--workers, -j"},
    OtherWord{"steps", kTrain | kSweep, "--iters"},
    OtherWord{"max_steps", kTrain | kSweep, "--iters"},
    OtherWord{"minbytes", kComm, "--sizes 8,1MiB or 8..1GiBx2"},
    OtherWord{"maxbytes", kComm, "--sizes 8,1MiB or 8..1GiBx2"},
};

}  // namespace

std::optional<std::string> replacement_hint(std::string_view name, Command command) {
  const auto other = std::ranges::find_if(kOtherWords, [&](const OtherWord& word) {
    return word.name == normalised(name) && (word.commands & command);
  });
  if (other == kOtherWords.end()) return std::nullopt;
  return std::string(other->hint);
}

std::string unknown_option_hint(std::string_view name, Command command) {
  if (auto hint = replacement_hint(name, command)) return *hint;
  return did_you_mean(name, option_names(command));
}

}  // namespace scalemark::settings
