-- What Aurora DSQL has in the schema sys, for the PostgreSQL behind the stand-in. Run by a superuser in the database of
-- the clients, once before they come; running it again does no harm.

-- The one role that every cluster has.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'admin') THEN
    CREATE ROLE admin LOGIN CREATEROLE;
  END IF;
  EXECUTE format('GRANT CREATE ON DATABASE %I TO admin', current_database());
  GRANT ALL ON SCHEMA public TO admin;
END
$$;

CREATE SCHEMA IF NOT EXISTS sys;
GRANT USAGE ON SCHEMA sys TO PUBLIC;

-- Jobs. PostgreSQL has done what they are for when they are noted, so all of them are completed.
CREATE TABLE IF NOT EXISTS sys.noted_jobs (
  job_id      text PRIMARY KEY,
  job_type    text NOT NULL,
  object_id   oid,
  object_name text,
  noted_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE OR REPLACE VIEW sys.jobs AS
SELECT job_id,
       'completed'::text AS status,
       NULL::text AS details,
       job_type,
       1259::oid AS class_id,
       object_id,
       object_name,
       noted_at AS start_time,
       noted_at AS update_time
FROM sys.noted_jobs;
GRANT SELECT ON sys.jobs TO PUBLIC;

-- 16 bytes by chance in base 32: 26 letters and digits.
CREATE OR REPLACE FUNCTION sys.new_job_id() RETURNS text
LANGUAGE sql SET search_path = pg_catalog, pg_temp
AS $$
  SELECT string_agg(substr('abcdefghijklmnopqrstuvwxyz234567', substring(bits FROM place FOR 5)::int + 1, 1), ''
                    ORDER BY place)
  FROM (SELECT ('x' || replace(gen_random_uuid()::text, '-', ''))::bit(128) || B'00' AS bits) AS id,
       generate_series(1, 126, 5) AS place
$$;

-- Of an index: the one of this name, or the table's newest. Else: the table itself.
CREATE OR REPLACE FUNCTION sys.note_job(type text, of_table regclass, index_name text) RETURNS TABLE (job_id text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  WITH object AS (
    SELECT coalesce((SELECT i.indexrelid
                     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                     WHERE type = 'INDEX_BUILD' AND i.indrelid = of_table
                       AND (index_name IS NULL OR c.relname = index_name)
                     ORDER BY i.indexrelid DESC
                     LIMIT 1), of_table::oid) AS id
  )
  INSERT INTO sys.noted_jobs (job_id, job_type, object_id, object_name)
  SELECT sys.new_job_id(), type, object.id, n.nspname || '.' || c.relname
  FROM object LEFT JOIN pg_class c ON c.oid = object.id LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
  RETURNING noted_jobs.job_id
$$;

-- A procedure, to be CALLed. There is nothing to wait for; an id that is none is refused as on DSQL.
CREATE OR REPLACE PROCEDURE sys.wait_for_job(job_id text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF job_id IS NULL OR job_id !~ '^[a-z2-7]{25}[aeimquy4]$' THEN
    RAISE EXCEPTION 'Unable to convert text to UUID' USING ERRCODE = '22P02';
  END IF;
END
$$;

-- Who may connect as which role: AWS IAM GRANT and REVOKE.
CREATE TABLE IF NOT EXISTS sys.iam_grants (
  iam_oid oid NOT NULL,
  arn     text NOT NULL,
  role    oid NOT NULL,
  grantor oid NOT NULL,
  PRIMARY KEY (role, arn)
);
CREATE SEQUENCE IF NOT EXISTS sys.iam_oids START 16384;

CREATE OR REPLACE VIEW sys.iam_pg_role_mappings AS
SELECT iam_oid,
       arn,
       role AS pg_role_oid,
       r.rolname AS pg_role_name,
       grantor AS grantor_pg_role_oid,
       g.rolname AS grantor_pg_role_name
FROM sys.iam_grants JOIN pg_catalog.pg_roles r ON r.oid = role LEFT JOIN pg_catalog.pg_roles g ON g.oid = grantor;
GRANT SELECT ON sys.iam_pg_role_mappings TO PUBLIC;

CREATE OR REPLACE FUNCTION sys.iam_grant(role_name text, to_arn text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  INSERT INTO sys.iam_grants (iam_oid, arn, role, grantor)
  SELECT nextval('sys.iam_oids')::oid, to_arn, r.oid, g.oid
  FROM pg_roles r, pg_roles g
  WHERE r.rolname = role_name AND g.rolname = session_user
  ON CONFLICT DO NOTHING;
  IF NOT FOUND AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
    RAISE EXCEPTION 'role "%" does not exist', role_name USING ERRCODE = '42704';
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION sys.iam_revoke(role_name text, from_arn text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  DELETE FROM sys.iam_grants
  WHERE arn = from_arn AND role = (SELECT oid FROM pg_roles WHERE rolname = role_name)
$$;

-- Only admin says who may connect.
REVOKE EXECUTE ON FUNCTION sys.iam_grant(text, text), sys.iam_revoke(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sys.iam_grant(text, text), sys.iam_revoke(text, text) TO admin;
