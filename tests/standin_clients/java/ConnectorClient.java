// The Aurora DSQL connector for JDBC, told nothing but an endpoint and a user: eight connections at once, a transaction
// that is run again after conflicts, and another role. It begins with TLS at once, without asking first.
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

final class ConnectorClient {
    private static final int CROWD = 8;
    private static final int TRANSACTIONS = 20;
    private static final String CONFLICT = "40001";

    private static Connection connect(String user) throws SQLException {
        String endpoint = System.getenv("CLUSTER_ENDPOINT");
        return DriverManager.getConnection("jdbc:aws-dsql:postgresql://" + endpoint + "/postgres?user=" + user);
    }

    private static String one(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(text)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static void run(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }

    private static void expect(Object actual, Object expected) {
        if (!expected.equals(actual)) {
            throw new AssertionError(actual + ", not " + expected);
        }
    }

    private static void askAtOnce() throws Exception {
        try (Crowd crowd = new Crowd()) {
            var questions = IntStream.range(0, CROWD).mapToObj(ConnectorClient::ask).toList();
            for (var answer : crowd.threads.invokeAll(questions)) {
                expect(answer.get(), "admin");
            }
        }
    }

    private static Callable<String> ask(int number) {
        return () -> {
            try (Connection connection = connect("admin")) {
                expect(one(connection, "SELECT " + number), String.valueOf(number));
                return one(connection, "SELECT current_user");
            }
        };
    }

    private static final class Crowd implements AutoCloseable {
        final ExecutorService threads = Executors.newFixedThreadPool(CROWD);

        @Override
        public void close() {
            threads.shutdown();
        }
    }

    private static int insert(Connection connection, int number) throws SQLException {
        for (int attempt = 1;; attempt++) {
            try {
                run(connection, "INSERT INTO jdbc_rows VALUES (" + number + ")");
                connection.commit();
                return attempt;
            } catch (SQLException error) {
                connection.rollback();
                if (!CONFLICT.equals(error.getSQLState())) {
                    throw error;
                }
            }
        }
    }

    public static void main(String[] words) throws Exception {
        askAtOnce();
        try (Connection admin = connect("admin"); Connection worker = connect("admin")) {
            run(admin, "CREATE TABLE jdbc_rows (id int PRIMARY KEY)");
            run(admin, "CREATE ROLE jdbc_role WITH LOGIN");
            run(admin, "SELECT standin.conflicts(0.5)");
            worker.setAutoCommit(false);
            int attempts = 0;
            for (int number = 0; number < TRANSACTIONS; number++) {
                attempts += insert(worker, number);
            }
            run(admin, "SELECT standin.calm()");
            expect(attempts > TRANSACTIONS, true);
            expect(one(admin, "SELECT count(*) FROM jdbc_rows"), String.valueOf(TRANSACTIONS));
        }
        try (Connection other = connect("jdbc_role")) {
            expect(one(other, "SELECT current_user"), "jdbc_role");
        }
        System.out.println("the connector for JDBC: all as expected");
    }
}
