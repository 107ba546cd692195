// StreamAddress: where a stream leads to, or where others may call: a host and a port, or the path
// of a Unix socket.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace forebay {

class StreamAddress {
 public:
  static constexpr unsigned kOwnerOnly = 0600;

  // A name, or an IP address without brackets. Port 0, to listen on: any that is free.
  static StreamAddress tcp(std::string host, std::uint16_t port) {
    return StreamAddress(std::move(host), port, {}, 0);
  }
  // The permissions are for listeners: those who may write to the socket file may call.
  static StreamAddress unix_socket(std::string path, unsigned permissions = kOwnerOnly) {
    return StreamAddress({}, 0, std::move(path), permissions);
  }

  bool is_unix_socket() const { return !path_.empty(); }
  const std::string& host() const { return host_; }
  std::uint16_t port() const { return port_; }
  const std::string& path() const { return path_; }
  unsigned permissions() const { return permissions_; }

  std::string text() const;  // "db.example:5432", "[::1]:5432", "unix:/run/forebay.sock"

 private:
  StreamAddress(std::string host, std::uint16_t port, std::string path, unsigned permissions)
      : host_(std::move(host)), port_(port), path_(std::move(path)), permissions_(permissions) {}

  std::string host_;
  std::uint16_t port_;
  std::string path_;
  unsigned permissions_;
};

}  // namespace forebay
