// node-postgres: named statements, cursors, COPY streams, transactions, notifications, cancels, a pool.
'use strict';

const assert = require('node:assert');
const { pipeline } = require('node:stream/promises');
const { Readable } = require('node:stream');
const { Client, Pool } = require('pg');
const Cursor = require('pg-cursor');
const copy = require('pg-copy-streams');

const MODE = process.env.PROXY_MODE ?? 'direct';
const SERVERS = Number(process.env.PROXY_SERVERS ?? 100);
const CLIENTS = 8;
const ROUNDS = 20;
const MEGABYTE = 1 << 20;
const SESSION_STATE = [
  'LISTEN refused_channel',
  'CREATE TEMPORARY TABLE refused_table (id int)',
  'SELECT pg_advisory_lock(4711)',
];

async function withOne(work, number = 0, options = {}) {
  const client = new Client({ application_name: `client ${number}`, connectionTimeoutMillis: 20000, ...options });
  await client.connect();
  try {
    await work(client, number);
  } finally {
    await client.end();
  }
}

const atOnce = (count, work) => Promise.all(Array.from({ length: count }, (_, number) => withOne(work, number)));

async function one(client, text, values) {
  const { rows } = await client.query({ text, values, rowMode: 'array' });
  return rows[0][0];
}

const failsWith = (code, promise) => assert.rejects(promise, (error) => {
  assert.strictEqual(error.code, code, error.message);
  return true;
});

