// write-configs-page CONFIGS: writes CONFIGS/README.md, the list of the built-in configurations.
#include <cstdio>
#include <fstream>
#include <string>

#include "core/base/error.h"
#include "core/plan/listed_configs.h"
#include "tools/programs/commands.h"

int scalemark::commands::write_configs_page(int argc, char** argv) try {
  if (argc != 2) throw usage("write-configs-page takes one argument", "a folder: configs");
  const std::string path = std::string(argv[1]) + "/README.md";
  std::ofstream file(path);
  file << planning::configs_page() << std::flush;
  if (!file) throw io_error("cannot write " + path);
  return 0;
} catch (const scalemark::Error& error) {
  std::fprintf(stderr, "%s\n", scalemark::format_error_line(error.record()).c_str());
  return static_cast<int>(error.record().exit_code);
}
