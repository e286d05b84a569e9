#include "claims/rows/html_tables.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

#include "claims/rows/text_tables.h"

namespace scalemark::tables {
namespace {

// Reading ends at these limits, since cells that span many others are cheap to write.
constexpr std::size_t kMostCells = 200'000, kLongestText = 300, kMostHeaderRows = 4;

// Collects the text of a page; a run of blanks becomes one.
class Words {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
      if (text_.size() >= kLongestText ||
          (blank && (text_.empty() || text_.back() == ' ' || text_.back() == '\n')))
        continue;
      text_ += blank ? ' ' : c;
    }
  }
  // Ends a line by <br>: what follows is no more of the number before it.
  void end_line() {
    if (text_.size() < kLongestText && !text_.empty()) text_ += '\n';
  }
  void clear() { text_.clear(); }
  std::string text() const { return trimmed(text_); }

 private:
  std::string text_;
};

struct GridCell {
  std::string text;
  bool header = false, first = true;  // first: it is the leftmost column that the cell spans
  std::size_t rows_left = 0;
};

struct GridRow {
  std::vector<GridCell> cells;
  bool all_headers = true;
  std::size_t line = 0, own = 0;  // own: cells that do not reach down from an earlier row
};

// Collects the cells of one table in the order of the page.
class Grid {
 public:
  void begin_row(std::size_t line) {
    end_row();
    open_ = true;
    row_ = GridRow{.cells = {}, .all_headers = true, .line = line, .own = 0};
  }

  void add(GridCell cell, std::size_t columns, std::size_t rows) {
    fill_from_above();
    row_.own++;
    row_.all_headers = row_.all_headers && (cell.header || in_head);
    const std::size_t most =
        std::min(columns, kMostColumns + 1 - std::min(kMostColumns + 1, row_.cells.size()));
    for (std::size_t k = 0; k < most; ++k) {
      cell.first = k == 0;
      cell.rows_left = rows - 1;
      row_.cells.push_back(cell);
      fill_from_above();
    }
  }

  void end_row() {
    if (!open_) return;
    open_ = false;
    fill_from_above();
    cells_ += row_.cells.size() + 1;
    carried_ = row_.cells;
    if (row_.own > 0 && rows_.size() <= kMostRows) rows_.push_back(std::move(row_));
  }

  std::size_t cells() const { return cells_; }
  bool is_open() const { return open_; }
  bool in_head = false;

  // Returns nothing unless there are a header and a row below it.
  std::optional<TextTable> table(std::string name, std::string caption) {
    end_row();
    std::size_t body = 0;
    TextTable table;
    table.name = std::move(name);
    table.caption = std::move(caption);
    // A first row with only one cell is the title of the table.
    while (body + 1 < rows_.size() && rows_[body].own == 1 && rows_[body].cells.size() > 1) {
      table.caption = rows_[body].cells.front().text;
      ++body;
    }
    const std::size_t first = body;
    while (body < rows_.size() && body < first + kMostHeaderRows && rows_[body].all_headers) ++body;
    if (body == first) ++body;
    if (body >= rows_.size()) return std::nullopt;
    for (std::size_t r = first; r < body; ++r) add_headers(rows_[r], table.header);
    for (std::size_t r = body; r < rows_.size(); ++r) {
      Cells cells;
      for (GridCell& cell : rows_[r].cells) cells.push_back(cell.first ? std::move(cell.text) : "");
      table.rows.push_back(std::move(cells));
      const bool alone = (r == body || rows_[r - 1].line != rows_[r].line) &&
                         (r + 1 == rows_.size() || rows_[r + 1].line != rows_[r].line);
      table.places.push_back("line " + std::to_string(rows_[r].line) +
                             (alone ? "" : ", row " + std::to_string(r + 1)));
    }
    return table;
  }

 private:
  // Adds cells of earlier rows that reach down to this one.
  void fill_from_above() {
    while (row_.cells.size() < carried_.size() && carried_[row_.cells.size()].rows_left > 0) {
      GridCell cell = carried_[row_.cells.size()];
      cell.rows_left--;
      row_.cells.push_back(std::move(cell));
    }
  }

  // Joins two rows of headers: "Throughput" above "1 GPU" becomes "Throughput 1 GPU".
  static void add_headers(const GridRow& row, Cells& header) {
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      if (c >= header.size()) header.emplace_back();
      const std::string& text = row.cells[c].text;
      if (text.empty() || header[c] == text) continue;
      const bool stands =
          header[c].size() + text.size() > kLongestText || header[c].ends_with(" " + text);
      if (!stands) header[c] += (header[c].empty() ? "" : " ") + text;
    }
  }

  std::vector<GridRow> rows_;
  std::vector<GridCell> carried_;  // cells of the row above, some of which reach down
  GridRow row_;
  bool open_ = false;
  std::size_t cells_ = 0;
};

bool is_block(std::string_view name) {
  static constexpr std::string_view kBlocks[] = {"p",  "/p",  "div",     "/div",   "li", "ul",
                                                 "ol", "/ul", "section", "center", "pre"};
  return std::ranges::find(kBlocks, name) != std::end(kBlocks);
}

bool is_heading_name(std::string_view name) {
  return name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
}

class Page {
 public:
  explicit Page(std::string_view text) : text_(text), in_heading_(text.starts_with('#')) {}

