#include "core/live/screen.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>
#include <unordered_set>

#include "core/base/characters.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/live/screen_tables.h"
#include "report/say/table/text_table.h"

namespace scalemark::live {
namespace {

using Lines = std::vector<std::string>;
using Places = std::vector<std::size_t>;

constexpr int kNoEnd = 1'000'000;

// "step 120 of 240 (50 %)", or what of it is known.
std::string progress_text(const Status& status) {
  if (!status.done) return "";
  const auto done = static_cast<double>(*status.done);
  const std::string unit = status.command == "comm" ? " calls" : " steps";
  if (!status.planned) return grouped(done) + unit;
  const auto planned = static_cast<double>(*status.planned);
  return grouped(done) + " of " + grouped(planned) + unit +
         (planned > 0 ? " (" + percent(std::floor(100 * done / planned) / 100, 0) + ")" : "");
}

void add_if_any(Lines& parts, const std::string& text) {
  if (!text.empty()) parts.push_back(text);
}

// "window: 120 of 240 steps (50 %), 412 images/s, loss 2.31, 1:20 left"
std::string state_text(const ShownRun& run) {
  const Status& status = *run.status;
  const bool running = status.state == kRunning;
  Lines parts;
  add_if_any(parts, progress_text(status));
  if (run.now.samples_per_s)
    parts.push_back(three_digits(*run.now.samples_per_s) + " " + status.sample_unit + "/s");
  if (status.loss) parts.push_back("loss " + significant(*status.loss, 4));
  if (running && status.seconds_left)
    parts.push_back(clock_text(std::max(0.0, *status.seconds_left)) + " left");
  std::string state = running ? status.phase : status.state;
  if (!running && run.lasted_s) state += " after " + clock_text(*run.lasted_s);
  return parts.empty() ? state : state + ": " + joined(parts, ", ");
}

// "4 of 15 runs done, now resnet50-b8-fp32-w4-ddp/r2"
std::string plan_text(const Status& status) {
  Lines parts;
  if (status.runs_planned) {
    parts.push_back(std::to_string(status.runs_done.value_or(0)) + " of " +
                    counted(*status.runs_planned, "run") + " done");
  }
  if (status.state == kRunning && !status.point.empty()) parts.push_back("now " + status.point);
  return joined(parts, ", ");
}

// The end of a long path, in which runs differ.
std::string end_of(const std::string& path, std::size_t width) {
  constexpr std::size_t kLeast = 16;
  const std::string text = with_blanks(path);
  const std::size_t kept = std::max(width, kLeast);
  return text.size() <= kept ? text : "..." + text.substr(text.size() - kept + 3);
}

std::string place_text(const ShownRun& run, std::size_t width) {
  const Status& status = *run.status;
  const auto many = [](std::size_t count, const char* noun) {
    return grouped(static_cast<double>(count)) + " " + noun + (count == 1 ? "" : "s");
  };
  Lines parts;
  if (!status.ranks.empty()) {
    parts.push_back(many(status.ranks.size(), "rank") +
                    (status.nodes.empty() ? "" : " on " + many(status.nodes.size(), "machine")));
  }
  const double age = run.now.age_s;
  if (status.state == kRunning)
    parts.push_back("status " + (age < 99.5 ? seconds_text(std::round(age)) : clock_text(age)) +
                    " old");
  std::string rest;
  for (const std::string& part : parts) rest += ", " + part;
  const std::string id = ", run " + status.run_id.substr(0, 8);
  if (run.source.size() + rest.size() + id.size() <= width) rest += id;
  return end_of(run.source, width - std::min(width, rest.size())) + rest;
}

class Block {
 public:
  Block(const ShownRun& run, const Terminal& terminal, int most)
      : run_(run), terminal_(terminal), most_(static_cast<std::size_t>(std::max(1, most))) {}

  Lines lines() {
    add_head();
    if (run_.status) add_body();
    if (lines_.size() > most_) lines_.resize(most_);
    return std::move(lines_);
  }

 private:
  // How many rows of each table are shown.
  struct Shown {
    std::size_t ranks = 0, nodes = 0, findings = 0;
  };

