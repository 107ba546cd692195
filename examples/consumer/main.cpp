// Asks a PostgreSQL for its version through a pool of ten connections that are ready beforehand.
#include <iostream>

#include <forebay/forebay.hpp>

int main(int count, char** words) {
  if (count < 2) return std::cout << "usage: consumer postgresql://user@host/database\n", 0;
  forebay::PoolOptions options;
  options.size.max = 10;
  options.supply = forebay::Supply::reservoir;

  forebay::Runtime runtime;
  auto pool = forebay::postgres::PostgresPool::open(runtime, words[1], options);
  if (!pool) return std::cerr << pool.error() << '\n', 1;

  auto version = (*pool)->query_one_blocking<std::string>("SELECT version()");
  if (!version) return std::cerr << version.error() << '\n', 1;  // no row is an error, too
  std::cout << *version << '\n';
}
