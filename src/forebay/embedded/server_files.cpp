// initdb takes a second, so it runs once per machine and user: servers start from copies
// of a template.
#include "forebay/embedded/server_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace forebay::embedded {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kInitLimit{
    120'000};  // sanitizer builds on busy machines are slow

bool has_programs(const fs::path& folder) {
  return ::access((folder / "postgres").c_str(), X_OK) == 0 &&
         ::access((folder / "initdb").c_str(), X_OK) == 0;
}

// A folder that somebody else could have put there is not used.
bool is_own_template(const fs::path& path, const std::optional<Account>& account) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  return status.st_uid == (account ? account->user : ::geteuid());
}

constexpr std::string_view kLockFile = "lock";

// Only folders with a lock are looked at, and a lock appears only when it is already held.
void delete_orphans(const fs::path& parent, std::string_view name) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    if (!entry.path().filename().string().starts_with(name)) continue;
    const int lock = ::open((entry.path() / kLockFile).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (lock < 0) continue;
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), ignored);
    ::close(lock);
  }
}

}  // namespace

// Debian keeps each major version in a folder of its own, outside PATH.
Result<fs::path> find_binaries() {
  int newest = 0;
  fs::path found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const int version = std::atoi(entry.path().filename().c_str());
    if (version > newest && has_programs(entry.path() / "bin")) {
      newest = version;
      found = entry.path() / "bin";
    }
  }
  if (!found.empty()) return found;
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    if (has_programs(rest.substr(0, colon))) return fs::path(rest.substr(0, colon));
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return failure(
      Errc::invalid,
      "PostgreSQL is not installed: no postgres and initdb in /usr/lib/postgresql/*/bin or PATH "
      "(Debian: apt install postgresql)");
}

Result<std::optional<Account>> server_account() {
  if (::geteuid() != 0) return std::optional<Account>();
  const passwd* entry = ::getpwnam("postgres");
  if (entry == nullptr)
    return failure(Errc::invalid,
                   "PostgreSQL does not run as root, and there is no user \"postgres\"");
  return std::optional<Account>(Account{entry->pw_uid, entry->pw_gid});
}

Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::make(
    const std::optional<Account>& account, std::string_view name) {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) return failure(Errc::invalid, "there is no folder for temporary files");
  delete_orphans(parent, name);
  std::string path = (parent / fmt::format("{}-XXXXXX", name)).string();
  if (::mkdtemp(path.data()) == nullptr)
    return failure(Errc::invalid, fmt::format("cannot make {}", path));
  std::unique_ptr<TemporaryFolder> folder(new TemporaryFolder(path));
  if (!folder->lock()) return failure(Errc::invalid, fmt::format("cannot lock {}", path));
  if (account && ::chown(path.c_str(), account->user, account->group) != 0) {
    return failure(Errc::invalid, fmt::format("cannot give {} to the user postgres", path));
  }
  return folder;
}

bool TemporaryFolder::lock() {
  const fs::path unlocked = path_ / "unlocked";
  lock_ = ::open(unlocked.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0 || ::flock(lock_, LOCK_EX) != 0) return false;
  std::error_code error;
  fs::rename(unlocked, path_ / kLockFile, error);
  return !error;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

Result<fs::path> find_or_make_template(const fs::path& binaries,
                                       const std::optional<Account>& account) {
  std::string version = binaries.string();
  std::ranges::replace(version, '/', '-');
  const std::string name = fmt::format("forebay-pg-template-{}{}", ::geteuid(), version);
  fs::path place = fs::temp_directory_path() / name;
  if (is_own_template(place, account)) return place;

  const auto scratch = TemporaryFolder::make(account, "forebay-pg-initdb");
  if (!scratch) return failure(scratch.error());
  const fs::path data = (*scratch)->path() / "data";
  // Small WAL segments: the copy of a template is then 23 MB, not 39.
  const Command initdb{{(binaries / "initdb").string(), "--pgdata=" + data.string(),
                        "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C",
                        "--wal-segsize=1", "--no-sync", "--no-instructions"},
                       account,
                       (*scratch)->path() / "log"};
  const Result<void> made = run_to_end(initdb, kInitLimit);
  if (!made) return failure(made.error());
  // Renaming is atomic. If another process was faster, its template stays and ours goes.
  std::error_code ignored;
  fs::rename(data, place, ignored);
  if (!is_own_template(place, account))
    return failure(Errc::invalid, fmt::format("cannot make {}", place.string()));
  return place;
}

}  // namespace forebay::embedded