  std::size_t width() const {
    return terminal_.is_terminal ? static_cast<std::size_t>(terminal_.columns) : kNoEnd;
  }
  void add(Ink ink, const std::string& text) {
    lines_.push_back(inked(terminal_, ink, clipped(text, width())));
  }
  void add_wrapped(const std::string& text, std::optional<Ink> ink = std::nullopt) {
    std::istringstream all(wrapped(text, width(), 2));
    for (std::string line; std::getline(all, line);) {
      line = clipped(line, width());
      lines_.push_back(ink ? inked(terminal_, *ink, line) : line);
    }
  }
  void add_head();
  void add_body();
  void add_marks(std::size_t most);
  void add_ranks(std::size_t rows);
  void add_nodes(std::size_t rows);
  void add_findings(std::size_t rows);
  Shown plan(std::size_t room) const;
  std::size_t height(const Shown& shown) const;
  Places marked_first() const;
  std::string more_ranks(const Places& order, std::size_t shown) const;

  const ShownRun& run_;
  const Terminal& terminal_;
  std::size_t most_;
  Lines lines_;
};

void Block::add_head() {
  if (!run_.status) {
    add(Ink::kBold, run_.source);
    return add_wrapped(run_.problem);
  }
  const Status& status = *run_.status;
  add(Ink::kBold, status.command + (status.what.empty() ? "" : ": " + status.what));
  add(Ink::kDim, place_text(run_, width()));
  const std::string plan = plan_text(status);
  if (!plan.empty()) add_wrapped(plan);
  add_wrapped(state_text(run_));
  if (!run_.now.alarm.empty()) add_wrapped("! " + run_.now.alarm, Ink::kRed);
  if (!run_.problem.empty()) add_wrapped("! " + run_.problem, Ink::kRed);
}

// A table takes an empty line, its head, its rows, and a line that says what is not shown.
std::size_t table_height(std::size_t shown, std::size_t all, std::size_t head) {
  return shown == 0 ? 0 : 1 + head + shown + (shown < all ? 1 : 0);
}

std::size_t Block::height(const Shown& shown) const {
  const Status& status = *run_.status;
  return table_height(shown.ranks, status.ranks.size(), kTableHead) +
         table_height(shown.nodes, status.nodes.size(), kTableHead) +
         (shown.findings == 0 ? 0 : 2 + shown.findings);
}

// Each table gets some of the room before one of them gets more.
Block::Shown Block::plan(std::size_t room) const {
  const Status& status = *run_.status;
  Shown shown;
  const auto grow = [&](std::size_t Shown::*rows, std::size_t most, std::size_t all) {
    for (most = std::min(most, all); shown.*rows < most; ++(shown.*rows)) {
      // With the last row shown, no line has to say what is left out: two more rows may fit where
      // one does not.
      Shown larger = shown, whole = shown;
      ++(larger.*rows);
      whole.*rows = all;
      if (height(whole) <= room && all <= most) return void(shown = whole);
      if (height(larger) > room) return;
    }
  };
  constexpr std::size_t kAll = kNoEnd;
  for (const Shown& wanted : {Shown{4, 1, 1}, Shown{8, 4, 3}, Shown{kAll, kAll, kAll}}) {
    grow(&Shown::ranks, wanted.ranks, status.ranks.size());
    grow(&Shown::nodes, wanted.nodes, status.nodes.size());
    grow(&Shown::findings, wanted.findings, status.findings.size());
  }
  return shown;
}

void Block::add_body() {
  const std::size_t room = most_ > lines_.size() ? most_ - lines_.size() : 0;
  const Shown shown = plan(room);
  if (shown.ranks == 0) return add_marks(room);
  add_ranks(shown.ranks);
  if (shown.nodes > 0) add_nodes(shown.nodes);
  if (shown.findings > 0) add_findings(shown.findings);
}

// Lists marked ranks where there is no room for a table.
void Block::add_marks(std::size_t most) {
  for (const RankNow& rank : run_.now.ranks) {
    if (rank.mark.empty() || most-- == 0) continue;
    add(Ink::kRed, "! rank " + std::to_string(rank.rank) + ": " + rank.reason);
  }
}

int severity_of(const RankNow& rank) {
  return rank.mark.empty() ? 3 : rank.mark == "silent" ? 0 : rank.mark == "behind" ? 1 : 2;
}

Places in_order(std::size_t size) {
  Places places(size);
  for (std::size_t i = 0; i < size; ++i) places[i] = i;
  return places;
}

Places Block::marked_first() const {
  Places order = in_order(run_.now.ranks.size());
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return severity_of(run_.now.ranks[i]); });
  return order;
}

