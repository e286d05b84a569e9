// Nodes that start their own ranks: typed options, Kubernetes' PET_* variables, settings.
#include "core/base/words.h"
#include "core/launching/launchers.h"
#include "core/launching/parse.h"

namespace scalemark::launching {
namespace {

std::string origin_of(const Request& request, const std::string& option) {
  return value_at(request.origins, option, "default");
}

// "4", or an elastic range whose ends are equal.
std::optional<int> fixed_nnodes(const std::string& text) {
  const auto colon = text.find(':');
  const auto least = parse_whole(std::string_view(text).substr(0, colon));
  if (colon == std::string::npos) return least;
  const auto most = parse_whole(std::string_view(text).substr(colon + 1));
  return least == most ? least : std::nullopt;
}

int nproc_from_pet(FieldReader& reader, const Request& request, const std::string& text) {
  if (text == "auto" || text == "gpu") return request.auto_nproc_per_node;
  if (const auto number = parse_whole(text)) return *number;
  reader.refuse("PET_NPROC_PER_NODE=" + text, "a number, auto or gpu");
  return 1;
}

int nnodes_from_pet(FieldReader& reader, const std::string& text) {
  if (const auto number = fixed_nnodes(text)) return *number;
  reader.refuse("PET_NNODES=" + text, "one number: a run does not grow or shrink");
  return 1;
}

Hints pet_hints(const FieldReader& reader) {
  Hints hints;
  if (const auto host = reader.text("PET_MASTER_ADDR")) {
    hints.host = *host;
    hints.host_from = "PET_MASTER_ADDR";
    hints.port = reader.text("PET_MASTER_PORT");
    hints.port_from = "PET_MASTER_PORT";
  } else if (const auto endpoint = reader.text("PET_RDZV_ENDPOINT")) {
    const auto colon = endpoint->rfind(':');
    hints.host = endpoint->substr(0, colon);
    if (colon != std::string::npos) hints.port = endpoint->substr(colon + 1);
    hints.host_from = hints.port_from = "PET_RDZV_ENDPOINT";
  }
  const auto id = reader.text("PET_RDZV_ID");
  if (id && *id != "none") {
    hints.run_id = id;
    hints.run_id_from = "PET_RDZV_ID";
  }
  return hints;
}

void check_plan(FieldReader& reader, const Request& request, bool use_pet, const NodePlan& plan) {
  const auto nnodes = reader.named("nnodes", plan.nnodes);
  if (plan.nproc_per_node < 1) {
    reader.refuse(reader.named("nproc_per_node", plan.nproc_per_node), "at least 1");
  }
  if (plan.nnodes < 1) return reader.refuse(nnodes, "at least 1");
  if (plan.node_rank < 0 || plan.node_rank >= plan.nnodes) {
    reader.refuse(reader.named("node_rank", plan.node_rank) + " with " + nnodes,
                  "a node rank below the number of nodes");
  }
  const bool told = given(request, "node_rank") || (use_pet && reader.has("PET_NODE_RANK"));
  if (plan.nnodes > 1 && !told) {
    reader.refuse_usage("--node-rank is missing", nnodes + " needs it",
                        "number the nodes from 0: --node-rank 0, --node-rank 1, ...");
  }
}

}  // namespace

bool typed(const Request& request, const std::string& option) {
  const auto origin = origin_of(request, option);
  return origin == "option" || origin == "set";
}

bool given(const Request& request, const std::string& option) {
  return origin_of(request, option) != "default";
}

Hints read_node_plan(FieldReader& reader, const Request& request, bool use_pet, NodePlan& plan) {
  const auto pet = [&](const char* field, const char* option,
                       const char* variable) -> std::optional<std::string> {
    if (use_pet && !typed(request, field)) {
      if (auto text = reader.string(field, {variable})) return text;
    }
    if (given(request, field)) reader.derived(field, option);
    return {};
  };
  const auto nproc = pet("nproc_per_node", "--nproc-per-node", "PET_NPROC_PER_NODE");
  const auto nnodes = pet("nnodes", "--nnodes", "PET_NNODES");
  const auto node_rank = pet("node_rank", "--node-rank", "PET_NODE_RANK");
  const auto& launch = request.launch;
  plan.launcher = use_pet ? "kubernetes" : "local";
  plan.nproc_per_node = nproc ? nproc_from_pet(reader, request, *nproc) : launch.nproc_per_node;
  plan.nnodes = nnodes ? nnodes_from_pet(reader, *nnodes) : launch.nnodes;
  plan.node_rank =
      node_rank ? reader.number("node_rank", {"PET_NODE_RANK"}).value_or(0) : launch.node_rank;
  check_plan(reader, request, use_pet, plan);
  return use_pet ? pet_hints(reader) : Hints{};
}

}  // namespace scalemark::launching
