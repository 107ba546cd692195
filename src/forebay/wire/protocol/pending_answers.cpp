#include "forebay/wire/protocol/pending_answers.hpp"

#include <algorithm>

namespace forebay::wire {
namespace {

constexpr char kCopyEnd = 'c';
// So many that have been answered are in front before they go: those who always have something
// under way never come to the end.
constexpr std::size_t kMostAnswered = 256;

char type_of(ClientMessage message) { return static_cast<char>(message); }

}  // namespace

void PendingAnswers::sent(char type) {
  switch (static_cast<ClientMessage>(type)) {
    case ClientMessage::sync:
      is_skipping_ = false;
      is_ready_ = false;
      requests_ += type;
      return;
    case ClientMessage::query:
    case ClientMessage::function_call:
    case ClientMessage::parse:
    case ClientMessage::bind:
    case ClientMessage::describe:
    case ClientMessage::execute:
    case ClientMessage::close:
      is_ready_ = false;
      if (is_skipping_ && doubtful_ > 0) is_in_step_ = false;  // nobody knows that it is skipped
      if (!is_skipping_) requests_ += type;
      return;
    case ClientMessage::copy_done:
    case ClientMessage::copy_fail:
      // A server that reads no COPY ignores it.
      if (!is_skipping_ && !is_empty()) requests_ += kCopyEnd;
      return;
    case ClientMessage::copy_data:
    case ClientMessage::flush:
    case ClientMessage::password:
    case ClientMessage::terminate: return;
  }
}

bool PendingAnswers::received(char type, std::string_view body) {
  if (copy_ != Copy::in) drop_old_copy_ends();
  switch (static_cast<ServerMessage>(type)) {
    case ServerMessage::parse_complete: return answer_to(type_of(ClientMessage::parse));
    case ServerMessage::bind_complete: return answer_to(type_of(ClientMessage::bind));
    case ServerMessage::close_complete: return answer_to(type_of(ClientMessage::close));
    case ServerMessage::no_data: return answer_to(type_of(ClientMessage::describe));
    case ServerMessage::portal_suspended: return answer_to(type_of(ClientMessage::execute));
    case ServerMessage::row_description:
      if (is_any_of("Q")) return true;
      return answer_to(type_of(ClientMessage::describe));
    case ServerMessage::parameter_description: return fit(is_any_of("D"));
    case ServerMessage::data_row: return fit(is_any_of("EQ"));
    case ServerMessage::command_complete:
    case ServerMessage::empty_query_response: return end_of_statement();
    case ServerMessage::function_call_response: return fit(is_any_of("F"));
    case ServerMessage::copy_in_response: return start_of_copy(Copy::in);
    case ServerMessage::copy_out_response: return start_of_copy(Copy::out);
    case ServerMessage::copy_both_response: return start_of_copy(Copy::both);
    case ServerMessage::copy_data:
    case ServerMessage::copy_done: return fit(copy_ == Copy::out || copy_ == Copy::both);
    case ServerMessage::error_response: return error();
    case ServerMessage::ready_for_query: return ready(body);
    default: return true;  // notices, notifications, parameters; what later servers have
  }
}

bool PendingAnswers::is_any_of(std::string_view types) const {
  if (is_empty()) return false;
  // There are three of them at most: a search by the library costs more.
  for (const char type : types)
    if (type == requests_[begin_]) return true;
  return false;
}

void PendingAnswers::pop() {
  ++begin_;
  if (!is_empty() && (begin_ < kMostAnswered || begin_ < requests_.size() / 2)) return;
  requests_.erase(0, begin_);
  begin_ = 0;
}

bool PendingAnswers::fit(bool is_right) {
  if (!is_right) is_in_step_ = false;
  if (is_right) end_doubt();
  return is_right;
}

bool PendingAnswers::answer_to(char request) {
  if (!fit(!is_empty() && requests_[begin_] == request)) return false;
  pop();
  return true;
}

bool PendingAnswers::end_of_statement() {
  if (!fit(is_any_of("EQ"))) return false;
  if (copy_ == Copy::in) {
    // All that came before the end of the data was read as part of it.
    const std::size_t end = end_of_copy_data();
    if (!fit(end < requests_.size())) return false;
    requests_.erase(begin_ + 1, end - begin_);
  }
  copy_ = Copy::none;
  if (is_any_of("E")) pop();
  return true;
}

bool PendingAnswers::start_of_copy(Copy copy) {
  copy_ = copy;
  return fit(is_any_of("EQ"));
}

bool PendingAnswers::error() {
  if (!fit(!is_empty())) return false;  // the session has ended
  if (copy_ == Copy::in) fail_copy();
  copy_ = Copy::none;
  if (is_any_of("QFS")) return true;
  const std::size_t sync = requests_.find('S', begin_);
  is_skipping_ = sync == std::string::npos;
  requests_.erase(0, is_skipping_ ? requests_.size() : sync);
  begin_ = 0;
  return true;
}

// The server has swallowed the Syncs in the COPY, or the first ones, or none: where it was when it
// failed cannot be known. The Sync behind the end of the data is answered in each case.
void PendingAnswers::fail_copy() {
  const std::size_t end = end_of_copy_data();
  const std::string_view inside = std::string_view(requests_).substr(begin_ + 1, end - begin_ - 1);
  const auto syncs = static_cast<std::size_t>(std::ranges::count(inside, 'S'));
  if (syncs == 0) return;
  const std::string_view behind = std::string_view(requests_).substr(end);
  // Other requests are answered if one of those Syncs is, and after a Query nothing is skipped.
  const bool has_others =
      inside.size() > syncs || behind.find_first_not_of("cS") < behind.find('S');
  if (has_others || is_any_of("Q")) is_in_step_ = false;
  if (is_any_of("Q")) return;
  requests_.erase(begin_ + 1, end - begin_ - 1);
  doubtful_ = syncs;
}

// The answer to a request that was sent after the Syncs in doubt: theirs have come before it.
void PendingAnswers::end_doubt() {
  if (doubtful_ > 0 && !is_any_of("S")) doubtful_ = 0;
}

bool PendingAnswers::ready(std::string_view body) {
  const Result<TransactionStatus> status = parse_ready_for_query(body);
  // All other requests have another answer first, and that would have ended the doubt.
  const bool is_beside = status && doubtful_ > 0 && !is_any_of("S");
  if (!is_beside && !fit(status && is_any_of("QFS"))) return false;
  status_ = *status;
  copy_ = Copy::none;
  if (is_beside) {
    --doubtful_;
    is_skipping_ = false;
  } else {
    pop();
  }
  drop_old_copy_ends();
  is_ready_ = is_empty() && !is_skipping_;
  return true;
}

// Where the marker stands; the end of all requests if it has not been sent.
std::size_t PendingAnswers::end_of_copy_data() const {
  const std::size_t end = requests_.find(kCopyEnd, begin_ + 1);
  return end == std::string::npos ? requests_.size() : end;
}

void PendingAnswers::drop_old_copy_ends() {
  while (!is_empty() && requests_[begin_] == kCopyEnd) pop();
}

}  // namespace forebay::wire
