//! tokio-postgres: statements prepared under names that each process counts (s0, s1 ...), requests that are polled
//! together and so sent together, portals, COPY, cancels, notifications. Ends with 1 if a step fails.
use bytes::Bytes;
use futures_util::future::{join_all, poll_fn, try_join_all};
use futures_util::{pin_mut, SinkExt, TryStreamExt};
use std::collections::HashSet;
use std::error::Error;
use std::fmt::Debug;
use std::future::Future;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tokio_postgres::{types::ToSql, AsyncMessage, Client, NoTls};

const CLIENTS: i32 = 8;
const ROUNDS: i32 = 20;
const MEGABYTE: usize = 1 << 20;
const SESSION_STATE: [&str; 3] =
    ["LISTEN refused_channel", "CREATE TEMPORARY TABLE refused_table (id int)", "SELECT pg_advisory_lock(4711)"];

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn variable(name: &str, otherwise: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| otherwise.to_string())
}

fn address() -> String {
    let named = |name: &str| variable(name, "");
    format!("host={} port={} user={} dbname={}", named("PGHOST"), named("PGPORT"), named("PGUSER"), named("PGDATABASE"))
}

async fn connect(words: &str) -> Outcome<Client> {
    let (client, connection) = tokio_postgres::connect(&format!("{} {words}", address()), NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

fn equal<T: PartialEq + Debug>(actual: T, expected: T, what: &str) -> Outcome<()> {
    if actual == expected {
        return Ok(());
    }
    Err(format!("{what}: {actual:.300?}, not {expected:.300?}").into())
}

fn fails<T>(state: &str, result: Result<T, tokio_postgres::Error>) -> Outcome<()> {
    match result {
        Err(error) if error.code().is_some_and(|code| code.code() == state) => Ok(()),
        Err(error) => Err(format!("{state} expected: {error:?}").into()),
        Ok(_) => Err(format!("nothing failed with {state}").into()),
    }
}

/// All of them at once, each on a task of its own.
async fn together<F>(work: impl Fn(i32) -> F, count: i32) -> Outcome<()>
where
    F: Future<Output = Outcome<()>> + Send + 'static,
{
    for (number, ended) in join_all((0..count).map(|number| tokio::spawn(work(number)))).await.into_iter().enumerate() {
        ended?.map_err(|error| format!("client {number}: {error}"))?;
    }
    Ok(())
}

async fn one(client: &Client, text: &str, values: &[&(dyn ToSql + Sync)]) -> Outcome<i32> {
    Ok(client.query_one(text, values).await?.get(0))
}

async fn tables() -> Outcome<()> {
    let text = "DROP TABLE IF EXISTS tokio_rows; CREATE TABLE tokio_rows (id int PRIMARY KEY, name text)";
    Ok(connect("").await?.batch_execute(text).await?)
}

async fn prepared_statements() -> Outcome<()> {
    let work = |number: i32| async move {
        let client = connect(&format!("application_name=client{number}")).await?;
        let statement = client.prepare(&format!("SELECT $1::int + {number}, pg_backend_pid()")).await?;
        let mut servers = HashSet::new();
        for turn in 0..ROUNDS {
            let row = client.query_one(&statement, &[&turn]).await?;
            equal(row.get::<_, i32>(0), turn + number, "prepared")?;
            servers.insert(row.get::<_, i32>(1));
            equal(one(&client, &format!("SELECT $1::int * {number}"), &[&turn]).await?, turn * number, "at once")?;
            let name: String = client.query_one("SHOW application_name", &[]).await?.get(0);
            equal(name, format!("client{number}"), "application_name")?;
        }
        let most: usize = variable("PROXY_SERVERS", "100").parse()?;
        equal(servers.len() <= most, true, "fewer servers than there may be")
    };
    together(work, CLIENTS).await
}

/// Requests that are polled together are sent without waiting for answers.
async fn pipelines() -> Outcome<()> {
    let work = |number: i32| async move {
        let client = connect("").await?;
        let statement = client.prepare(&format!("SELECT $1::int * {number}")).await?;
        let indices: Vec<i32> = (0..100).collect();
        let requests = indices.iter().map(|index| {
            let (client, statement) = (&client, &statement);
            async move { client.query_one(statement, &[index]).await.map(|row| row.get::<_, i32>(0)) }
        });
        let wanted: Vec<i32> = indices.iter().map(|index| index * number).collect();
        equal(try_join_all(requests).await?, wanted, "answers")?;
        let (first, second, third) = tokio::join!(
            client.query_one("SELECT 1", &[]),
            client.query_one("SELECT 1 / $1::int", &[&0]),
            client.query_one("SELECT 3", &[])
        );
        fails("22012", second)?;
        equal(first?.get::<_, i32>(0) + third?.get::<_, i32>(0), 4, "around an error")
    };
    together(work, CLIENTS).await
}

async fn transactions() -> Outcome<()> {
    let work = |number: i32| async move {
        let mut client = connect("").await?;
        for turn in 0..ROUNDS {
            let key = number * 1000 + turn;
            let mut change = client.transaction().await?;
            let server: i32 = change.query_one("SELECT pg_backend_pid()", &[]).await?.get(0);
            change.execute("INSERT INTO tokio_rows VALUES ($1, 'row')", &[&key]).await?;
            let inner = change.savepoint("here").await?;
            fails("23505", inner.execute("INSERT INTO tokio_rows VALUES ($1, 'again')", &[&key]).await)?;
            fails("25P02", inner.batch_execute("SELECT 1").await)?;
            inner.rollback().await?;
            let same: i32 = change.query_one("SELECT pg_backend_pid()", &[]).await?.get(0);
            equal(same, server, "server within a transaction")?;
            if turn % 2 == 0 {
                change.commit().await?;
            } // otherwise it is rolled back when it is dropped
        }
        let count = "SELECT count(*)::int FROM tokio_rows WHERE id / 1000 = $1";
        equal(one(&client, count, &[&number]).await?, ROUNDS / 2, "committed rows")
    };
    together(work, CLIENTS).await
}

async fn portals() -> Outcome<()> {
    let work = |number: i32| async move {
        let mut client = connect("").await?;
        let change = client.transaction().await?;
        let portal = change.bind("SELECT n + $1 FROM generate_series(1, 250) n", &[&number]).await?;
        let mut got = Vec::new();
        loop {
            let rows = change.query_portal(&portal, 100).await?;
            if rows.is_empty() {
                break;
            }
            got.extend(rows.iter().map(|row| row.get::<_, i32>(0) - number));
        }
        equal(got, (1..=250).collect(), "rows of a portal")?;
        Ok(change.commit().await?)
    };
    together(work, CLIENTS).await
}

async fn copies() -> Outcome<()> {
    let client = connect("").await?;
    client.batch_execute("TRUNCATE tokio_rows").await?;
    let wanted: String = (0..2000).map(|index| format!("{index}\tcopied {index}\n")).collect();
    let sink = client.copy_in("COPY tokio_rows FROM STDIN").await?;
    pin_mut!(sink);
    sink.send(Bytes::from(wanted.clone())).await?;
    equal(sink.finish().await?, 2000, "rows copied in")?;
    let stream = client.copy_out("COPY (SELECT * FROM tokio_rows ORDER BY id) TO STDOUT").await?;
    let parts: Vec<Bytes> = stream.try_collect().await?;
    equal(String::from_utf8(parts.concat())?, wanted, "copied out")?;
    let sink = client.copy_in("COPY tokio_rows FROM STDIN").await?;
    pin_mut!(sink);
    sink.send(Bytes::from_static(b"no number\tx\n")).await?;
    fails("22P02", sink.finish().await)?;
    equal(one(&client, "SELECT count(*)::int FROM tokio_rows", &[]).await?, 2000, "rows")
}

async fn large_rows() -> Outcome<()> {
    let work = |number: i32| async move {
        let client = connect("").await?;
        let body = vec![number as u8; MEGABYTE];
        let got: Vec<u8> = client.query_one("SELECT $1::bytea", &[&body]).await?.get(0);
        equal(got == body, true, "a large row comes back")
    };
    together(work, 4).await
}

async fn cancels() -> Outcome<()> {
    let client = connect("").await?;
    let token = client.cancel_token();
    let (slept, cancelled) = tokio::join!(client.batch_execute("SELECT pg_sleep(30)"), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        token.cancel_query(NoTls).await
    });
    fails("57014", slept)?;
    cancelled?;
    equal(one(&client, "SELECT 1", &[]).await?, 1, "after the cancel")
}

async fn notifications() -> Outcome<()> {
    let (listener, mut connection) = tokio_postgres::connect(&address(), NoTls).await?;
    let (sender, receiver) = tokio::sync::oneshot::channel();
    tokio::spawn(async move {
        let mut sender = Some(sender);
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if let (AsyncMessage::Notification(heard), Some(sender)) = (message, sender.take()) {
                let _ = sender.send(heard.payload().to_string());
            }
        }
    });
    listener.batch_execute("LISTEN tokio_channel").await?;
    connect("").await?.execute("SELECT pg_notify('tokio_channel', 'hello')", &[]).await?;
    let heard = tokio::time::timeout(Duration::from_secs(10), receiver).await??;
    equal(heard, "hello".to_string(), "notification")
}

