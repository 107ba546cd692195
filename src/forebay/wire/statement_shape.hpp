// StatementShape: what texts of SQL have in common that differ in their constants only. Such texts
// do the same to their session, so one reading is enough for all of them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

namespace forebay::wire {

// The text with 0 for each number and '' for each string: read_statement() says the same of both.
// A text in which constants are not so easily found, or count for something, is its own shape:
// comments, escapes, dollar quotes, quoted names, set_config.
class StatementShape {
 public:
  explicit StatementShape(std::string_view sql);
  StatementShape(const StatementShape&) = delete;
  StatementShape& operator=(const StatementShape&) = delete;

  // The very text, if it is its own shape. Valid as long as both, the text and this.
  std::string_view text() const { return text_; }

 private:
  char* room_for(std::size_t size);

  std::string_view text_;
  std::array<char, 512> small_;  // most are shorter, and need no heap
  std::unique_ptr<char[]> large_;
};

}  // namespace forebay::wire
