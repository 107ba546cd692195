// Refusal: what a client is told in place of an answer.
#pragma once

#include <string>

namespace forebay::standin {

struct Refusal {
  std::string sqlstate;
  std::string message;
  std::string detail;
  std::string hint;
  std::string rule;  // whose doing it is, by its name in the rule book

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

}  // namespace forebay::standin
