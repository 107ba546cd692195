// RoleMappings: which identity of IAM may be which role, as AWS IAM GRANT and REVOKE have it.
#pragma once

#include <string>

#include "forebay/base/error.hpp"
#include "forebay/env/task.hpp"

namespace forebay::standin {

class RoleMappings {
 public:
  virtual ~RoleMappings() = default;
  virtual Task<Result<bool>> has(std::string role, std::string arn) = 0;
};

}  // namespace forebay::standin
