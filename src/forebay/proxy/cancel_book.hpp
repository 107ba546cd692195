// CancelBook: which client has which cancel key. A CancelRequest comes by a connection of its own,
// and names a client by what that one was told when it logged in.
//
// Confined to the loop of the clients.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "forebay/env/random.hpp"
#include "forebay/wire/protocol/startup.hpp"

namespace forebay::proxy {

class ClientFlow;

class CancelBook {
 public:
  // The chance must be such that nobody can guess it.
  explicit CancelBook(Random& secret) : secret_(secret) {}
  CancelBook(const CancelBook&) = delete;
  CancelBook& operator=(const CancelBook&) = delete;

  // A client's entry, for as long as this lives.
  class Entry {
   public:
    Entry(CancelBook& book, ClientFlow& client, wire::ProtocolVersion version);
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry();
    wire::CancelKeyView key() const { return {process_, secret_}; }

   private:
    CancelBook& book_;
    std::uint32_t process_;
    std::string secret_;
  };

  // Null: nobody has this key.
  ClientFlow* find(const wire::CancelKeyView& key) const;

 private:
  struct Client {
    std::string_view secret;
    ClientFlow* flow;
  };
  Random& secret_;
  std::uint32_t last_process_ = 0;
  std::unordered_map<std::uint32_t, Client> clients_;
};

}  // namespace forebay::proxy
