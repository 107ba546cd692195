// Where a throw-away PostgreSQL comes from: installed programs, a folder, a data folder to copy.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "forebay/embedded/server_process.hpp"

namespace forebay::embedded {

// The folder with the newest postgres and initdb of this machine.
Result<std::filesystem::path> find_binaries();

// Whom the server must run as; nobody if this process can run it itself.
Result<std::optional<Account>> server_account();

// A new folder in the system's temporary one, closed to others, deleted with this object. One that
// a killed process left behind is deleted by the next process that makes one.
class TemporaryFolder {
 public:
  // The name is a prefix; the account is the owner.
  static Result<std::unique_ptr<TemporaryFolder>> make(const std::optional<Account>& account,
                                                       std::string_view name);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  bool lock();

  const std::filesystem::path path_;
  int lock_ = -1;  // held while this process lives: the kernel lets go of it, whatever happens
};

// A fresh data folder, made once and kept for every later server. Safe against other processes.
Result<std::filesystem::path> find_or_make_template(const std::filesystem::path& binaries,
                                                    const std::optional<Account>& account);

}  // namespace forebay::embedded
