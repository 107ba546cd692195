// DynamoDbChannel: signs and sends calls to DynamoDB, and tries again what may be tried again, with
// jitter, until the deadline. Confined to its scheduler.
//
// A call that may be repeated does not wait for one answer until its deadline: after 1.5 s, or half
// the time left, the try is given up and the next one begun. Any other call is sent again only if
// the earlier try was certainly not done.
#pragma once

#include <string>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/aws/dynamodb/dynamodb_call.hpp"
#include "forebay/aws/dynamodb/dynamodb_trouble.hpp"

namespace forebay::aws {

class DynamoDbChannel {
 public:
  DynamoDbChannel(Env env, HttpTransport& http, CredentialsProvider& credentials,
                  DynamoDbOptions options);

  Task<Result<DynamoDbAnswer>> call(DynamoDbCall call, Instant deadline);
  // Waits as before the next try, after the round-th answer that left something undone. False:
  // there is no time for it.
  Task<bool> pause(int round, Instant deadline);
  // 32 hexadecimal digits by chance.
  std::string fresh_token();
  const DynamoDbUsage& usage() const { return usage_; }
  const ServerClock& clock() const { return clock_; }
  const DynamoDbPlace& place() const { return place_; }

 private:
  // The tries of one call.
  struct Tries {
    Instant first{};
    int made = 0;
    bool is_outcome_open = false;  // some try may have been done
    std::string stale_key;         // the access key that AWS says has run out
  };

  HttpRequest request_for(const DynamoDbCall& call, const Credentials& credentials) const;
  Instant try_deadline(const DynamoDbCall& call, Instant deadline) const;
  void count(const DynamoDbCall& call, const DynamoDbAnswer& answer);
  void note_time(const Result<HttpResponse>& response, Instant sent);
  // Remembers what went wrong with a try. True: another may help.
  bool note(const DynamoDbCall& call, Tries& tries, DynamoDbTrouble::Kind kind,
            const std::string& access_key);
  Instant next_try(const Tries& tries, DynamoDbTrouble::Kind kind);
  Error without_credentials(const Tries& tries, const Error& error) const;
  Error given_up(const DynamoDbCall& call, const Tries& tries, const DynamoDbTrouble& trouble,
                 const Credentials& credentials) const;

  const Env env_;
  HttpTransport& http_;
  CredentialsProvider& credentials_;
  const std::string endpoint_;
  const DynamoDbPlace place_;
  DynamoDbUsage usage_;
  ServerClock clock_;
};

}  // namespace forebay::aws
