// ServerStatements: which prepared statements a server has, by the names that we give them, and
// which of them was used least lately. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <unordered_map>

#include "forebay/proxy/session/statement_texts.hpp"

namespace forebay::proxy {

class ServerStatements {
 public:
  enum class State : std::uint8_t {
    sent,      // its Parse is on its way
    there,     // the server has said so
    closing,   // its Close is on its way
    doubtful,  // the server may have it, or may not, or it is of no more use: Close comes first
  };
  struct Entry {
    StatementRef statement;
    State state = State::sent;
    std::uint64_t used = 0;    // the last unit that did
    std::uint64_t parsed = 0;  // the unit of its Parse
  };

  // Null: the server has never heard of it.
  Entry* find(std::uint64_t id);
  // Now used last.
  Entry& use(const StatementRef& statement, std::uint64_t unit);
  void erase(std::uint64_t id);
  void clear();
  // The server is told to drop them all, and may or may not do it.
  void doubt_all();
  // It did.
  void erase_doubtful();
  // The one used least lately, if it may go: none that is used in this unit. Null: none may.
  Entry* oldest(std::uint64_t unit);
  std::size_t size() const { return entries_.size(); }

 private:
  std::list<Entry> entries_;  // the one used last is in front
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> places_;
};

// "forebay_7"
std::string server_name(std::uint64_t id);

}  // namespace forebay::proxy
