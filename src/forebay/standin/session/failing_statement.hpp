// Statements that do nothing but fail as they are told. The server runs them in place of one that
// must fail, or before one that may have to, so that everything else about the failure is its own:
// the order of answers, what becomes of the transaction, what is skipped up to the next Sync. Pure.
#pragma once

#include <string>

#include "forebay/standin/statements/judgement.hpp"
#include "forebay/wire/protocol/error_fields.hpp"

namespace forebay::standin {

std::string failing_statement(const Refusal& refusal);
// Fails if the guard's question has an answer.
std::string guarding_statement(const Guard& guard);

// Whether an error comes from one, or from the rules that are kept in the database: then it says
// where, and clients must not see that.
bool is_made_by_us(const wire::ErrorFields& fields);

}  // namespace forebay::standin