const steps = {
  async tables() {
    await withOne(async (client) => {
      await client.query('DROP TABLE IF EXISTS node_rows; CREATE TABLE node_rows (id int PRIMARY KEY, name text)');
      const results = await client.query('SELECT 1 AS a; SELECT 2 AS b');
      assert.deepStrictEqual(results.map((result) => result.rows), [[{ a: 1 }], [{ b: 2 }]]);
    });
  },

  async namedStatements() {
    const seen = new Set();
    await atOnce(CLIENTS, async (client, number) => {
      for (let turn = 0; turn < ROUNDS; turn++) {
        const text = `SELECT $1::int + ${number} AS total, pg_backend_pid() AS server`;
        const { rows } = await client.query({ name: 'same', text, values: [turn] });
        assert.strictEqual(rows[0].total, turn + number);
        seen.add(rows[0].server);
        assert.strictEqual(await one(client, `SELECT $1 || ' of ${number}'`, ['text']), `text of ${number}`);
        assert.strictEqual(await one(client, 'SHOW application_name'), `client ${number}`);
      }
    });
    if (MODE === 'transaction' || MODE === 'refuse') assert(seen.size <= SERVERS, `${seen.size} servers`);
  },

  // The client queues them; each is sent when the one before has been answered.
  async queued() {
    await atOnce(CLIENTS, async (client, number) => {
      const wanted = Array.from({ length: 50 }, (_, index) => index * number);
      const got = await Promise.all(wanted.map((_, index) => one(client, `SELECT $1::int * ${number}`, [index])));
      assert.deepStrictEqual(got, wanted);
    });
  },

  async transactions() {
    await atOnce(CLIENTS, async (client, number) => {
      for (let turn = 0; turn < ROUNDS; turn++) {
        const insert = { name: 'insert', text: 'INSERT INTO node_rows VALUES ($1, $2)' };
        await client.query('BEGIN');
        const server = await one(client, 'SELECT pg_backend_pid()');
        await client.query({ ...insert, values: [number * 1000 + turn, 'row'] });
        await client.query('SAVEPOINT here');
        await failsWith('23505', client.query({ ...insert, values: [number * 1000 + turn, 'again'] }));
        await failsWith('25P02', client.query('SELECT 1'));
        await client.query('ROLLBACK TO here');
        assert.strictEqual(await one(client, 'SELECT pg_backend_pid()'), server);
        await client.query(turn % 2 ? 'COMMIT' : 'ROLLBACK');
      }
      const rows = await one(client, 'SELECT count(*)::int FROM node_rows WHERE id / 1000 = $1', [number]);
      assert.strictEqual(rows, ROUNDS / 2);
    });
  },

  async cursors() {
    await atOnce(CLIENTS, async (client, number) => {
      await client.query('BEGIN');
      const cursor = client.query(new Cursor(`SELECT n + ${number} AS n FROM generate_series(1, 250) n`));
      const got = [];
      for (let rows = await cursor.read(100); rows.length > 0; rows = await cursor.read(100)) {
        got.push(...rows.map((row) => row.n));
      }
      await cursor.close();
      await client.query('COMMIT');
      assert.deepStrictEqual(got, Array.from({ length: 250 }, (_, index) => index + 1 + number));
    });
  },

  // Without a transaction its portal lives until the Sync that closing it sends.
  async cursorsClosedEarly() {
    await atOnce(CLIENTS, async (client, number) => {
      for (let turn = 0; turn < 5; turn++) {
        const cursor = client.query(new Cursor('SELECT generate_series(1, 1000) AS n'));
        assert.strictEqual((await cursor.read(3)).length, 3);
        await cursor.close();
        assert.strictEqual(await one(client, 'SELECT $1::int', [number]), number);
      }
    });
  },

  async copies() {
    await withOne(async (client) => {
      await client.query('TRUNCATE node_rows');
      const lines = Array.from({ length: 2000 }, (_, index) => `${index}\tcopied ${index}\n`);
      await pipeline(Readable.from(lines), client.query(copy.from('COPY node_rows FROM STDIN')));
      let out = '';
      const stream = client.query(copy.to('COPY (SELECT * FROM node_rows ORDER BY id) TO STDOUT'));
      for await (const part of stream) out += part;
      assert.strictEqual(out, lines.join(''));
      const nonsense = Readable.from(['no number\tx\n']);
      await failsWith('22P02', pipeline(nonsense, client.query(copy.from('COPY node_rows FROM STDIN'))));
      assert.strictEqual(await one(client, 'SELECT count(*)::int FROM node_rows'), 2000);
    });
  },

  async largeRows() {
    await atOnce(4, async (client, number) => {
      const body = Buffer.alloc(MEGABYTE, number);
      for (let turn = 0; turn < 3; turn++) {
        assert(body.equals(await one(client, 'SELECT $1::bytea', [body])), 'a large row comes back');
      }
    });
  },

  async timeouts() {
    await withOne(async (client) => {
      await failsWith('57014', client.query('SELECT pg_sleep(20)'));
      assert.strictEqual(await one(client, 'SHOW statement_timeout'), '200ms');
    }, 0, { statement_timeout: 200 });
    await withOne(async (client) => assert.strictEqual(await one(client, 'SHOW statement_timeout'), '0'));
  },

  // The cancel of node-postgres is a client of its own, and its answer is that of the statement.
  async cancels() {
    await withOne(async (client) => {
      const sleep = new (require('pg').Query)('SELECT pg_sleep(30)');
      const ended = new Promise((resolve, reject) => { sleep.on('error', reject).on('end', resolve); });
      client.query(sleep);
      setTimeout(() => new Client().cancel(client, sleep), 300);
      await failsWith('57014', ended);
      assert.strictEqual(await one(client, 'SELECT 1'), 1);
    });
  },

  async pools() {
    const pool = new Pool({ max: CLIENTS, min: 0 });
    const wanted = Array.from({ length: 100 }, (_, index) => index);
    const got = await Promise.all(wanted.map((index) => pool.query('SELECT $1::int AS n', [index])));
    assert.deepStrictEqual(got.map((result) => result.rows[0].n), wanted);
    await pool.end();
  },

  async sessionState() {
    await withOne((listener) => withOne(async (other) => {
      const heard = new Promise((resolve) => { listener.on('notification', resolve); });
      await listener.query('LISTEN node_channel');
      await other.query('NOTIFY node_channel, \'hello\'');
      assert.strictEqual((await heard).payload, 'hello');
      await other.query('CREATE TEMPORARY TABLE node_temporary AS SELECT 42 AS number');
      for (let turn = 0; turn < 3; turn++) {
        assert.strictEqual(await one(other, 'SELECT number FROM node_temporary'), 42);
      }
    }));
  },

  async refusals() {
    await withOne(async (client) => {
      for (const statement of SESSION_STATE) {
        await failsWith('0A000', client.query(statement));
        await failsWith('0A000', client.query({ name: 'refused', text: statement, values: [] }));
        assert.strictEqual(await one(client, 'SELECT 1'), 1);
      }
    });
  },
};

async function main() {
  const all = Object.keys(steps).filter((name) => name !== 'refusals');
  for (const name of MODE === 'refuse' ? ['refusals', 'namedStatements'] : all) {
    const began = performance.now();
    process.stdout.write(`  ${name}`);
    try {
      await steps[name]();
      console.log(`: ${((performance.now() - began) / 1000).toFixed(2)} s`);
    } catch (error) {
      console.log(` failed after ${((performance.now() - began) / 1000).toFixed(2)} s:`, error);
      process.exitCode = 1;
    }
  }
}

main();
