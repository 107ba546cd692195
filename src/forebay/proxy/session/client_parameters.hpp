// ClientParameters: what a client wants of the parameters of its session, and how a server is made
// to fit. Pure.
//
// Names are compared without regard to case, as the server does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/error.hpp"
#include "forebay/detail/base/mutex.hpp"
#include "forebay/proxy/session/server_picture.hpp"
#include "forebay/wire/statement_reading.hpp"

namespace forebay::proxy {

using Setting = std::pair<std::string, std::string>;

// The name as it stands in the map, whatever its case there. End: it is not there.
Parameters::const_iterator find_parameter(const Parameters& parameters, std::string_view name);
bool is_same_parameter(std::string_view one, std::string_view other);
// Reported, but nobody can SET it, or it is more than a parameter: the role.
bool is_fixed_parameter(std::string_view name);

// What the start-up packet asks for: parameters, and those in its options ("-c name=value"). An
// error: options that are no parameters, replication.
Result<std::vector<Setting>> wanted_at_start(const std::vector<Setting>& packet);

class ClientParameters {
 public:
  // What it began with, in the words of the server.
  void begin(std::vector<Setting> settings) { start_ = std::move(settings); }
  const std::vector<Setting>& start() const { return start_; }

  // The server reported this while it served the client.
  void note(std::string_view name, std::string_view value, const ServerPicture& server);
  // As at the start: RESET ALL, DISCARD ALL. Says what is different now from what the client
  // heard last.
  void reset() { changed_.clear(); }
  const std::vector<Setting>& changed() const { return changed_; }
  bool began_with(std::string_view name) const;
  // Null: what the server has by itself.
  const std::string* find(std::string_view name) const;

  // Makes this server's parameters those of the client; empty: they are.
  std::string fitting_sql(const ServerPicture& server) const;
  // That was done.
  void fitted(ServerPicture& server) const;
  // After these RESETs the server has its own defaults, and not what the client began with.
  std::string restoring_sql(const std::vector<wire::SettingChange>& changes) const;

 private:
  std::vector<Setting> start_;
  std::vector<Setting> changed_;  // by SET, and reported
};

// What servers made of the wishes of clients, so that the next client with the same wishes needs
// no server to begin; and a number for those who begin with the same settings, whom the same
// server fits. May be used from all threads.
class StartMemory {
 public:
  static constexpr std::size_t kMostStarts = 256;

  // Empty: not known.
  bool recall(const std::vector<Setting>& asked, std::vector<Setting>& into) const;
  void remember(const std::vector<Setting>& asked, std::vector<Setting> made_of_it);
  void forget();  // what servers made of wishes
  // The same for equal settings; a number that others have not used, if they are new.
  std::uint64_t serial_of(const std::vector<Setting>& settings, std::uint64_t unused);

 private:
  mutable Mutex mutex_;
  std::map<std::vector<Setting>, std::vector<Setting>> known_ FOREBAY_GUARDED_BY(mutex_);
  std::map<std::vector<Setting>, std::uint64_t> serials_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::proxy
