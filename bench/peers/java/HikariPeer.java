import com.sun.management.OperatingSystemMXBean;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * HikariCP and the JDBC driver with their defaults: a statement is prepared on the server when it is used for the fifth
 * time. JDBC has no Unix sockets, so it connects to 127.0.0.1. Its batches are of one statement: the two changes travel
 * together, the rest does not. bench/peers/run calls it; cpp/main.cpp says with what, and what it prints.
 */
final class HikariPeer {
  private static final String ONE = "SELECT 1";
  private static final String ROW = "SELECT name FROM account WHERE id = ?";
  private static final String CHANGE = "UPDATE account SET name = ? WHERE id = ?";
  private static final int IDS = 300; // of each caller: no two touch the same rows

  /** One of those who repeat a cycle: acquire, work, give back. */
  private static final class Caller extends Thread {
    private final HikariDataSource pool;
    private final String work;
    private final int first;
    private final long start;
    private final long end;
    private int last;
    private double[] cycles = new double[1 << 12]; // milliseconds
    private int count;

    Caller(HikariDataSource pool, String work, int number, long start, long end) {
      this.pool = pool;
      this.work = work;
      this.first = number * IDS;
      this.start = start;
      this.end = end;
    }

    @Override
    public void run() {
      try {
        for (long begun = System.nanoTime(); begun < end; begun = System.nanoTime()) {
          try (Connection connection = pool.getConnection()) {
            workOnce(connection);
          }
          long now = System.nanoTime();
          if (begun >= start && now <= end) add((now - begun) / 1e6);
        }
      } catch (SQLException problem) {
        System.err.println(problem);
        System.exit(1);
      }
    }

    private void add(double milliseconds) {
      if (count == cycles.length) cycles = Arrays.copyOf(cycles, count * 2);
      cycles[count++] = milliseconds;
    }

    private int nextId() {
      last = last % IDS + 1;
      return first + last;
    }

    private void workOnce(Connection connection) throws SQLException {
      switch (work) {
        case "select1" -> selectOne(connection);
        case "row" -> readRow(connection);
        case "transaction", "batch" -> {
          connection.setAutoCommit(false);
          readRow(connection);
          change(connection);
          connection.commit();
        }
        default -> throw new SQLException("no such work: " + work);
      }
    }

    private void selectOne(Connection connection) throws SQLException {
      try (PreparedStatement one = connection.prepareStatement(ONE); ResultSet rows = one.executeQuery()) {
        rows.next();
        rows.getInt(1);
      }
    }

    private void readRow(Connection connection) throws SQLException {
      try (PreparedStatement row = connection.prepareStatement(ROW)) {
        row.setInt(1, nextId());
        try (ResultSet rows = row.executeQuery()) {
          rows.next();
          rows.getString(1);
        }
      }
    }

    private void change(Connection connection) throws SQLException {
      try (PreparedStatement change = connection.prepareStatement(CHANGE)) {
        for (int i = 0; i < 2; ++i) {
          change.setString(1, "name");
          change.setInt(2, nextId());
          if (work.equals("batch")) change.addBatch();
          else change.executeUpdate();
        }
        if (work.equals("batch")) change.executeBatch();
      }
    }
  }

  private static void sleepUntil(long nanoTime) throws InterruptedException {
    Thread.sleep(Math.max(0, (nanoTime - System.nanoTime()) / 1_000_000));
  }

  public static void main(String[] words) throws InterruptedException {
    Map<String, String> given = new HashMap<>();
    for (int i = 0; i + 1 < words.length; i += 2) given.put(words[i], words[i + 1]);
    double seconds = Double.parseDouble(given.get("--seconds"));
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + given.get("--port") + "/postgres?sslmode=disable");
    config.setUsername("peer");
    config.setMaximumPoolSize(Integer.parseInt(given.get("--connections")));
    HikariDataSource pool = new HikariDataSource(config);

    long start = System.nanoTime() + (long) (Double.parseDouble(given.get("--warm-up")) * 1e9);
    long end = start + (long) (seconds * 1e9);
    List<Caller> callers = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(given.get("--callers")); ++i)
      callers.add(new Caller(pool, given.get("--work"), i, start, end));
    callers.forEach(Thread::start);
    OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    sleepUntil(start);
    long before = process.getProcessCpuTime();
    sleepUntil(end);
    double usedUs = (process.getProcessCpuTime() - before) / 1e3;
    for (Caller caller : callers) caller.join();

    double[] all = callers.stream().flatMapToDouble(c -> Arrays.stream(c.cycles, 0, c.count)).sorted().toArray();
    double least = callers.stream().mapToInt(c -> c.count).min().getAsInt();
    double most = callers.stream().mapToInt(c -> c.count).max().getAsInt();
    System.out.printf(Locale.ROOT, "{\"queries\": %d, \"seconds\": %.3f, \"processor_us\": %.2f, \"p50_ms\": %.4f, "
        + "\"p999_ms\": %.4f, \"fairness\": %.4f}%n", all.length, seconds, usedUs / all.length,
        all[(int) ((all.length - 1) * 0.5)], all[(int) ((all.length - 1) * 0.999)], least / most);
    pool.close();
  }
}
