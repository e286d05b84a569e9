// Settings and ranks together: a launcher decides how many ranks there are, and the settings depend
// on that; which launcher is asked depends on the settings.
#pragma once

#include <string>
#include <vector>

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/sources.h"
#include "core/launching/detect.h"
#include "core/placement/places.h"
#include "core/settings/machine.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"

namespace scalemark::cli {

struct ResolvedCommand {
  settings::Settings settings;
  launching::Detection detection;
  settings::RankCount ranks;             // of the launch: processes
  std::string mpi_library;               // see settle_mpi(); empty: none
  std::vector<placement::Place> places;  // of --bind, by local rank; empty: none are bound
  std::string given_cpus;                // that this process had before; empty: not bound
  std::string date;                      // of {date}; ranks that are started get it
};

// The places of --bind, or its problem with these ranks, which is added to `problems`.
void place_ranks(const settings::Machine& machine, ResolvedCommand& resolved,
                 std::vector<settings::Problem>& problems);

// Binds this process, a rank, as --bind asks. Before the engine is loaded: libraries start threads,
// and libgomp counts CPUs. Throws as launching::bind_process() does.
void bind_rank(ResolvedCommand& resolved);

// Ranks that a launcher has started, or that this command will start.
settings::RankCount ranks_of(const launching::Detection& detection);

// Whether it makes sense to look for a launcher although there are problems.
bool launch_options_are_good(const std::vector<settings::Problem>& problems);

std::string run_id_in(const settings::RawSettings& raw);

// Makes the digest of --run-token's file part of the rendezvous. Not for a rank that the built-in
// launcher has started: it got the digest from there. Throws as read_run_token() does.
void use_run_token(const settings::RawSettings& raw, launching::Detection& detection);

// Throws when there is any problem; several are listed on stderr first, one line each.
void refuse(const std::vector<settings::Problem>& problems, const launching::Detection& detection);

// Only one process prints notes: rank 0, or the built-in launcher instead of the rank 0 that it
// starts. None with --quiet.
bool may_print_notes(const ResolvedCommand& resolved);

// Prints notes and, when something is refused, each problem on stderr before it throws.
ResolvedCommand resolve_command(const Invocation& invocation);

}  // namespace scalemark::cli
