#include "forebay/cli/sim/output_file.hpp"

#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace forebay::cli {
namespace {

namespace fs = std::filesystem;

std::string reason() { return std::strerror(errno); }

// A link is followed: what it points to is replaced, and not the link.
fs::path behind_links(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path found = fs::weakly_canonical(path, error);
  return error ? fs::path(path) : found;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// In the same folder, since a file cannot be renamed into another file system.
std::string make_hidden_file(const fs::path& file) {
  for (int i = 0; i < 100; ++i) {
    std::string name =
        (folder_of(file) / fmt::format(".{}.{}-{}", file.filename().string(), ::getpid(), i))
            .string();
    const int made = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (made < 0 && errno == EEXIST) continue;
    if (made < 0) return "";
    ::close(made);
    return name;
  }
  return "";
}

}  // namespace

std::optional<std::string> problem_with_output(const std::string& path) {
  std::error_code error;
  const fs::path file = behind_links(path);
  if (!file.has_filename()) return "it must name a file, as in results.csv";
  if (!fs::is_directory(folder_of(file), error)) {
    return fmt::format("there is no folder {}", folder_of(file).string());
  }
  if (fs::is_directory(file, error)) return "it is a folder, and must be a file";
  if (fs::exists(file, error) && !fs::is_regular_file(file, error)) {
    return "it exists, and is no regular file that could be replaced";
  }
  const std::string probe = make_hidden_file(file);
  if (probe.empty()) {
    return fmt::format("in {} no file can be made: {}", folder_of(file).string(), reason());
  }
  ::unlink(probe.c_str());
  return std::nullopt;
}

OutputFile::OutputFile(const std::string& path)
    : path_(path),
      final_path_(behind_links(path).string()),
      hidden_path_(make_hidden_file(final_path_)) {
  if (!hidden_path_.empty()) stream_.open(hidden_path_, std::ios::binary | std::ios::trunc);
}

OutputFile::~OutputFile() {
  stream_.close();
  if (!hidden_path_.empty()) ::unlink(hidden_path_.c_str());
}

Result<void> OutputFile::complete() {
  const bool is_written = stream_.is_open() && stream_.flush().good();
  const std::string why = reason();
  stream_.close();
  if (is_written && stream_.good()) return {};
  return failure(Errc::refused, fmt::format("{} could not be written: {}", path_, why));
}

Result<void> OutputFile::publish() {
  if (std::rename(hidden_path_.c_str(), final_path_.c_str()) != 0) {
    return failure(Errc::refused, fmt::format("{} could not be put in place: {}", path_, reason()));
  }
  hidden_path_.clear();
  return {};
}

}  // namespace forebay::cli
