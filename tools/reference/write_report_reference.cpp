// write-report-reference DOCS: writes the schemas into DOCS/reference, and rewrites the tables of
// REPORT.md and STATUS.md there, and of DIAGNOSIS.md, LINT.md and GLOSSARY.md in DOCS.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "core/base/error.h"
#include "tools/programs/commands.h"
#include "tools/reference/reference.h"

namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) throw scalemark::no_input("cannot read " + path);
  return text.str();
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  if (!file) throw scalemark::io_error("cannot write " + path);
}

}  // namespace

int scalemark::commands::write_report_reference(int argc, char** argv) try {
  if (argc != 2)
    throw scalemark::usage("write-report-reference takes one argument", "a folder: docs");
  const std::string folder = argv[1];
  const std::string reference = folder + "/reference/";
  write(reference + "REPORT.md", scalemark::reporting::with_tables(read(reference + "REPORT.md")));
  write(reference + "report.schema.json", scalemark::reporting::report_schema());
  write(reference + "published.schema.json", scalemark::reporting::published_schema());
  write(reference + "status.schema.json", scalemark::reporting::status_schema());
  write(reference + "STATUS.md", scalemark::reporting::with_live(read(reference + "STATUS.md")));
  write(folder + "/GLOSSARY.md", scalemark::reporting::with_words(read(folder + "/GLOSSARY.md")));
  write(folder + "/DIAGNOSIS.md",
        scalemark::reporting::with_causes(read(folder + "/DIAGNOSIS.md")));
  write(folder + "/LINT.md", scalemark::reporting::with_rules(read(folder + "/LINT.md")));
  return 0;
} catch (const scalemark::Error& error) {
  std::fprintf(stderr, "%s\n", scalemark::format_error_line(error.record()).c_str());
  return static_cast<int>(error.record().exit_code);
}
