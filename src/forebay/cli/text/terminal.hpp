// Terminal: a block of lines at the bottom of the terminal that is drawn again and again in place,
// with messages passing above it.
//
// Its destructor takes the block away and puts the terminal back as it was; so does a crash. One at
// a time, used by one thread. Without a terminal (a pipe, a file, TERM=dumb) is_live() is false and
// nothing is ever written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/cli/text/styled_line.hpp"

namespace forebay::cli {

// What stdout can show, without a Terminal: 80 columns and no colours if it is none.
TextStyle output_style();

class Terminal {
 public:
  Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() { leave(); }

  bool is_live() const { return is_live_; }
  // Where keys can be read, Ctrl-C among them. -1: nowhere, and Ctrl-C is a signal.
  int keys() const { return has_keys_ ? 0 : -1; }
  TextStyle style() const;  // asks for the width each time

  // Replaces the block.
  void draw(const std::vector<std::string>& lines);
  // Prints a line above it. It is not cut.
  void print_above(std::string_view line);
  // Ends it early; afterwards nothing is written.
  void leave();

 private:
  void go_to_top(std::string& out) const;

  bool is_live_ = false;
  bool has_keys_ = false;
  int drawn_width_ = 0;
  std::vector<std::string> drawn_;
};

}  // namespace forebay::cli