  std::vector<TextTable> tables() {
    std::size_t i = 0;
    while (i < text_.size() && cells_ + (grid_ ? grid_->cells() : 0) < kMostCells) {
      const std::string_view here = text_.substr(i);
      if (here.front() == '<') {
        i += at_sign(here);
      } else if (here.front() == '&') {
        const auto [text, length] = entity_at(here);
        if (!struck_out_) words_->add(text);
        i += length;
      } else {
        const std::size_t length = std::min(here.find_first_of("<&\n", 1), here.size());
        add_text(here.substr(0, length));
        i += length;
      }
    }
    end_table();
    return std::move(tables_);
  }

 private:
  void add_text(std::string_view text) {
    if (text.front() == '\n') {
      line_++;
      if (!grid_) end_line();
      words_->add(" ");
      text.remove_prefix(1);
      // Finds headings of Markdown around its HTML.
      in_heading_ = !grid_ && text.starts_with('#');
      over_ = over_ || in_heading_ || text.find_first_not_of(" \t\r") == std::string_view::npos;
    }
    if (!grid_ && over_ && text.find_first_not_of(" \t\r") != std::string_view::npos) {
      above_.clear();
      over_ = false;
    }
    if (!struck_out_) words_->add(text);
  }

  void end_line() {
    if (!in_heading_) return;
    const std::string text = above_.text();
    heading_ = trimmed(text.substr(std::min(text.find_first_not_of('#'), text.size())));
    in_heading_ = false;
    over_ = true;
  }

  // Takes what begins with "<" and returns how many bytes it has.
  std::size_t at_sign(std::string_view here) {
    if (here.starts_with("<!--")) return skipped(here, "-->");
    const auto tag = tag_at(here);
    if (!tag) {
      words_->add("<");
      return 1;
    }
    line_ += static_cast<std::size_t>(std::ranges::count(here.substr(0, tag->length), '\n'));
    if (tag->name == "script") return skipped_tag(here, "</script");
    if (tag->name == "style") return skipped_tag(here, "</style");
    take(*tag);
    return tag->length;
  }

  std::size_t skipped(std::string_view here, std::string_view end) {
    const std::size_t at = here.find(end);
    const std::size_t length = at == std::string_view::npos ? here.size() : at + end.size();
    line_ += static_cast<std::size_t>(std::ranges::count(here.substr(0, length), '\n'));
    return length;
  }

  // The lines within the tag itself are counted already.
  std::size_t skipped_tag(std::string_view here, std::string_view end) {
    const std::size_t after = here.find('>') + 1;
    return after + skipped(here.substr(after), end);
  }

  void take(const Tag& tag) {
    const std::string& name = tag.name;
    if (name == "table") {
      begin_table();
    } else if (grid_) {
      take_in_table(tag);
    } else if (name.starts_with('/') && is_heading_name(std::string_view(name).substr(1))) {
      heading_ = above_.text();
      over_ = true;
    } else if (is_block(name) || is_heading_name(name)) {
      over_ = true;
    }
    if (name == "br" && grid_) words_->end_line();
    if (name == "br" || is_block(name)) words_->add(" ");
    const bool ends = name.starts_with('/');
    if (grid_ && is_struck_out(ends ? std::string_view(name).substr(1) : name)) struck_out_ = !ends;
    if (name == "sup") words_->add("^");
  }

  void take_in_table(const Tag& tag) {
    const std::string& name = tag.name;
    if (name == "/table") {
      end_table();
    } else if (name == "thead" || name == "tbody" || name == "/thead" || name == "tfoot") {
      end_cell();
      grid_->end_row();
      grid_->in_head = name == "thead";
    } else if (name == "tr") {
      end_cell();
      grid_->begin_row(line_);
    } else if (name == "/tr") {
      end_cell();
      grid_->end_row();
    } else if (name == "td" || name == "th") {
      end_cell();
      if (!grid_->is_open()) grid_->begin_row(line_);
      open_cell_ = GridCell{.text = {}, .header = name == "th", .first = true, .rows_left = 0};
      columns_ = span_of(tag.attributes, "colspan");
      rows_ = span_of(tag.attributes, "rowspan");
      cell_.clear();
      words_ = &cell_;
    } else if (name == "/td" || name == "/th") {
      end_cell();
    } else if (name == "caption") {
      cell_.clear();
      words_ = &cell_;
    } else if (name == "/caption") {
      caption_ = cell_.text();
      words_ = &none_;
    }
  }

  void begin_table() {
    end_line();
    if (!grid_) caption_ = above_.text();
    open_cell_.reset();
    grid_.emplace();
    words_ = &none_;
  }

  void end_cell() {
    if (!open_cell_) return;
    open_cell_->text = cell_.text();
    grid_->add(std::move(*open_cell_), columns_, rows_);
    open_cell_.reset();
    struck_out_ = false;
    none_.clear();
    words_ = &none_;
  }

  void end_table() {
    if (!grid_) return;
    end_cell();
    if (auto table = grid_->table(heading_, caption_)) tables_.push_back(std::move(*table));
    cells_ += grid_->cells();
    grid_.reset();
    over_ = true;
    words_ = &above_;
  }

  std::string_view text_;
  std::vector<TextTable> tables_;
  std::string heading_, caption_;
  Words above_, cell_, none_;  // none_: text between cells, which is dropped
  Words* words_ = &above_;
  std::optional<Grid> grid_;
  std::optional<GridCell> open_cell_;
  std::size_t columns_ = 1, rows_ = 1, line_ = 1, cells_ = 0;
  bool in_heading_;  // the page is Markdown, and this line begins with #
  bool struck_out_ = false;
  bool over_ = false;  // the paragraph has ended: other text begins a new one
};

}  // namespace

std::vector<TextTable> html_tables(std::string_view text) { return Page(text).tables(); }

}  // namespace scalemark::tables
