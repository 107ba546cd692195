// Backend: the PostgreSQL behind a stand-in, and how its sessions begin.
//
// Confined to the loop of the sessions; outlives them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/proxy/link/link_attempt.hpp"
#include "forebay/proxy/link/link_target.hpp"
#include "forebay/standin/access/start_rules.hpp"

namespace forebay::standin {

class Backend {
 public:
  // The settings are those that every session starts with, whoever it is for.
  Backend(const proxy::LinkEnv& env, proxy::LinkTarget target,
          std::vector<std::pair<std::string, std::string>> settings)
      : env_(env), target_(std::move(target)), settings_(std::move(settings)) {}

  const proxy::LinkEnv& env() const { return env_; }
  // A session as that role.
  proxy::LinkStart start_of(const ClientStart& client) const;

  // What the server told a session of this role when it began. With it a client can be greeted
  // before it has a session. Nothing: none has begun yet, or this client's would be told otherwise.
  std::optional<proxy::Parameters> greeting_for(const ClientStart& client) const;
  void note_greeting(const ClientStart& client, const proxy::Parameters& reported);

 private:
  const proxy::LinkEnv env_;
  const proxy::LinkTarget target_;
  const std::vector<std::pair<std::string, std::string>> settings_;
  std::map<std::string, proxy::Parameters, std::less<>> greetings_;  // by role
};

}  // namespace forebay::standin
