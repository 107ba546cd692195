// AnswerHandle: the owner of a StoredAnswer, whose class is an affair of the driver.
#pragma once

#include <memory>

namespace forebay::postgres {

class StoredAnswer;

struct FreeAnswer {
  void operator()(StoredAnswer* answer) const noexcept;
};
using AnswerHandle = std::unique_ptr<StoredAnswer, FreeAnswer>;

}  // namespace forebay::postgres
