// Service: the simulated DynamoDB as HTTP sees it. One request in, one response out.
//
// It knows one pair of keys and checks the signature of every request, or it answers all that are
// signed, by whomever. Confined.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forebay/aws/credentials/credentials.hpp"
#include "forebay/aws/signing/sigv4.hpp"
#include "forebay/env/http.hpp"
#include "forebay/sim/dynamodb/tables.hpp"

namespace forebay::sim::dynamodb {

class Service {
 public:
  // Answers whoever signs.
  explicit Service(Tables& tables) : tables_(tables) {}
  // Answers those who sign with these keys, for this region.
  Service(Tables& tables, aws::Credentials credentials, std::string region)
      : tables_(tables), credentials_(std::move(credentials)) {
    scope_.region = std::move(region);
    scope_.service = "dynamodb";
  }

  HttpResponse answer(const HttpRequest& request, WallTime now);
  // The answer of one that has no time for this request: nothing is done.
  // kind: which of the ways to say so, any number.
  HttpResponse answer_busy(const HttpRequest& request, std::uint64_t kind, WallTime now);
  // The answer of one that failed in the middle of it.
  HttpResponse answer_broken(WallTime now);
  // The answer to what could not be read as a request.
  HttpResponse answer_trouble(int status, const std::string& text, WallTime now);

 private:
  std::optional<Refusal> check_signer(const HttpRequest& request, WallTime now) const;
  HttpResponse refusal(const Refusal& refusal, WallTime now);
  HttpResponse response(int status, std::string body, WallTime now);

  Tables& tables_;
  const std::optional<aws::Credentials> credentials_;
  aws::SigningScope scope_;
  std::uint64_t responses_ = 0;
};

}  // namespace forebay::sim::dynamodb
