// A strategy without its engine part is all that settings, --dry-run, estimates and reports need to
// know of how ranks work together on one model. Its engine part, of the same name, is in
// engine/step/.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::catalogue {

// Who turns averaged gradients into new parameters.
enum class Updates {
  kEverywhere,  // each rank, all parameters
  kServer,      // one process, all parameters; the others receive them
  kShard,       // each rank its own part; the others receive it
};

// How many processes some training ranks have.
enum class ProcessCount {
  kOnePerRank,  // a dedicated server (--server) is one more
  kOne,         // the ranks are replicas in one process
};

struct ExchangeQuestion {
  double parameters = 0;  // the model has so many
  int world_size = 1;
  bool dedicated_server = false;  // a process beside the training ranks
  bool gradient_as_bucket_view = false;
  std::int64_t local_steps = 1;
  std::int64_t micro_steps = 1;  // a step consists of so many
  bool on_cpu = false;
  bool all_reduces_to_scatter = false;  // by the backend: ranks add up all parts
  bool compressed = false;              // gradients travel in another format than their own
};

// A step puts this on the wires between ranks. Each rank is on a link of its own: the links of its
// node carry the same where a node has one rank.
struct WireBytes {
  double busiest_sent = 0, busiest_received = 0;  // bytes of the rank whose link carries most
  double total = 0;                               // sent by all ranks together
};

struct Strategy {
  std::string name;     // a value of --strategy
  std::string summary;  // --help prints it
  bool exchanges = false;
  // False: ranks exchange in some steps, and do not wait for each other between them.
  bool in_every_step = true;
  Updates updates = Updates::kEverywhere;
  ProcessCount processes = ProcessCount::kOnePerRank;
  // A parameter may have no gradient in a step; with the option find_unused_parameters it may, too.
  bool takes_missing_gradients = false;
  // Why its steps cannot be captured into a graph of the GPU's work; empty: they can.
  std::string_view not_captured;
  // The exchange options that have an effect with this strategy.
  std::vector<std::string_view> options;

  // Bytes that rank 0 hands to its process group per step: in float32, uncompressed, not counting
  // what gradient clipping and the norms of layer-wise optimizers exchange.
  std::function<double(const ExchangeQuestion&)> payload_bytes;
  // The same on the wire, where all-reduces, all-gathers and reduce-scatters are rings and the
  // others go straight from rank to rank, as over Gloo.
  std::function<WireBytes(const ExchangeQuestion&)> wire_bytes;
  // Bytes of a rank beyond parameters, gradients and optimizer state; of the one with most, which
  // is the dedicated server where there is one.
  std::function<double(const ExchangeQuestion&)> extra_memory_bytes;
};

std::span<const Strategy> all_strategies();
const Strategy* find_strategy(std::string_view name);  // nullptr when unknown

// Whether ranks of this strategy exchange anything. An unknown name, as in the report of another
// version, counts as one that does.
bool exchanges(std::string_view strategy);

// Whether they do so in every step, so that the slowest rank of each step is waited for. Also true
// of an unknown name.
bool exchanges_in_every_step(std::string_view strategy);

// Whether what its ranks exchange are the sums of all gradients, in every step. Not true of an
// unknown name.
bool sums_everything(std::string_view strategy);

// The default strategy of a run of so many ranks: one rank has no peer to exchange gradients with.
const std::string& default_strategy(int world_size);

// The strategy of baselines and of replicas that do not communicate.
const std::string& baseline_strategy();

// Every option that has an effect only where ranks exchange gradients, each once.
std::span<const std::string_view> exchange_options();

// The exchange_options() that have no effect with `strategy`; none for an unknown name.
std::vector<std::string_view> options_without_meaning(std::string_view strategy);

}  // namespace scalemark::catalogue
