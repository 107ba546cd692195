// ExpectedAnswers: whose each of the next answers is: the server's for the client, the server's for
// us, or ours for the client. In the order in which the client must see them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "forebay/wire/leftovers.hpp"

namespace forebay::proxy {

enum class Whose : std::uint8_t {
  client,     // the client asked, the server answers
  swallowed,  // we asked; the client hears only if it goes wrong
  silent,     // we asked; the client never hears
  ours,       // the client asked, and we answer
};

struct Expected {
  char type = 0;  // of the request
  Whose whose = Whose::client;
  bool has_change = false;  // of the client's statements
  bool is_unnamed = false;  // Parse of the unnamed statement
  bool has_failed = false;  // a Query: an error came
  bool is_done = false;     // a Query that drops statements: that was done
  bool is_transaction_exit = false;
  bool is_restoring = false;  // a Query of ours, after a RESET
  bool is_refusal = false;    // in the place of a request that we refuse, for this:
  wire::Leftovers refused{};
  std::uint64_t what = 0;  // the id of the statement that it is about; 0: none
  // What the client calls that statement, if its Parse may still fail.
  std::string name{};
};

class ExpectedAnswers {
 public:
  bool empty() const { return begin_ == all_.size(); }
  std::size_t size() const { return all_.size() - begin_; }
  Expected& front() { return all_[begin_]; }
  const Expected& front() const { return all_[begin_]; }
  Expected& back() { return all_.back(); }
  // The n-th from the front.
  Expected& at(std::size_t place) { return all_[begin_ + place]; }

  Expected& push(Expected next) { return all_.emplace_back(std::move(next)); }
  void pop();
  void pop_back();
  void erase(std::size_t place, std::size_t count);
  // How many are in front of the next Sync; all, if there is none.
  std::size_t before_sync() const;
  void shrink();
  std::size_t kept() const { return all_.size(); }  // in memory, with those that are answered

 private:
  std::vector<Expected> all_;
  std::size_t begin_ = 0;
};

}  // namespace forebay::proxy