// The largest less the smallest of what is known.
class Spread {
 public:
  void add(const std::optional<double>& value) {
    if (!value) return;
    low_ = any_ ? std::min(low_, *value) : *value;
    high_ = any_ ? std::max(high_, *value) : *value;
    any_ = true;
  }
  bool any() const { return any_; }
  double width() const { return high_ - low_; }
  double of_largest() const { return high_ > 0 ? width() / high_ : 0; }

 private:
  bool any_ = false;
  double low_ = 0, high_ = 0;
};

// "and 984 more: rates within 1 %, waits for peers within 2 %"
std::string Block::more_ranks(const Places& order, std::size_t shown) const {
  Spread rates, waits;
  std::int64_t marked = 0;
  for (std::size_t i = shown; i < order.size(); ++i) {
    const RankNow& rank = run_.now.ranks[order[i]];
    marked += rank.mark.empty() ? 0 : 1;
    rates.add(rank.samples_per_s);
    waits.add(rank.peer_wait_share);
  }
  const auto within = [](double share) {
    return percent(std::max(0.01, std::ceil(100 * share - 1e-9) / 100), 0);
  };
  Lines facts;
  if (marked > 0) facts.push_back(std::to_string(marked) + " of them marked");
  if (rates.any()) facts.push_back("rates within " + within(rates.of_largest()));
  if (waits.any()) facts.push_back("waits for peers within " + within(waits.width()));
  const std::string more = "and " + grouped(static_cast<double>(order.size() - shown)) + " more";
  return facts.empty() ? more : more + ": " + joined(facts, ", ");
}

void Block::add_ranks(std::size_t rows) {
  const Status& status = *run_.status;
  constexpr std::size_t kInSight = 16;  // so few rows keep their places
  const bool all = rows == status.ranks.size();
  const Places order = all && rows <= kInSight ? in_order(rows) : marked_first();
  const Places shown(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(rows));
  lines_.emplace_back();
  for (std::string& line : rank_table(status, run_.now, shown, terminal_)) {
    lines_.push_back(std::move(line));
  }
  if (!all) add(Ink::kDim, more_ranks(order, rows));
}

void Block::add_nodes(std::size_t rows) {
  const Status& status = *run_.status;
  std::unordered_set<std::string_view> marked;
  for (std::size_t i = 0; i < status.ranks.size(); ++i) {
    if (!run_.now.ranks[i].mark.empty()) marked.insert(status.ranks[i].host);
  }
  Places order = in_order(status.nodes.size());
  if (rows < order.size()) {
    std::ranges::stable_sort(
        order, {}, [&](std::size_t i) { return marked.contains(status.nodes[i].host) ? 0 : 1; });
  }
  const std::size_t hidden = order.size() - rows;
  order.resize(rows);
  lines_.emplace_back();
  for (std::string& line : node_table(status, run_.now, order, terminal_)) {
    lines_.push_back(std::move(line));
  }
  if (hidden > 0) add(Ink::kDim, "and " + std::to_string(hidden) + " more");
}

void Block::add_findings(std::size_t rows) {
  const auto& findings = run_.status->findings;
  const std::string all = counted(static_cast<std::int64_t>(findings.size()), "finding");
  lines_.emplace_back();
  add(Ink::kDim, rows < findings.size() ? "the newest of " + all : all + " so far");
  for (std::size_t i = findings.size() - rows; i < findings.size(); ++i) {
    const bool warns = findings[i].severity != "info";
    const std::string text =
        with_blanks((warns ? "! " : "- ") + findings[i].code + ": " + findings[i].text);
    lines_.push_back(shortened(text, width()));
  }
}

}  // namespace

std::string screen_text(std::span<const ShownRun> runs, const Terminal& terminal,
                        const std::string& footer) {
  const int end = footer.empty() ? 0 : 1;
  int room = terminal.is_terminal ? std::max(1, terminal.rows - end) : kNoEnd;
  std::string text;
  for (std::size_t i = 0; i < runs.size() && room > (i > 0 ? 1 : 0); ++i) {
    if (i > 0) {
      text += "\n";
      --room;
    }
    const int most = terminal.is_terminal ? room / static_cast<int>(runs.size() - i) : kNoEnd;
    const Lines lines = Block(runs[i], terminal, most).lines();
    for (const std::string& line : lines) text += line + "\n";
    room -= static_cast<int>(lines.size());
  }
  if (footer.empty()) return text;
  return text +
         inked(terminal, Ink::kDim, clipped(footer, static_cast<std::size_t>(terminal.columns))) +
         "\n";
}

}  // namespace scalemark::live
