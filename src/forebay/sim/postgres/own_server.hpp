// OwnServer: compares what a client of a proxy hears, word for word, with what it would hear from a
// server to itself. Pure.
//
// What it may hear instead: that no server can be had, for one unit, which then was not run; that
// its statement was cancelled, if it was.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/sim/postgres/model_postgres.hpp"
#include "forebay/wire/protocol/message_type.hpp"

namespace forebay::sim {

class OwnServer {
 public:
  // True, once for each time: the server has cancelled this statement.
  using TakeCancel = std::function<bool(const std::string& sql)>;

  OwnServer(const SessionParameters& reported, const SessionParameters& start, TakeCancel cancels)
      : model_(reported, start), take_cancel_(std::move(cancels)) {}

  // The client sends these: whole messages.
  void sent(std::string_view messages);
  // It hears this after its welcome. What is wrong with it; empty: nothing.
  std::string hear(char type, std::string_view body);
  // What it may hear in its welcome.
  const SessionParameters& parameters() const { return model_.reported(); }

  bool is_in_transaction() const { return model_.is_in_transaction(); }
  int unserved() const { return unserved_; }    // units for which there was no server
  int cancelled() const { return cancelled_; }  // statements

 private:
  struct Message {
    char type = 0;
    std::string body;
  };

  std::string compare(char type, std::string_view body, std::string_view sqlstate);
  void note(std::string event);
  std::string history() const;
  std::string skip_unit();
  void answer_next(std::string_view sqlstate);

  ModelPostgres model_;
  TakeCancel take_cancel_;
  std::deque<Message> sent_;        // and not answered
  std::string expected_;            // whole messages
  std::deque<std::string> events_;  // the last ones, for people
  int unserved_ = 0;
  int cancelled_ = 0;
};

// A message in words, for people.
std::string message_text(wire::Sender sender, char type, std::string_view body);

}  // namespace forebay::sim
