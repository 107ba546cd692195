#include "forebay/aws/aws_env.hpp"

#include <optional>
#include <utility>

#include "forebay/env/race.hpp"

namespace forebay::aws {
namespace {

template <class T>
Task<Result<T>> unless_closing(Task<Result<T>> task, Cancellation* closing) {
  if (closing == nullptr) co_return co_await std::move(task);
  std::optional<Result<T>> answer = co_await race(std::move(task), *closing);
  if (answer) co_return std::move(*answer);
  co_return failure(Errc::closed, "the search for AWS credentials was ended: its owner is closing");
}

}  // namespace

Task<Result<HttpResponse>> AwsEnv::send(HttpRequest request, Instant deadline) const {
  return unless_closing(http.send(std::move(request), deadline), closing);
}

Task<Result<std::string>> AwsEnv::read_file(std::string path) const {
  return unless_closing(machine.read_file(std::move(path)), closing);
}

Task<Result<void>> AwsEnv::write_private_file(std::string path, std::string content) const {
  return unless_closing(machine.write_private_file(std::move(path), std::move(content)), closing);
}

Task<Result<ProgramEnd>> AwsEnv::run_program(std::vector<std::string> words,
                                             Instant deadline) const {
  return unless_closing(machine.run_program(std::move(words), deadline), closing);
}

}  // namespace forebay::aws
