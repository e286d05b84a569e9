#include "apps/scalemark/scale_down.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "apps/scalemark/data_library.h"
#include "apps/scalemark/memory_there.h"
#include "apps/scalemark/mpi_ranks.h"
#include "core/base/error.h"
#include "core/planning/scale_down.h"
#include "core/settings/value.h"

namespace scalemark::cli {

void scale_down(settings::Command command, const settings::Machine& machine,
                settings::Layers& layers, ResolvedCommand& base) {
  const auto limit_s = planning::scale_down_s(layers.raw);
  if (!limit_s) return;
  const planning::Surveyed here{
      .machine = machine, .memory = memory_there(), .missing_backends = missing_backends(base)};
  planning::ScaledDown scaled = planning::scaled_down(command, layers.raw, here, *limit_s);
  layers.notes.insert(layers.notes.begin(), planning::in_words(scaled));
  for (planning::Change& change : scaled.changes) {
    base.scaled_down.push_back(
        {std::move(change.option), std::move(change.from), std::move(change.to)});
  }
  layers.raw = std::move(scaled.raw);
}

void refuse_stray_time(const Invocation& invocation) {
  const std::string& stray = invocation.positionals.front();
  const bool asked = std::ranges::any_of(
      invocation.sources.options, [](const auto& option) { return option.first == "scale_down"; });
  if (!asked || !settings::parse_seconds(stray)) return;
  throw usage("'" + stray + "' belongs to no option", "options only are expected",
              "--scale-down=" + stray);
}

// Several processes may come here at once: each makes a folder of its own, and one of them gets the
// name.
void make_missing_images(const ResolvedCommand& base) {
  namespace fs = std::filesystem;
  const bool wanted = std::ranges::any_of(base.scaled_down, [](const auto& change) {
    return change.option == "data" && change.to == planning::kMadeImages;
  });
  const fs::path folder = planning::kMadeImages;
  if (!wanted || fs::exists(folder)) return;
  const fs::path own = folder.string() + "." + std::to_string(getpid());
  constexpr int kSide = 128, kImages = 512;
  load_data_library().generate_images({.dir = own.string(), .samples = kImages, .size = kSide});
  std::error_code taken;
  fs::rename(own, folder, taken);
  if (taken) fs::remove_all(own);
}

}  // namespace scalemark::cli
