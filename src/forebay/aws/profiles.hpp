// Profiles: what the shared config and credentials files of AWS say, merged.
//
// In the config file a profile is [default] or [profile name], in the credentials file [name]. What
// the credentials file says about a profile counts more. Lines that begin with # or ; are comments,
// as is what follows a blank and one of them. Indented lines belong to the key above them and are
// not needed here.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/error.hpp"
#include "forebay/env/machine.hpp"
#include "forebay/env/task.hpp"

namespace forebay::aws {

using Profile = std::map<std::string, std::string>;  // by key, in lower case

// Absent: empty.
std::string value_at(const Profile& profile, const std::string& key);

class Profiles {
 public:
  Profiles() = default;

  // The config file first.
  void add_config(std::string_view text);
  void add_credentials(std::string_view text);
  const Profile* find(const std::string& name) const;  // null: there is none
  const Profile& selected() const;                     // empty if there is none of that name

  std::string selected_name = "default";
  bool is_chosen = false;          // by AWS_PROFILE
  std::vector<std::string> paths;  // where they were looked for

 private:
  enum class Kind : bool { config, credentials };
  void add(std::string_view text, Kind kind);

  std::map<std::string, Profile> profiles_;
};

// AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE or those in ~/.aws; AWS_PROFILE or "default". A file
// that is not there is like an empty one.
Task<Profiles> load_profiles(Machine& machine);

}  // namespace forebay::aws
