// Reads records that end in NUL (or, with --lines, in newline) from stdin and prints the token ids
// of each on a line: the C++ side of wordpiece_oracle.py. --decode prints code points instead;
// --bench prints the CPU time.
#include <cstdio>
#include <ctime>
#include <iostream>
#include <iterator>
#include <set>
#include <string>

#include "core/base/error.h"
#include "data/text/utf8.h"
#include "data/text/wordpiece.h"
#include "tools/programs/commands.h"

using namespace scalemark::data;

int scalemark::commands::wordpiece(int argc, char** argv) try {
  const std::string vocab = argc > 1 ? argv[1] : "";
  const std::set<std::string> flags(argv + std::min(argc, 2), argv + argc);
  const char end = flags.contains("--lines") ? '\n' : '\0';
  std::cin.sync_with_stdio(false);
  const std::string all(std::istreambuf_iterator<char>(std::cin), {});
  const WordPiece tokenizer(std::make_shared<Vocabulary>(Vocabulary::read(vocab)),
                            flags.contains("--cased"));
  std::vector<std::int32_t> ids;
  tokenizer.encode("warm up", ids);
  const std::clock_t start = std::clock();
  std::string out;
  std::size_t tokens = 0;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t stop = std::min(all.find(end, at), all.size());
    const auto record = std::string_view(all).substr(at, stop - at);
    at = stop + 1;
    ids.clear();
    if (flags.contains("--decode")) {
      for (std::size_t i = 0; i < record.size();) {
        ids.push_back(static_cast<std::int32_t>(next_code_point(record, i)));
      }
    } else {
      tokenizer.encode(record, ids);
    }
    tokens += ids.size();
    if (flags.contains("--bench")) continue;
    for (const auto id : ids) out += std::to_string(id) + ' ';
    out += '\n';
  }
  if (flags.contains("--bench")) {
    const double took_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("%zu tokens, %.6f s of CPU time\n", tokens, took_s);
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
  return 0;
} catch (const scalemark::Error& error) {
  std::cerr << scalemark::format_error_line(error.record()) << '\n';
  return static_cast<int>(error.record().exit_code);
}
