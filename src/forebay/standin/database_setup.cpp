#include "forebay/standin/database_setup.hpp"

#include <cstdint>
#include <string_view>

#include "forebay/standin/statements/sys_schema.hpp"

namespace forebay::standin {

namespace {

// A trigger that fires at COMMIT fails the whole transaction there, as the limit on bytes does.
constexpr std::string_view kSetup = R"SQL(
SET client_min_messages = warning;
ALTER SCHEMA public OWNER TO admin;
CREATE SCHEMA IF NOT EXISTS standin;
GRANT USAGE ON SCHEMA standin TO PUBLIC;

CREATE TABLE IF NOT EXISTS standin.failures_at_commit (message text, detail text);
CREATE OR REPLACE FUNCTION standin.fail_at_commit() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = '54000', MESSAGE = NEW.message, DETAIL = NEW.detail;
END $$;
DROP TRIGGER IF EXISTS at_commit ON standin.failures_at_commit;
CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON standin.failures_at_commit
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION standin.fail_at_commit();

CREATE OR REPLACE FUNCTION standin.count_changes() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  row_limit bigint := current_setting('standin.row_limit', true);
  size_limit bigint := current_setting('standin.mebibytes', true)::bigint * 1048576;
  rows_before bigint := coalesce(nullif(current_setting('standin.rows', true), ''), '0');
  size_before bigint := coalesce(nullif(current_setting('standin.bytes', true), ''), '0');
  row_count bigint;
  size bigint;
BEGIN
  SELECT rows_before + count(*), size_before + coalesce(sum(pg_column_size(changes.*)), 0)
    INTO row_count, size FROM changes;
  IF row_count > row_limit THEN
    RAISE EXCEPTION USING ERRCODE = '54000', MESSAGE = 'transaction row limit exceeded';
  END IF;
  IF size > size_limit AND size_before <= size_limit THEN
    INSERT INTO standin.failures_at_commit VALUES (
      format('transaction size limit %smb exceeded', size_limit / 1048576),
      format('Current transaction size %smb > %smb', (size + 1048575) / 1048576,
             size_limit / 1048576));
  END IF;
  PERFORM set_config('standin.rows', row_count::text, true),
          set_config('standin.bytes', size::text, true);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION standin.watch(watched regclass) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  event text;
BEGIN
  FOREACH event IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE'] LOOP
    CONTINUE WHEN EXISTS (SELECT FROM pg_trigger
                          WHERE tgrelid = watched AND tgname = 'standin_' || lower(event));
    EXECUTE format('CREATE TRIGGER standin_%s AFTER %s ON %s REFERENCING %s TABLE AS changes '
                   'FOR EACH STATEMENT EXECUTE FUNCTION standin.count_changes()',
                   lower(event), event, watched,
                   CASE event WHEN 'DELETE' THEN 'OLD' ELSE 'NEW' END);
  END LOOP;
END $$;
CREATE OR REPLACE FUNCTION standin.watch_new_tables() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  PERFORM standin.watch(objid) FROM pg_event_trigger_ddl_commands()
    WHERE object_type = 'table' AND schema_name NOT IN ('standin', 'sys');
END $$;
DROP EVENT TRIGGER IF EXISTS standin_new_tables;
CREATE EVENT TRIGGER standin_new_tables ON ddl_command_end
  WHEN TAG IN ('CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO')
  EXECUTE FUNCTION standin.watch_new_tables();
SELECT standin.watch(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND c.relpersistence <> 't'
    AND n.nspname NOT IN ('standin', 'sys', 'information_schema') AND n.nspname NOT LIKE 'pg\_%';

CREATE OR REPLACE FUNCTION standin.tell(command text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE USING ERRCODE = 'FBSTI', MESSAGE = command;
  RETURN command;
END $$;
CREATE OR REPLACE FUNCTION standin.conflicts(fraction double precision) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
  IF fraction IS NULL OR NOT fraction BETWEEN 0 AND 1 THEN
    RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = 'the fraction must be from 0 to 1';
  END IF;
  RETURN standin.tell('conflicts ' || fraction);
END $$;
CREATE OR REPLACE FUNCTION standin.refuse_tokens(is_on boolean) RETURNS text
LANGUAGE sql AS $$
  SELECT standin.tell('refuse_tokens ' || CASE WHEN is_on THEN 'on' ELSE 'off' END)
$$;
CREATE OR REPLACE FUNCTION standin.milliseconds(length interval) RETURNS text
LANGUAGE sql AS $$ SELECT round(extract(epoch FROM length) * 1000) || 'ms' $$;
CREATE OR REPLACE FUNCTION standin.slow_connects(delay interval) RETURNS text
LANGUAGE sql AS $$ SELECT standin.tell('slow_connects ' || standin.milliseconds(delay)) $$;
CREATE OR REPLACE FUNCTION standin.go_away(length interval) RETURNS text
LANGUAGE sql AS $$ SELECT standin.tell('go_away ' || standin.milliseconds(length)) $$;
CREATE OR REPLACE FUNCTION standin.wake_up(connects integer) RETURNS text
LANGUAGE sql AS $$ SELECT standin.tell('wake_up ' || connects) $$;
CREATE OR REPLACE FUNCTION standin.drop_connections() RETURNS text
LANGUAGE sql AS $$ SELECT standin.tell('drop_connections') $$;
CREATE OR REPLACE FUNCTION standin.calm() RETURNS text
LANGUAGE sql AS $$ SELECT standin.tell('calm') $$;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA standin FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA standin TO admin;
REVOKE EXECUTE ON FUNCTION standin.watch FROM admin;
)SQL";

}  // namespace

std::string database_setup() {
  std::string sql;
  for (const BundledFile& file : standin_schema()) sql += file.text;
  return sql + std::string(kSetup);
}

std::vector<std::pair<std::string, std::string>> session_settings(const RuleBook& rules) {
  constexpr std::int64_t kUnlimited = 1'000'000'000;
  const auto limit = [&rules](std::string_view rule, std::int64_t most) {
    return std::to_string(rules.is_off(rule) ? kUnlimited : most);
  };
  return {{"default_transaction_isolation", "repeatable read"},
          // Long enough for locks that PostgreSQL itself holds for a moment, to extend a file say.
          {"lock_timeout", "10ms"},
          {"TimeZone", "UTC"},
          {"standin.row_limit", limit("transaction_rows", rules.limits().rows)},
          {"standin.mebibytes", limit("transaction_size", rules.limits().mebibytes)}};
}

}  // namespace forebay::standin
