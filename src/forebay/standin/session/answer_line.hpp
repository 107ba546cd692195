// AnswerLine: what a client is shown of a server's answers, where the server was asked for more, or
// for something else, than the client knows. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/wire/protocol/pending_answers.hpp"

namespace forebay::standin {

// One statement of a request, as its client is to see it.
struct PlannedAnswer {
  bool shows_rows = true;
  bool shows_end = true;             // its CommandComplete
  bool takes_tag_of_hidden = false;  // the command that the last hidden one named
  std::string tag{};                 // the command to be named instead; empty: the server's
};
using AnswerPlan = std::vector<PlannedAnswer>;  // of the first statements; all others are shown

class AnswerLine {
 public:
  // A client's request, or one that stands for it.
  void sent(char type, AnswerPlan plan = {});
  // A request that the client does not know of. It is shown nothing of it, but for errors: in the
  // extended protocol they take the place of the client's own answers.
  void sent_ours(char type);

  struct Ruling {
    bool is_shown = true;
    std::string tag{};          // of CommandComplete, if it is to be another
    bool is_rewritten = false;  // the server was asked in other words: places in them mean nothing
  };
  // A message of the server came.
  Ruling received(char type, std::string_view body);

  // False: the server is out of step.
  bool is_in_step() const { return answers_.is_in_step(); }
  bool is_idle() const { return answers_.is_idle(); }

 private:
  struct Entry {
    std::uint64_t place;  // among the requests
    bool is_ours;
    AnswerPlan plan;
    std::size_t next;  // of the plan
  };

  void note(char type, bool is_ours, AnswerPlan plan);
  Ruling ruling_of(Entry& entry, char type, std::string_view body, bool is_simple_query);
  Ruling end_of_statement(Entry& entry, std::string_view body);

  wire::PendingAnswers answers_;
  std::uint64_t pushed_ = 0;   // requests so far; the place of one is the number before it
  std::deque<Entry> entries_;  // of those that are not simply shown, in order
  std::string hidden_tag_;     // of the last CommandComplete that was not shown
};

}  // namespace forebay::standin
