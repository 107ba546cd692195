#include "forebay/env/real/system_machine.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "forebay/env/real/child_program.hpp"
#include "forebay/env/real/owned_descriptor.hpp"

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

Result<std::string> read_small_file(const std::string& path) {
  const OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
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

std::unexpected<Error> not_written(const std::string& path, int problem) {
  return failure(Errc::invalid, fmt::format("{} cannot be written: {}", path,
                                            std::generic_category().message(problem)));
}

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(descriptor, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// Under another name first: readers meanwhile, or after a crash, find the old one whole.
Result<void> replace_file(const std::string& path, const std::string& content) {
  std::string draft = path + ".XXXXXX";
  const int file = ::mkostemp(draft.data(), O_CLOEXEC);  // readable by its owner alone
  if (file < 0) return not_written(path, errno);
  const bool is_written = write_all(file, content);
  int problem = is_written ? 0 : errno;
  if (::close(file) != 0 && problem == 0) problem = errno;
  if (problem == 0 && ::rename(draft.c_str(), path.c_str()) != 0) problem = errno;
  if (problem == 0) return {};
  ::unlink(draft.c_str());
  return not_written(path, problem);
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

Task<Result<void>> SystemMachine::write_private_file(std::string path, std::string content) {
  Result<void> done;
  auto work = [&done, &path, &content] { done = replace_file(path, content); };
  co_await run_on(lane_, scheduler_, work);
  co_return done;
}

Task<Result<ProgramEnd>> SystemMachine::run_program(std::vector<std::string> words,
                                                    Instant deadline) {
  ChildProgram program;
  program.words = std::move(words);
  for (const auto& [name, value] : variables_)
    program.variables.push_back(fmt::format("{}={}", name, value));
  Result<ProgramEnd> end = failure(Errc::closed, "");
  auto work = [&end, &program, this, deadline] {
    end = run_child(program, deadline - scheduler_.now(), is_stopped_);
  };
  co_await run_on(lane_, scheduler_, work);
  co_return end;
}

}  // namespace forebay::real
