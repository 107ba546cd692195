// AwsEnv: what looking for credentials, regions and endpoints asks of the world.
#pragma once

#include <string>
#include <vector>

#include "forebay/env/cancellation.hpp"
#include "forebay/env/env.hpp"
#include "forebay/env/http.hpp"
#include "forebay/env/machine.hpp"

namespace forebay::aws {

struct AwsEnv {
  Env env;
  HttpTransport& http;
  Machine& machine;
  Cancellation* closing = nullptr;  // of the one who looks; null: it never closes

  // As those of http and machine. When it closes, what is under way ends with Errc::closed for
  // those who wait for it, and nothing new is begun.
  Task<Result<HttpResponse>> send(HttpRequest request, Instant deadline) const;
  Task<Result<std::string>> read_file(std::string path) const;
  Task<Result<void>> write_private_file(std::string path, std::string content) const;
  Task<Result<ProgramEnd>> run_program(std::vector<std::string> words, Instant deadline) const;
};

}  // namespace forebay::aws
