// AwsEnv: what looking for credentials, regions and endpoints asks of the world.
#pragma once

#include "forebay/env/env.hpp"
#include "forebay/env/http.hpp"
#include "forebay/env/machine.hpp"

namespace forebay::aws {

struct AwsEnv {
  Env env;
  HttpTransport& http;
  Machine& machine;
};

}  // namespace forebay::aws
