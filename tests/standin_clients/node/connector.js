// The Aurora DSQL connector for node-postgres, told nothing but an endpoint and a user: eight queries at once,
// transactions that the connector runs again after conflicts, and another role.
'use strict';

const assert = require('node:assert');
const { AuroraDSQLClient, AuroraDSQLPool } = require('@aws/aurora-dsql-node-postgres-connector');

const host = process.env.CLUSTER_ENDPOINT;
const retry = { maxRetries: 50, maxDelayMs: 4 };
const TRANSACTIONS = 20;
const crowd = Array.from({ length: 8 }, (_, number) => number);

async function main() {
  const pool = new AuroraDSQLPool({ host, user: 'admin', max: 8, retry });
  const one = async (text, values) => Object.values((await pool.query(text, values)).rows[0])[0];
  try {
    assert.deepStrictEqual(await Promise.all(crowd.map((number) => one('SELECT $1::int', [number]))), crowd);
    assert.match(await one('SHOW application_name'), /^aurora-dsql-nodejs-pg\//);
    await pool.query('CREATE TABLE pg_rows (id int PRIMARY KEY)');
    await pool.query('SELECT standin.conflicts(0.5)');
    let attempts = 0;
    for (let number = 0; number < TRANSACTIONS; number++) {
      await pool.transaction(async (client) => {
        attempts++;
        await client.query('INSERT INTO pg_rows VALUES ($1)', [number]);
      });
    }
    await pool.query('SELECT standin.calm()');
    assert(attempts > TRANSACTIONS, `${attempts} attempts`);
    assert.strictEqual(await one('SELECT count(*)::int FROM pg_rows'), TRANSACTIONS);
    await pool.query('CREATE ROLE node_role WITH LOGIN');
  } finally {
    await pool.end();
  }
  const other = new AuroraDSQLClient({ host, user: 'node_role' });
  await other.connect();
  assert.strictEqual((await other.query('SELECT current_user')).rows[0].current_user, 'node_role');
  await other.end();
  console.log('the connector for node-postgres: all as expected');
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
