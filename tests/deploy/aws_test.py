"""The files for AWS agree with the code: the policies with the requests that it sends, the table with the one that it
makes, the task's variables with what it understands."""

import json
import re
import unittest

from repository import ROOT, config_check, load_yaml, read, variables

# Which requests a function of the client sends. A transaction has no permission of its own: it needs those of its
# parts, and "write" has the same.
WRITES = {"PutItem", "UpdateItem", "DeleteItem"}
REQUESTS = {"get": {"GetItem"}, "get_all": {"BatchGetItem"}, "scan": {"Scan"}, "write": WRITES, "transact": WRITES,
            "describe_table": {"DescribeTable"}, "create_table": {"CreateTable"},
            "describe_ttl": {"DescribeTimeToLive"}, "enable_ttl": {"UpdateTimeToLive"}}


def operations():
    """The names behind X-Amz-Target, as the sources build them."""
    text = read("src/forebay/aws/dynamodb/dynamodb_requests.cpp")
    names = set(re.findall(r'(?:\bcall\(|return \{)"([A-Z]\w+)", ', text))
    names |= set(re.findall(r'DynamoDbCall call\("(\w+)"', text))
    if 'operation_of(write.kind) + "Item"' in text:
        names |= {kind + "Item" for kind in re.findall(r'return "(\w+)";', text) if kind != "ConditionCheck"}
    return names


def requests_of(*patterns):
    """What the code in such files asks for, by the functions of the client that it calls."""
    text = "\n".join(path.read_text() for pattern in patterns for path in sorted(ROOT.glob(pattern)))
    called = {name for name in REQUESTS if re.search(rf"\b(?:client_?|dynamodb_?|dynamodb\(\))\.{name}\(", text)}
    return set().union(*(REQUESTS[name] for name in called))


def actions(policy, service):
    listed = []
    for statement in json.loads(read(f"deploy/aws/{policy}"))["Statement"]:
        found = statement["Action"]
        listed += [found] if isinstance(found, str) else found
    return {action.removeprefix(f"{service}:") for action in listed if action.startswith(f"{service}:")}


class Policies(unittest.TestCase):
    def test_know_all_operations_of_the_client(self):
        self.assertEqual(operations() - {"TransactWriteItems"}, set().union(*REQUESTS.values()))
        self.assertIn("TransactWriteItems", operations())

    def test_allow_a_service_what_it_does_and_no_more(self):
        sent = requests_of("src/forebay/coordination/**/dynamo_*.cpp", "src/forebay/coordination/**/*_items.cpp")
        self.assertEqual(actions("service-policy.json", "dynamodb"), sent)
        self.assertGreater(len(sent), 4)

    def test_need_no_check_of_a_condition_alone(self):
        sources = "\n".join(path.read_text() for path in (ROOT / "src/forebay/coordination").rglob("*.cpp"))
        self.assertNotIn("Kind::check", sources, "now dynamodb:ConditionCheckItem is needed, too")

    def test_allow_operators_what_the_command_does_and_no_more(self):
        sent = requests_of("src/forebay/cli/**/*.cpp", "src/forebay/doctor/*.cpp", "src/forebay/coordination/**/*.cpp")
        self.assertEqual(actions("operator-policy.json", "dynamodb"), sent)

    def test_allow_to_connect(self):
        signed = set(re.findall(r'"(DbConnect\w*)"', read("src/forebay/aws/signing/dsql_token.cpp")))
        self.assertEqual(signed, {"DbConnect", "DbConnectAdmin"})
        self.assertEqual(actions("service-policy.json", "dsql"), {"DbConnect"})
        self.assertEqual(actions("operator-policy.json", "dsql"), {"DbConnectAdmin"})

    def test_agree_with_the_document(self):
        document = read("docs/coordination.md").split("A service needs this and no more.")[1].split("```")[1]
        self.assertEqual(set(re.findall(r"dynamodb:([A-Z]\w+)", document)), actions("service-policy.json", "dynamodb"))


class Table(unittest.TestCase):
    def test_is_the_one_that_the_command_makes(self):
        key = re.search(r'kKeyName\[\] = "(\w+)"', "".join(
            path.read_text() for path in (ROOT / "src/forebay/aws").rglob("*.hpp"))).group(1)
        ttl = re.search(r'kTtlAttribute = "(\w+)"', "".join(
            path.read_text() for path in (ROOT / "src/forebay/coordination").rglob("*.hpp"))).group(1)
        resource = load_yaml("deploy/aws/coordination-table.yaml")["Resources"]["CoordinationTable"]
        table = resource["Properties"]
        self.assertEqual(table["AttributeDefinitions"], [{"AttributeName": key, "AttributeType": "S"}])
        self.assertEqual(table["KeySchema"], [{"AttributeName": key, "KeyType": "HASH"}])
        self.assertEqual(table["TimeToLiveSpecification"], {"AttributeName": ttl, "Enabled": True})
        self.assertIn(f'"{table["BillingMode"]}"', read("src/forebay/aws/dynamodb/dynamodb_requests.cpp"))


class Task(unittest.TestCase):
    def setUp(self):
        (self.container,) = json.loads(read("deploy/aws/ecs-task.json"))["containerDefinitions"]
        self.environment = {each["name"]: each["value"] for each in self.container["environment"]}

    def test_has_variables_that_are_known(self):
        self.assertEqual(set(self.environment) - variables(), {"AWS_REGION"})

    def test_is_a_configuration_without_a_doubt(self):
        self.assertEqual(config_check(self.environment), [])

    def test_shares_limits_in_the_table(self):
        name = load_yaml("deploy/aws/coordination-table.yaml")["Parameters"]["TableName"]["Default"]
        self.assertEqual(self.environment["DSQL_DISTRIBUTED_CONN_LEASE_TABLE"], name)
        self.assertEqual(self.environment["DSQL_DISTRIBUTED_RATE_LIMITER_TABLE"], name)
        self.assertIn(f"table/{name}", read("deploy/aws/service-policy.json"))


if __name__ == "__main__":
    unittest.main()
