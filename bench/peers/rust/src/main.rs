//! deadpool-postgres with its statement cache, tasks on tokio's threads. A batch is what tokio-postgres sends when
//! several requests are polled together. bench/peers/run calls it; cpp/main.cpp says with what, and what it prints.
use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_postgres::{types::ToSql, NoTls};

const ONE: &str = "SELECT 1";
const ROW: &str = "SELECT name FROM account WHERE id = $1";
const CHANGE: &str = "UPDATE account SET name = $2 WHERE id = $1";
const IDS: i32 = 300; // of each caller: no two touch the same rows

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

struct Request {
    socket: String,
    port: u16,
    work: String,
    callers: usize,
    connections: usize,
    seconds: f64,
    warm_up: f64,
}

fn read_request() -> Outcome<Request> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| -> Outcome<String> {
        let found = words.chunks_exact(2).find(|pair| pair[0] == name);
        Ok(found.ok_or_else(|| format!("{name} is missing"))?[1].clone())
    };
    Ok(Request {
        socket: given("--socket")?,
        port: given("--port")?.parse()?,
        work: given("--work")?,
        callers: given("--callers")?.parse()?,
        connections: given("--connections")?.parse()?,
        seconds: given("--seconds")?.parse()?,
        warm_up: given("--warm-up")?.parse()?,
    })
}

struct Caller {
    first: i32,
    last: i32,
    cycles: Vec<f64>, // milliseconds
}

impl Caller {
    fn next_id(&mut self) -> i32 {
        self.last = self.last % IDS + 1;
        self.first + self.last
    }
}

async fn transaction(client: &mut Object, caller: &mut Caller) -> Outcome<()> {
    let tx = client.transaction().await?;
    let row = tx.prepare_cached(ROW).await?;
    let _name: String = tx.query_one(&row, &[&caller.next_id()]).await?.get(0);
    for _ in 0..2 {
        let change = tx.prepare_cached(CHANGE).await?;
        tx.execute(&change, &[&caller.next_id(), &"name"]).await?;
    }
    Ok(tx.commit().await?)
}

async fn batch(client: &Object, caller: &mut Caller) -> Outcome<()> {
    let row = client.prepare_cached(ROW).await?;
    let change = client.prepare_cached(CHANGE).await?;
    let (read, first, second) = (caller.next_id(), caller.next_id(), caller.next_id());
    let read: [&(dyn ToSql + Sync); 1] = [&read];
    let first: [&(dyn ToSql + Sync); 2] = [&first, &"name"];
    let second: [&(dyn ToSql + Sync); 2] = [&second, &"name"];
    // Sent in this order, as each is polled for the first time.
    let (_, found, _, _, _) = tokio::try_join!(
        client.batch_execute("BEGIN"),
        client.query_one(&row, &read),
        client.execute(&change, &first),
        client.execute(&change, &second),
        client.batch_execute("COMMIT"),
    )?;
    let _name: String = found.get(0);
    Ok(())
}

async fn work_once(pool: &Pool, work: &str, caller: &mut Caller) -> Outcome<()> {
    let mut client = pool.get().await?;
    match work {
        "select1" => {
            let one = client.prepare_cached(ONE).await?;
            let _value: i32 = client.query_one(&one, &[]).await?.get(0);
        }
        "row" => {
            let row = client.prepare_cached(ROW).await?;
            let _name: String = client.query_one(&row, &[&caller.next_id()]).await?.get(0);
        }
        "transaction" => transaction(&mut client, caller).await?,
        "batch" => batch(&client, caller).await?,
        _ => return Err(format!("no such work: {work}").into()),
    }
    Ok(())
}

async fn repeat(pool: Pool, work: Arc<str>, number: usize, start: Instant, end: Instant) -> Outcome<Vec<f64>> {
    let mut caller = Caller { first: number as i32 * IDS, last: 0, cycles: Vec::new() };
    loop {
        let begun = Instant::now();
        if begun >= end {
            return Ok(caller.cycles);
        }
        work_once(&pool, &work, &mut caller).await?;
        let now = Instant::now();
        if begun >= start && now <= end {
            caller.cycles.push((now - begun).as_secs_f64() * 1e3);
        }
    }
}

fn processor_us() -> f64 {
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut used) };
    let us = |time: libc::timeval| time.tv_sec as f64 * 1e6 + time.tv_usec as f64;
    us(used.ru_utime) + us(used.ru_stime)
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let request = read_request()?;
    let mut config = tokio_postgres::Config::new();
    config.host_path(&request.socket).port(request.port).user("peer").dbname("postgres");
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_config(config, NoTls, recycling);
    let pool = Pool::builder(manager).max_size(request.connections).build()?;

    let start = Instant::now() + Duration::from_secs_f64(request.warm_up);
    let end = start + Duration::from_secs_f64(request.seconds);
    let work: Arc<str> = request.work.as_str().into();
    let tasks: Vec<_> = (0..request.callers)
        .map(|number| tokio::spawn(repeat(pool.clone(), work.clone(), number, start, end)))
        .collect();
    tokio::time::sleep_until(start.into()).await;
    let before = processor_us();
    tokio::time::sleep_until(end.into()).await;
    let used = processor_us() - before;

    let (mut all, mut served) = (Vec::new(), Vec::new());
    for task in tasks {
        let cycles = task.await??;
        served.push(cycles.len() as f64);
        all.extend(cycles);
    }
    all.sort_by(f64::total_cmp);
    let quantile = |part: f64| all[((all.len() - 1) as f64 * part) as usize];
    let (least, most) = served.iter().fold((f64::MAX, 0.0), |(low, high), &n| (n.min(low), n.max(high)));
    println!(
        "{{\"queries\": {}, \"seconds\": {:.3}, \"processor_us\": {:.2}, \"p50_ms\": {:.4}, \
         \"p999_ms\": {:.4}, \"fairness\": {:.4}}}",
        all.len(), request.seconds, used / all.len() as f64, quantile(0.5), quantile(0.999), least / most
    );
    Ok(())
}
