#include "forebay/standin/session/answer_line.hpp"

#include <utility>

namespace forebay::standin {

using wire::ServerMessage;

void AnswerLine::sent(char type, AnswerPlan plan) { note(type, false, std::move(plan)); }

void AnswerLine::sent_ours(char type) { note(type, true, {}); }

void AnswerLine::note(char type, bool is_ours, AnswerPlan plan) {
  const std::size_t before = answers_.size();
  answers_.sent(type);
  const bool is_in_line = answers_.size() > before;  // the server does not skip it
  if (!is_in_line) return;
  if (is_ours || !plan.empty()) entries_.push_back({pushed_, is_ours, std::move(plan), 0});
  ++pushed_;
}

AnswerLine::Ruling AnswerLine::received(char type, std::string_view body) {
  const std::uint64_t front = pushed_ - answers_.size();
  const bool is_simple_query = answers_.current() == 'Q';
  while (!entries_.empty() && entries_.front().place < front) entries_.pop_front();
  const bool is_planned =
      answers_.size() > 0 && !entries_.empty() && entries_.front().place == front;
  const std::size_t doubtful = answers_.doubtful();
  answers_.received(type, body);
  // That of a Sync inside a COPY that failed, and of no request in line.
  const bool is_beside =
      type == static_cast<char>(ServerMessage::ready_for_query) && answers_.doubtful() < doubtful;
  if (!is_planned || is_beside) return {};
  return ruling_of(entries_.front(), type, body, is_simple_query);
}

AnswerLine::Ruling AnswerLine::ruling_of(Entry& entry, char type, std::string_view body,
                                         bool is_simple_query) {
  const bool is_current = entry.next < entry.plan.size();
  switch (static_cast<ServerMessage>(type)) {
    case ServerMessage::parameter_status:
    case ServerMessage::notification_response: return {};
    case ServerMessage::error_response:
      return {.is_shown = !entry.is_ours || !is_simple_query, .is_rewritten = true};
    case ServerMessage::row_description:
    case ServerMessage::data_row:
      if (!entry.is_ours) return {.is_shown = !is_current || entry.plan[entry.next].shows_rows};
      return {.is_shown = false};
    case ServerMessage::command_complete:
    case ServerMessage::empty_query_response: return end_of_statement(entry, body);
    default: return {.is_shown = !entry.is_ours};
  }
}

AnswerLine::Ruling AnswerLine::end_of_statement(Entry& entry, std::string_view body) {
  const Result<std::string_view> tag = wire::parse_command_complete(body);
  const bool is_current = entry.next < entry.plan.size();
  const PlannedAnswer plan = is_current ? entry.plan[entry.next] : PlannedAnswer();
  if (is_current) ++entry.next;
  if (entry.is_ours || !plan.shows_end) {
    hidden_tag_ = tag.value_or("");
    return {.is_shown = false};
  }
  return {.is_shown = true, .tag = plan.takes_tag_of_hidden ? hidden_tag_ : plan.tag};
}

}  // namespace forebay::standin
