// The file of rules: YAML with a date, switches and limits.
//
//   date: 2026-08-01          # what DSQL refused on that day; without it, today's rules
//   rules:
//     truncate: off           # by the names of `forebay standin rules`
//   limits:
//     rows: 3000
//     mebibytes: 10
//     age: 300s
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/standin/statements/rule_book.hpp"

namespace forebay::standin {

struct RuleFileReading {
  RuleBook book;                      // to be used only if there are no problems
  std::vector<std::string> problems;  // all of them, one line each, in the order of the file
};

RuleFileReading read_rules(std::string_view text, const std::string& file_name);
RuleFileReading read_rule_file(const std::string& path);

}  // namespace forebay::standin
