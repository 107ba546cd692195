// CredentialsChain: the sources of credentials, asked in order.
//
// The first that has some is remembered and asked alone from then on, so that a program does not
// become somebody else because one source was away for a moment. A source where something is set up
// that does not work ends the search with its error. Confined to its scheduler.
#pragma once

#include <memory>
#include <vector>

#include "forebay/aws/credentials/credentials_provider.hpp"
#include "forebay/aws/credentials/credentials_source.hpp"

namespace forebay::aws {

class CredentialsChain final : public CredentialsProvider {
 public:
  using Sources = std::vector<std::unique_ptr<CredentialsSource>>;

  explicit CredentialsChain(Sources sources) : sources_(std::move(sources)) {}
  Task<Result<Credentials>> get(Instant deadline) override;

 private:
  const Sources sources_;
  CredentialsSource* remembered_ = nullptr;
};

}  // namespace forebay::aws
