"""Resolves the environments of tests/aws/identities with botocore, and compares what comes out with the tables.

Usage: compare.py REPOSITORY FOLDER [part of a name]

Each environment gets a process of its own, with the variables, files and programs of the table in a home under FOLDER.
No request leaves the machine: the table answers them. Where botocore is expected to differ from us, the table says what
it does and why, and docs/credentials.md tells the same; a difference that is no more is a failure, too.
"""

import datetime
import json
import os
import pathlib
import re
import shutil
import sys
import time
import traceback

import botocore
import botocore.awsrequest
import botocore.credentials
import botocore.exceptions
import botocore.httpsession
import botocore.session
import botocore.tokens


class Transport:
    """Stands in for the network: answers as a table says."""

    def __init__(self, answers):
        self.answers = answers

    def send(self, request):
        body = request.body or b""
        text = body.decode() if isinstance(body, bytes) else str(body)
        headers = "".join(f"{name.lower()}: {plain(value)}\n" for name, value in request.headers.items())
        for answer in self.answers:
            start, status, content = answer[:3]
            held = answer[3] if len(answer) > 3 else ""
            if f"{request.method} {request.url}".startswith(start) and held in headers + text:
                return response(request, status, content, text)
        raise botocore.exceptions.EndpointConnectionError(endpoint_url=request.url, error="nobody listens")


def plain(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def response(request, status, content, sent):
    if isinstance(content, list):  # credentials of a role, as STS writes them
        action = re.search(r"Action=(\w+)", sent).group(1)
        names = ("AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration")
        inner = "".join(f"<{name}>{value}</{name}>" for name, value in zip(names, content))
        content = (f"<{action}Response><{action}Result><Credentials>{inner}</Credentials>"
                   f"</{action}Result></{action}Response>")
    elif isinstance(content, dict):
        content = json.dumps(content)

    class Raw:
        def stream(self, *_args, **_kwargs):
            yield content.encode()

    return botocore.awsrequest.AWSResponse(request.url, status, {}, Raw())


def lines(content):
    return content if isinstance(content, str) else "\n".join(content)


def prepare(case, home):
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    files = {name: lines(content) for name, content in case.get("files", {}).items()}
    for name, program in case.get("programs", {}).items():
        out = program.get("out", "")
        out = out if isinstance(out, str) else json.dumps(out)
        files[name] = "\n".join([
            f"#!{sys.executable} -IS", "import sys",
            f"assert sys.argv[1:] == {program.get('arguments', [])!r}, sys.argv",
            f"sys.stdout.write({out!r})", f"sys.stderr.write({program.get('err', '')!r})",
            f"sys.exit({program.get('status', 0)})"])
    for name, content in files.items():
        path = pathlib.Path(name.replace("~", str(home), 1))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
        path.chmod(0o700)


def resolve(case, home):
    """What botocore finds: [id, secret, token], or {"refused": why}."""
    os.environ.clear()
    os.environ.update({"PATH": "/usr/bin:/bin", "HOME": str(home), **case.get("variables", {})})
    cache = str(home / ".aws" / "sso" / "cache")  # botocore looked at HOME when it was imported
    botocore.credentials.SSOProvider._SSO_TOKEN_CACHE_DIR = cache
    botocore.tokens.SSOTokenProvider._SSO_TOKEN_CACHE_DIR = cache
    botocore.credentials.getpass.getpass = lambda _: "123456"
    defaults = botocore.credentials.AssumeRoleProvider.__init__.__defaults__
    botocore.credentials.AssumeRoleProvider.__init__.__defaults__ = (lambda _: "123456",) + defaults[1:]
    transport = Transport(case.get("http", []))
    botocore.httpsession.URLLib3Session.send = lambda _, request: transport.send(request)
    time.sleep = lambda _: None
    try:
        found = botocore.session.Session().get_credentials()
        if found is None:
            return {"refused": "no credentials found"}
        frozen = found.get_frozen_credentials()
        return [frozen.access_key, frozen.secret_key, frozen.token or ""]
    except Exception as error:  # whatever botocore raises is its answer
        if os.environ.get("VERBOSE"):
            traceback.print_exc()
        return {"refused": f"{type(error).__name__}: {error}"}


def resolve_apart(case, home):
    """The same in a process of its own, because botocore remembers."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        answer = json.dumps(resolve(case, home))
        os.write(writing, answer.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text)


def is_same(expected, found):
    if isinstance(expected, dict) or isinstance(found, dict):
        return isinstance(expected, dict) and isinstance(found, dict)
    return expected[:3] == found


def leftovers(case, home):
    """Files that must hold something afterwards, and do not."""
    for name, held in case.get("afterwards", {}).items():
        text = pathlib.Path(name.replace("~", str(home), 1)).read_text(encoding="utf-8")
        yield from (f"{name} does not hold {part}" for part in held if part not in text.replace('": "', '":"'))


def with_times(text, home):
    """@+60@ and @-60@ are times from now in seconds, "@ms+60@" the same as a number of milliseconds."""
    now = datetime.datetime.now(datetime.timezone.utc)

    def stamp(match):
        return (now + datetime.timedelta(seconds=int(match.group(1)))).strftime("%Y-%m-%dT%H:%M:%S")

    text = re.sub(r'"@ms([+-]\d+)@"', lambda match: str(int((now.timestamp() + int(match.group(1))) * 1000)), text)
    return re.sub(r"@([+-]\d+)@", stamp, text).replace("@home@", str(home))


def main():
    repository, folder, chosen = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    home = folder / "home"
    documents = (repository / "docs" / "credentials.md").read_text(encoding="utf-8")
    cases = []
    for path in sorted((repository / "tests" / "aws" / "identities").glob("*.json")):
        cases += json.loads(with_times(path.read_text(encoding="utf-8"), home))
    equal, different, wrong = 0, 0, []
    for case in cases:
        if chosen and chosen[0] not in case["name"]:
            continue
        prepare(case, home)
        found = resolve_apart(case, home)
        is_marked = "botocore" in case
        expected = case["botocore"] if is_marked else case["expected"]
        troubles = [] if is_same(expected, found) else [f"botocore finds {found}, the table says {expected}"]
        if is_marked and is_same(case["expected"], found):
            troubles.append("botocore does what we do: the difference is no more")
        if is_marked and case.get("reason", "?") not in documents:
            troubles.append(f"docs/credentials.md does not give the reason: {case.get('reason')}")
        if not is_marked:
            troubles += leftovers(case, home)
        wrong += [f"{case['name']}: {trouble}" for trouble in troubles]
        equal += not troubles and not is_marked
        different += not troubles and is_marked
        if chosen:
            print(case["name"], found)
    print(f"botocore {botocore.__version__}: {len(cases)} environments, {equal} equal, "
          f"{different} differ for a stated reason, {len(wrong)} troubles")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
