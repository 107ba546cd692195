#include "forebay/env/real/system_machine.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace forebay::real {
namespace {

std::map<std::string, std::string, std::less<>> all_variables() {
  std::map<std::string, std::string, std::less<>> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::unexpected<Error> no_file(const std::string& path, int problem) {
  return failure(Errc::invalid, fmt::format("{} cannot be read: {}", path,
                                            std::generic_category().message(problem)));
}

class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  const int number_;
};

Result<std::string> read_small_file(const std::string& path) {
  const Descriptor file(path);
  struct stat facts{};
  if (file.number() < 0 || ::fstat(file.number(), &facts) != 0) return no_file(path, errno);
  if (!S_ISREG(facts.st_mode))
    return failure(Errc::invalid, path + " cannot be read: it is not a plain file");

  std::string content;
  std::array<char, 16384> part;
  for (;;) {
    const ssize_t count = ::read(file.number(), part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return no_file(path, errno);
    if (count == 0) return content;
    content.append(part.data(), static_cast<std::size_t>(count));
    if (content.size() > SystemMachine::kLargestFile)
      return failure(Errc::invalid, fmt::format("{} is larger than {} KiB; is it the right file?",
                                                path, SystemMachine::kLargestFile >> 10));
  }
}

}  // namespace

SystemMachine::SystemMachine(Scheduler& scheduler, BlockingLane& lane)
    : scheduler_(scheduler), lane_(lane), variables_(all_variables()) {}

std::optional<std::string> SystemMachine::variable(std::string_view name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::vector<std::string> SystemMachine::variables_that_begin_with(std::string_view prefix) const {
  std::vector<std::string> names;
  for (auto at = variables_.lower_bound(prefix); at != variables_.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    if (!at->second.empty()) names.push_back(at->first);
  }
  return names;
}

Task<Result<std::string>> SystemMachine::read_file(std::string path) {
  Result<std::string> content;
  auto work = [&content, &path] { content = read_small_file(path); };
  co_await run_on(lane_, scheduler_, work);
  co_return content;
}

}  // namespace forebay::real
