// HostList: the servers of a connection string, one by one, as libpq understands its lists of
// hosts, addresses and ports.
//
// Pure. A list that libpq would refuse is left as it is, and libpq says what is wrong with it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/postgres/driver/conninfo.hpp"

namespace forebay::postgres {

struct HostPlace {
  HostPlace(std::string name, std::string address_text, std::string port_text)
      : host(std::move(name)), address(std::move(address_text)), port(std::move(port_text)) {}

  // False: an address, a Unix socket, or whatever libpq takes without a host.
  bool needs_lookup() const;

  std::string host;
  std::string address;  // libpq's hostaddr: where to connect; the host is then only a name
  std::string port;
};

class HostList {
 public:
  // What stands in the connection string, or in the environment and service files if it is not
  // there: as libpq's keywords host, hostaddr and port.
  HostList(std::string_view hosts, std::string_view addresses, std::string_view ports);

  const std::vector<HostPlace>& places() const { return places_; }
  bool needs_lookup() const;

  // Each place that needs a lookup, in order, becomes one place for each of its addresses; one that
  // has none is left out. REQUIRES: as many answers as places that need a lookup.
  void fill_in(const std::vector<std::vector<std::string>>& answers);
  // Sets host, hostaddr and port. REQUIRES: there is a place.
  void write_to(ConnectionString& target) const;
  // A message of libpq with the names beside the addresses: of a server whose address it was given,
  // it tells the address alone.
  std::string with_names(std::string message) const;

 private:
  std::vector<HostPlace> places_;
};

}  // namespace forebay::postgres
