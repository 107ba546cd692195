-- One statement a transaction, as Aurora DSQL wants it. Each may be run again.
CREATE TABLE IF NOT EXISTS show (id uuid PRIMARY KEY, name text NOT NULL, seats_left int NOT NULL);
CREATE TABLE IF NOT EXISTS sale (id uuid PRIMARY KEY, show_id uuid NOT NULL, seats int NOT NULL);
CREATE INDEX ASYNC IF NOT EXISTS sale_by_show ON sale (show_id);
