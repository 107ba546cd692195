#include "forebay/postgres/driver/values_in_force.hpp"

#include <memory>

#include <libpq-fe.h>

#include "forebay/base/no_fork.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/postgres/driver/libpq_env.hpp"
#include "forebay/postgres/driver/libpq_error.hpp"

namespace forebay::postgres {
namespace {

// libpq refuses it, after it has read all that there is to read, and before it dials.
constexpr const char* kStopKeyword = "channel_binding";
constexpr const char* kStopWord = "forebay: do not connect";

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

std::string text_or_empty(const char* text) { return text != nullptr ? text : ""; }

// The one value that has been overwritten. Of a service file it is not seen.
std::string channel_binding_of(const ConnectionString& target) {
  if (const std::string_view given = target.get(kStopKeyword); !given.empty())
    return std::string(given);
  const Options defaults(PQconndefaults());
  for (const PQconninfoOption* option = defaults.get(); option && option->keyword; ++option) {
    if (std::string_view(option->keyword) == kStopKeyword) return text_or_empty(option->val);
  }
  return "";
}

}  // namespace

// libpq tells its values when it has begun; so it is made to stop before it dials, by a value that
// it refuses.
ValuesInForce::ValuesInForce(const ConnectionString& target) {
  const NoFork whole_step;
  KeywordArrays arrays = target.arrays();
  // The last one counts.
  arrays.keywords.insert(arrays.keywords.end() - 1, kStopKeyword);
  arrays.values.insert(arrays.values.end() - 1, kStopWord);
  const LibpqHandle stopped(PQconnectStartParams(arrays.keywords.data(), arrays.values.data(), 0));
  if (!stopped) {
    problem_ = "libpq is out of memory";
    return;
  }
  FOREBAY_CHECK(PQstatus(stopped.get()) == CONNECTION_BAD,
                "libpq connected although it was told nonsense");
  const Options options(PQconninfo(stopped.get()));
  for (const PQconninfoOption* option = options.get(); option && option->keyword; ++option) {
    if (option->val != nullptr) values_.emplace(option->keyword, option->val);
  }
  values_[kStopKeyword] = channel_binding_of(target);
  const std::string said = text_or_empty(PQerrorMessage(stopped.get()));
  if (!said.contains(kStopWord)) {
    problem_ = target.scrubbed(one_line(said));
    return;
  }
  first_host_ = text_or_empty(PQhost(stopped.get()));
  password_ = text_or_empty(PQpass(stopped.get()));
  database_ = text_or_empty(PQdb(stopped.get()));
}

std::string_view ValuesInForce::get(std::string_view keyword) const {
  const auto place = values_.find(keyword);
  return place != values_.end() ? std::string_view(place->second) : std::string_view();
}

}  // namespace forebay::postgres
