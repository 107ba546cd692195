#include "forebay/postgres/driver/host_list.hpp"

#include <algorithm>

#include <arpa/inet.h>

#include "forebay/detail/base/check.hpp"

namespace forebay::postgres {
namespace {

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  if (list.empty()) return parts;
  for (;;) {
    const std::size_t comma = list.find(',');
    parts.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

const std::string& at_or_empty(const std::vector<std::string>& parts, std::size_t place) {
  static const std::string kEmpty;
  return place < parts.size() ? parts[place] : kEmpty;
}

// All forms that getaddrinfo takes without asking anybody. No name has a colon.
bool is_address(const std::string& host) {
  in_addr ignored{};
  return host.contains(':') || ::inet_aton(host.c_str(), &ignored) != 0;
}

}  // namespace

bool HostPlace::needs_lookup() const {
  if (!address.empty() || host.empty()) return false;
  const bool is_socket = host.starts_with('/') || host.starts_with('@');
  return !is_socket && !is_address(host);
}

HostList::HostList(std::string_view hosts, std::string_view addresses, std::string_view ports) {
  const std::vector<std::string> host_parts = split(hosts);
  const std::vector<std::string> address_parts = split(addresses);
  const std::vector<std::string> port_parts = split(ports);
  const std::size_t count = address_parts.empty() ? host_parts.size() : address_parts.size();
  const bool is_host_each = host_parts.empty() || host_parts.size() == count;
  const bool is_port_each = port_parts.size() <= 1 || port_parts.size() == count;
  if (!is_host_each || !is_port_each) return;
  for (std::size_t place = 0; place < count; ++place) {
    places_.emplace_back(at_or_empty(host_parts, place), at_or_empty(address_parts, place),
                         at_or_empty(port_parts, port_parts.size() == 1 ? 0 : place));
  }
}

bool HostList::needs_lookup() const {
  return std::ranges::any_of(places_, &HostPlace::needs_lookup);
}

void HostList::fill_in(const std::vector<std::vector<std::string>>& answers) {
  std::vector<HostPlace> filled;
  auto answer = answers.begin();
  for (const HostPlace& place : places_) {
    if (!place.needs_lookup()) {
      filled.push_back(place);
      continue;
    }
    FOREBAY_CHECK(answer != answers.end(), "a name has no answer");
    for (const std::string& address : *answer++)
      filled.emplace_back(place.host, address, place.port);
  }
  places_ = std::move(filled);
}

void HostList::write_to(ConnectionString& target) const {
  FOREBAY_CHECK(!places_.empty(), "libpq would take no host for its default");
  const auto write = [&](std::string_view keyword, std::string HostPlace::* part) {
    std::string list;
    for (const HostPlace& place : places_) {
      if (&place != &places_.front()) list += ',';
      list += place.*part;
    }
    const Result<void> is_set = target.set(keyword, std::move(list));
    FOREBAY_CHECK(is_set.has_value(), "libpq has no " + std::string(keyword));
  };
  write("host", &HostPlace::host);
  write("hostaddr", &HostPlace::address);
  write("port", &HostPlace::port);
}

std::string HostList::with_names(std::string message) const {
  for (const HostPlace& place : places_) {
    if (place.address.empty() || place.host.empty()) continue;
    const std::string told = "server at \"" + place.address + "\", port " + place.port + " ";
    const std::string better =
        "server at \"" + place.host + "\" (" + place.address + "), port " + place.port + " ";
    for (std::size_t at = message.find(told); at != std::string::npos;
         at = message.find(told, at + better.size())) {
      message.replace(at, told.size(), better);
    }
  }
  return message;
}

}  // namespace forebay::postgres
