// A run as its status.json or its HTTP endpoint shows it, read again and again: the newest record,
// those before it, how old it is. Also says which runs of a folder are worth watching. Knows no
// terminal.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/live/rates.h"
#include "core/live/screen.h"

namespace scalemark::cli {

inline constexpr const char* kStatusFile = "status.json";

// How many seconds ago a status was written, by the clock of its writer, or by that of the file
// where the former is ahead of ours. A change that we saw counts before both: clocks may differ.
double status_age_s(std::optional<double> written, double file_time, double now,
                    std::optional<double> seen_change_ago);

// FOLDER/status.json for a folder; a file is returned as it is. Throws no_input() (66) for what is
// not there.
std::filesystem::path status_file(const std::string& given);

// At most 4 of the runs in FOLDER/* of these folders that have a status.json: the newest, and
// others that run; running ones first.
std::vector<std::filesystem::path> newest_runs(const std::vector<std::filesystem::path>& folders);

class WatchedRun {
 public:
  explicit WatchedRun(std::filesystem::path file) : file_(std::move(file)) {}
  // The page at a URL (core/live/fetch.h), with the token that it asks for.
  WatchedRun(std::string url, std::string token) : url_(std::move(url)), token_(std::move(token)) {}

  const std::filesystem::path& file() const { return file_; }
  bool is_remote() const { return !url_.empty(); }
  // Reads the status; true where it holds something new, or a problem came or went. A URL that has
  // never answered throws, as status_file() does for a file.
  bool read();
  // Whether a further record would give a rate that is not known yet.
  bool lacks_rates() const;
  live::ShownRun shown() const;

 private:
  struct Reading {
    std::string text;
    double written = 0;  // seconds since 1970, by the file or when we read it
  };
  Reading reading() const;
  std::string origin() const;
  void take(Reading now);

  std::filesystem::path file_;
  std::string url_, token_;
  std::string text_, problem_;
  live::Recent recent_;
  double file_time_ = 0;  // seconds since 1970
  std::optional<std::chrono::steady_clock::time_point> changed_;
};

}  // namespace scalemark::cli
