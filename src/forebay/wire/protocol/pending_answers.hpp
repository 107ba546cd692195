// PendingAnswers: what a server still owes to those who sent it requests, by types of messages
// alone.
//
// A session may go to somebody else only when nothing is owed: is_idle(). Counting Sync and
// ReadyForQuery is not enough for that. After an error the server skips everything up to the next
// Sync; and while it reads a COPY, it swallows each Sync, so that clients send another one. When a
// COPY fails, nobody can say whether the server had read the Syncs inside it: each may be answered
// by one more ReadyForQuery, until the first answer to a later request ends the doubt.
//
//   request                      ends with
//   Query, FunctionCall, Sync    ReadyForQuery
//   Parse, Bind, Close           ParseComplete, BindComplete, CloseComplete
//   Describe                     RowDescription or NoData
//   Execute                      CommandComplete, EmptyQueryResponse or PortalSuspended
//   any but the first three      ErrorResponse; then all requests up to the next Sync are skipped
//
// Once its memory has grown to the longest pipeline it allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/wire/protocol/server_messages.hpp"

namespace forebay::wire {

class PendingAnswers {
 public:
  enum class Copy : std::uint8_t { none, in, out, both };

  // Begins with a session that is ready.
  explicit PendingAnswers(TransactionStatus status = TransactionStatus::idle) : status_(status) {}

  // A client's message of this type goes to the server.
  void sent(char type);
  // A server's message of this type came; of ReadyForQuery the body is needed, too. False: nobody
  // asked for it. Then who hears what is not known any more, and the session must be closed.
  bool received(char type, std::string_view body = {});

  // Everything is answered, and nothing begun that needs a Sync.
  bool is_idle() const { return is_ready_ && is_certain(); }
  // False: a COPY failed while a Sync was on its way, and nobody can say whether the server has
  // swallowed it. The session must not go to anybody else, unless later answers end the doubt.
  bool is_certain() const { return is_in_step() && doubtful_ == 0; }
  // False: whom the next answers are for will not be known any more.
  bool is_in_step() const { return is_in_step_; }
  // So many ReadyForQuery may come beside what is owed.
  std::size_t doubtful() const { return doubtful_; }
  TransactionStatus transaction() const { return status_; }  // at the last ReadyForQuery
  Copy copy() const { return copy_; }
  // The type of the request whose answer is coming; 0: there is none.
  char current() const { return is_empty() ? '\0' : requests_[begin_]; }
  // Requests that are not answered, and ends of COPY among them.
  std::size_t size() const { return requests_.size() - begin_; }
  std::size_t kept() const { return requests_.size(); }  // in memory, with those that are answered

 private:
  bool is_empty() const { return begin_ == requests_.size(); }
  bool is_any_of(std::string_view types) const;
  void pop();
  bool fit(bool is_right);
  bool answer_to(char request);
  bool end_of_statement();
  bool start_of_copy(Copy copy);
  bool error();
  void fail_copy();
  void end_doubt();
  bool ready(std::string_view body);
  std::size_t end_of_copy_data() const;
  void drop_old_copy_ends();

  std::string requests_;  // types in order; 'c' stands for the end of a COPY, done or failed
  std::size_t begin_ = 0;
  Copy copy_ = Copy::none;
  TransactionStatus status_;
  bool is_ready_ = true;
  bool is_skipping_ = false;  // up to a Sync that has not been sent yet
  bool is_in_step_ = true;
  std::size_t doubtful_ = 0;  // Syncs inside a COPY that failed; they are not among the requests
};

}  // namespace forebay::wire