async fn refusals() -> Outcome<()> {
    let client = connect("").await?;
    for statement in SESSION_STATE {
        fails("0A000", client.batch_execute(statement).await)?;
        fails("0A000", client.query(statement, &[]).await)?;
        equal(one(&client, "SELECT 1", &[]).await?, 1, statement)?;
    }
    Ok(())
}

async fn is_well(name: &str, step: impl Future<Output = Outcome<()>>) -> bool {
    let began = Instant::now();
    match step.await {
        Ok(()) => println!("  {name}: {:.2} s", began.elapsed().as_secs_f64()),
        Err(error) => {
            println!("  {name} failed after {:.2} s: {error} ({error:?})", began.elapsed().as_secs_f64());
            return false;
        }
    }
    true
}

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let is_good = if variable("PROXY_MODE", "direct") == "refuse" {
        is_well("refusals", refusals()).await & is_well("prepared_statements", prepared_statements()).await
    } else {
        is_well("tables", tables()).await
            & is_well("prepared_statements", prepared_statements()).await
            & is_well("pipelines", pipelines()).await
            & is_well("transactions", transactions()).await
            & is_well("portals", portals()).await
            & is_well("copies", copies()).await
            & is_well("large_rows", large_rows()).await
            & is_well("cancels", cancels()).await
            & is_well("notifications", notifications()).await
    };
    ExitCode::from(u8::from(!is_good))
}
