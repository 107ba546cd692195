// Profiles: what the shared config and credentials files of AWS say.
//
// In the config file a profile is [default] or [profile name], in the credentials file [name]. What
// the credentials file says about a profile counts more; but keys and session token belong together
// and are taken from one of the files. The config file also has [sso-session name] and [services
// name], to which profiles refer.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/aws/aws_env.hpp"

namespace forebay::aws {

// By key, in lower case; what stands under a key is found as "dynamodb.endpoint_url".
using Profile = std::map<std::string, std::string>;

// Absent: empty.
std::string value_at(const Profile& profile, const std::string& key);

class Profiles {
 public:
  Profiles() = default;

  // The config file first.
  void add_config(std::string_view text);
  void add_credentials(std::string_view text);

  // Merged. Null: there is none in either file.
  const Profile* find(const std::string& name) const { return merged_.find(name); }
  // These are empty if there is none of that name.
  const Profile& selected() const { return merged_.at(selected_name); }
  const Profile& in_config(const std::string& name) const { return config_.at(name); }
  const Profile& in_credentials(const std::string& name) const { return credentials_.at(name); }
  // Null: there is none.
  const Profile* sso_session(const std::string& name) const { return sso_sessions_.find(name); }
  const Profile* services(const std::string& name) const { return services_.find(name); }

  std::string selected_name = "default";
  std::string chosen_by;    // the variable that selected it; empty: none did
  std::string config_path;  // where they were looked for
  std::string credentials_path;

 private:
  class Named {
   public:
    void add(const std::string& name, const Profile& values);  // in place of those that are there
    const Profile* find(const std::string& name) const;
    const Profile& at(const std::string& name) const;

   private:
    std::map<std::string, Profile> all_;
  };

  Named config_;
  Named credentials_;
  Named merged_;
  Named sso_sessions_;
  Named services_;
};

// A path as people write it in settings of AWS: "~/" and the values of variables put in.
std::string expanded_path(const Machine& machine, std::string_view path);

// AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE or those in ~/.aws; AWS_DEFAULT_PROFILE, AWS_PROFILE
// or "default". A file that is not there is like an empty one.
Task<Profiles> load_profiles(AwsEnv env);

}  // namespace forebay::aws
