// How each launcher describes a rank, or a node that starts its own: one function per launcher,
// from variables to World. Private to the detection; detect.cpp chooses between them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/launch/detect.h"
#include "core/launch/variables.h"

namespace scalemark::launching {

// The variables say this about where the ranks meet, before options and defaults are applied.
struct Hints {
  std::string host;                 // empty: the launcher names none
  std::string host_from;            // variable
  std::optional<std::string> port;  // text that nothing has checked
  std::string port_from;            // variable
  std::optional<std::string> run_id;
  std::string run_id_from;
  bool agent_store = false;
  std::string attempt;  // counts torchrun's restarts; empty: the first attempt
};

struct RankSource {
  FieldReader& reader;
  const Request& request;
  World& world;
  std::vector<std::string>& notes;
};

Hints read_torch(const RankSource& source);
Hints read_slurm(const RankSource& source);
Hints read_open_mpi(const RankSource& source);
Hints read_pmi(const RankSource& source);

// Fills the plan of a node that starts its own ranks: typed options, then PET_* (with `use_pet`),
// then the remaining settings.
Hints read_node_plan(FieldReader& reader, const Request& request, bool use_pet, NodePlan& plan);

// Refuses contradictory fields by name: rank >= world_size, local_rank >= local_world_size, ...
void check_world(FieldReader& reader, const World& world);

// Where `ranks` ranks meet; kNone for one. Missing pieces are problems.
Rendezvous find_meeting_point(FieldReader& reader, const Request& request, const Hints& hints,
                              int ranks);

bool typed(const Request& request, const std::string& option);  // origin "option" or "set"
bool given(const Request& request, const std::string& option);  // any origin but "default"

}  // namespace scalemark::launching
