"""What programs with the AWS SDK for Python do with tables of leases and rates, and what they are told."""

import concurrent.futures
import decimal
import time

import boto3
import boto3.dynamodb.conditions
import botocore.config
import botocore.exceptions

Attr = boto3.dynamodb.conditions.Attr
Key = boto3.dynamodb.conditions.Key
NEVER_AGAIN = botocore.config.Config(retries={"max_attempts": 1})


def refused(code, call, **arguments):
    """The answer must be that error."""
    try:
        call(**arguments)
    except botocore.exceptions.ClientError as error:
        assert error.response["Error"]["Code"] == code, error.response
        return error.response
    raise AssertionError(f"{code} was expected of {call} {arguments}")


def make_table(client):
    client.create_table(TableName="leases", BillingMode="PAY_PER_REQUEST",
                        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
    client.get_waiter("table_exists").wait(TableName="leases")
    refused("ResourceInUseException", client.create_table, TableName="leases", BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
    client.update_time_to_live(TableName="leases",
                               TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl_epoch"})
    ttl = client.describe_time_to_live(TableName="leases")["TimeToLiveDescription"]
    assert ttl == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl_epoch"}, ttl
    assert client.list_tables()["TableNames"] == ["leases"]
    assert client.describe_table(TableName="leases")["Table"]["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


def use_items(client, table):
    table.put_item(Item={"pk": "counter", "active": 0, "note": "ä \"quoted\" \U0001f41d"})
    item = table.get_item(Key={"pk": "counter"}, ConsistentRead=True)["Item"]
    assert item == {"pk": "counter", "active": decimal.Decimal(0), "note": "ä \"quoted\" \U0001f41d"}, item
    assert "Item" not in table.get_item(Key={"pk": "nobody"})
    changed = table.update_item(Key={"pk": "counter"}, UpdateExpression="SET active = active + :n, #o = :me",
                                ConditionExpression=Attr("active").lte(40) & Attr("gone").not_exists(),
                                ExpressionAttributeNames={"#o": "owner"},
                                ExpressionAttributeValues={":n": 40, ":me": "python"}, ReturnValues="ALL_NEW")
    assert changed["Attributes"]["active"] == 40, changed
    told = refused("ConditionalCheckFailedException", table.update_item, Key={"pk": "counter"},
                   UpdateExpression="SET active = active + :n", ConditionExpression="active < :most",
                   ExpressionAttributeValues={":n": 1, ":most": 40}, ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert told["Item"]["active"] == {"N": "40"}, told
    assert table.query(KeyConditionExpression=Key("pk").eq("counter"))["Count"] == 1
    refused("ValidationException", table.put_item, Item={"pk": "list", "values": [1]})
    refused("ResourceNotFoundException", client.get_item, TableName="none", Key={"pk": {"S": "a"}})


def use_many(client, table):
    with table.batch_writer() as batch:
        for i in range(60):
            batch.put_item(Item={"pk": f"lease#{i:02}", "connections": i, "ttl_epoch": int(time.time()) + 600})
    pages = client.get_paginator("scan").paginate(
        TableName="leases", FilterExpression="begins_with(pk, :start)",
        ExpressionAttributeValues={":start": {"S": "lease#"}}, PaginationConfig={"PageSize": 7})
    found = [item["pk"]["S"] for page in pages for item in page["Items"]]
    assert sorted(found) == [f"lease#{i:02}" for i in range(60)], found
    keys = [{"pk": {"S": f"lease#{i:02}"}} for i in range(59, 62)]
    batch = client.batch_get_item(RequestItems={"leases": {"Keys": keys}})
    assert len(batch["Responses"]["leases"]) == 1 and not batch["UnprocessedKeys"], batch
    assert table.scan(Select="COUNT")["Count"] == 61


def transact(client):
    def write(limit):
        return [{"Update": {"TableName": "leases", "Key": {"pk": {"S": "counter"}},
                            "UpdateExpression": "SET active = active + :one", "ConditionExpression": "active < :most",
                            "ExpressionAttributeValues": {":one": {"N": "1"}, ":most": {"N": str(limit)}}}},
                {"Put": {"TableName": "leases", "Item": {"pk": {"S": "mine"}, "connections": {"N": "1"}}}}]

    client.transact_write_items(TransactItems=write(41), ClientRequestToken="once")
    client.transact_write_items(TransactItems=write(41), ClientRequestToken="once")  # it was made before
    refused("IdempotentParameterMismatchException", client.transact_write_items, TransactItems=write(50),
            ClientRequestToken="once")
    told = refused("TransactionCanceledException", client.transact_write_items, TransactItems=write(41))
    assert [reason["Code"] for reason in told["CancellationReasons"]] == ["ConditionalCheckFailed", "None"], told
    got = client.transact_get_items(TransactItems=[
        {"Get": {"TableName": "leases", "Key": {"pk": {"S": name}}}} for name in ("counter", "mine", "nobody")])
    assert [answer.get("Item", {}).get("active", {}).get("N") for answer in got["Responses"]] == ["41", None, None], got


def crowd(client):
    def add(_):
        client.update_item(TableName="leases", Key={"pk": {"S": "crowd"}}, UpdateExpression="ADD n :one",
                           ExpressionAttributeValues={":one": {"N": "1"}})

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(add, range(400)))
    item = client.get_item(TableName="leases", Key={"pk": {"S": "crowd"}})["Item"]
    assert item["n"] == {"N": "400"}, item


def main():
    client = boto3.client("dynamodb", config=NEVER_AGAIN)
    table = boto3.resource("dynamodb", config=NEVER_AGAIN).Table("leases")
    make_table(client)
    use_items(client, table)
    use_many(client, table)
    transact(client)
    crowd(client)
    refused("ValidationException", client.transact_write_items,
            TransactItems=[{"Delete": {"TableName": "leases", "Key": {"pk": {"S": "x"}}}}] * 2)
    client.delete_table(TableName="leases")
    client.get_waiter("table_not_exists").wait(TableName="leases")
    print(f"boto3 {boto3.__version__}: all as expected")


if __name__ == "__main__":
    main()
