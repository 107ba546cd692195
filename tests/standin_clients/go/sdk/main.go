// pgx with tokens of the AWS SDK for Go: who is let in, who is not, and what they hear.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/dsql/auth"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"forebay/tests/standin_clients/check"
)

const (
	denied = "unable to accept connection, access denied"
	week   = 7 * 24 * time.Hour
)

var (
	ctx  = context.Background()
	host = os.Getenv("PGHOST")
)

// How a token is signed; what is not set is as the environment says.
type signature struct {
	host, region string
	identity     aws.CredentialsProvider
	expires      time.Duration
	isForRole    bool
}

func token(with signature) string {
	found, err := config.LoadDefaultConfig(ctx)
	check.No(err)
	if with.identity == nil {
		with.identity = found.Credentials
	}
	if with.host == "" {
		with.host = host
	}
	if with.region == "" {
		with.region = found.Region
	}
	sign := auth.GenerateDBConnectAdminAuthToken
	if with.isForRole {
		sign = auth.GenerateDbConnectAuthToken
	}
	text, err := sign(ctx, with.host, with.region, with.identity, func(options *auth.TokenOptions) {
		if with.expires != 0 {
			options.ExpiresIn = with.expires
		}
	})
	check.No(err)
	return text
}

// In two ways: TLS is asked for, or begins at once.
func connect(user, password, negotiation string) (*pgx.Conn, error) {
	settings, err := pgx.ParseConfig("sslnegotiation=" + negotiation)
	check.No(err)
	settings.User, settings.Password = user, password
	return pgx.ConnectConfig(ctx, settings)
}

func letIn(user, password string, statements ...string) {
	direct, err := connect(user, password, "direct")
	check.No(err)
	check.No(direct.Close(ctx))
	connection, err := connect(user, password, "postgres")
	check.No(err)
	var who, database string
	var sum int
	check.No(connection.QueryRow(ctx, "SELECT current_user, current_database(), $1::int + 1",
		41).Scan(&who, &database, &sum))
	check.That(who == user && database == "postgres" && sum == 42, "%s %s %d", who, database, sum)
	for _, statement := range statements {
		_, err := connection.Exec(ctx, statement)
		check.No(err)
	}
	check.No(connection.Close(ctx))
}

func turnedAway(user, password, hint string) {
	_, err := connect(user, password, "postgres")
	var told *pgconn.PgError
	check.That(errors.As(err, &told), "%s was not refused: %v", user, err)
	check.That(told.Severity == "FATAL" && told.Code == "28000" && told.Message == denied, "%+v", told)
	check.That(strings.HasPrefix(told.Hint, hint) && (told.Hint == "") == (hint == ""), "%q is not %q", told.Hint, hint)
}

func key(id, secret, session string) aws.CredentialsProvider {
	return credentials.NewStaticCredentialsProvider(id, secret, session)
}

func main() {
	id, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	ofRole := token(signature{isForRole: true})
	letIn("admin", token(signature{}), "CREATE ROLE clerk WITH LOGIN")
	letIn("admin", token(signature{expires: week}))
	letIn("clerk", ofRole)

	turnedAway("admin", "guess", "")
	turnedAway("admin", token(signature{host: "other.dsql.us-east-1.on.aws"}), "")
	turnedAway("admin", token(signature{region: "eu-west-1"}), "")
	turnedAway("admin", token(signature{identity: key(id, "wrong", "")}), "")
	turnedAway("admin", token(signature{identity: key("AKIASOMEBODYELSE0000", secret, "")}), "")
	turnedAway("admin", token(signature{identity: key(id, secret, "some session")}), "")
	turnedAway("admin", ofRole, "Wrong user to action mapping. user: admin, action: DbConnect")
	turnedAway("clerk", token(signature{}), "Wrong user to action mapping. user: clerk, action: DbConnectAdmin")
	turnedAway("nobody", ofRole, "")
	turnedAway("admin", token(signature{expires: week + time.Second}), "")
	short := token(signature{expires: time.Second})
	time.Sleep(2100 * time.Millisecond) // its second has to be over
	turnedAway("admin", short, "Signature expired: ")
	fmt.Println("pgx and the AWS SDK for Go: all as expected")
}
