"""psycopg with tokens of the AWS SDK for Python: who is let in, who is not, and what they hear."""

import os
import time

import boto3
import psycopg

HOST, REGION = os.environ["PGHOST"], os.environ["AWS_REGION"]
DENIED = "FATAL:  unable to accept connection, access denied"
MAPPING = "HINT:  Wrong user to action mapping. user: {}, action: {}"


def signer(region=REGION, **identity):
    return boto3.client("dsql", region_name=region, **identity)


def admin_token(host=HOST, client=None, **more):
    return (client or signer()).generate_db_connect_admin_auth_token(host, **more)


def role_token():
    return signer().generate_db_connect_auth_token(HOST, REGION)


def let_in(user, token, **more):
    with psycopg.connect(user=user, password=token, autocommit=True, **more) as connection:
        row = connection.execute("SELECT current_user, current_database(), %s::int + 1", [41]).fetchone()
        assert row == (user, "postgres", 42), row


def turned_away(user, token, *texts):
    try:
        psycopg.connect(user=user, password=token).close()
    except psycopg.OperationalError as error:
        for text in (DENIED, *texts):
            assert text in str(error), f"{text!r} is not in {error}"
    else:
        raise AssertionError(f"{user} was let in; {texts} was expected")


def main():
    let_in("admin", admin_token())
    let_in("admin", admin_token(ExpiresIn=604800))
    if psycopg.pq.version() >= 170000:
        let_in("admin", admin_token(), sslnegotiation="direct")
    with psycopg.connect(password=admin_token(), autocommit=True) as admin:
        admin.execute("CREATE ROLE teller WITH LOGIN")
    let_in("teller", role_token())

    turned_away("admin", "guess")
    turned_away("admin", admin_token("other.dsql.us-east-1.on.aws"))
    turned_away("admin", admin_token(client=signer("eu-west-1")))
    turned_away("admin", admin_token(client=signer(aws_secret_access_key="wrong",
                                                   aws_access_key_id=os.environ["AWS_ACCESS_KEY_ID"])))
    turned_away("admin", admin_token(client=signer(aws_secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"],
                                                   aws_access_key_id="AKIASOMEBODYELSE0000")))
    turned_away("admin", role_token(), MAPPING.format("admin", "DbConnect"))
    turned_away("teller", admin_token(), MAPPING.format("teller", "DbConnectAdmin"))
    turned_away("nobody", role_token())
    turned_away("admin", admin_token(ExpiresIn=604801))
    short = admin_token(ExpiresIn=1)
    time.sleep(2.1)  # its second has to be over
    turned_away("admin", short, "HINT:  Signature expired: ")
    print(f"boto3 {boto3.__version__}, psycopg {psycopg.__version__}: all as expected")


if __name__ == "__main__":
    main()
