#include "apps/scalemark/error_files.h"

#include <functional>
#include <string>

#include "apps/scalemark/commands.h"
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/launching/environment.h"
#include "core/launching/outcome.h"
#include "core/launching/world.h"

namespace scalemark::cli {
namespace {

// When one of the files cannot be written, the others must be written nevertheless.
void attempt(const std::function<void()>& action) noexcept {
  try {
    action();
  } catch (const std::exception& error) {
    print_note("while ending: " + std::string(remark_of(error)));
  }
}

}  // namespace

void write_error_files(const ErrorRecord& record) {
  const launching::Environment environment = launching::snapshot_environment();
  const std::string spec = value_at(environment, std::string(launching::kRankSpecVariable));
  const std::string elastic = value_at(environment, "TORCHELASTIC_ERROR_FILE");
  attempt([&] {
    if (spec.empty()) return;
    const std::string file = launching::parse_rank_spec(spec).error_file;
    if (!file.empty()) launching::write_error_file(file, record);
  });
  attempt([&] {
    if (!elastic.empty()) launching::write_torchelastic_error_file(elastic, record);
  });
}

}  // namespace scalemark::cli
