"""Calls a server with the package of gen/python and tells as JSON what it saw.

`python journey.py connect` uses the Connect clients, `python journey.py grpc` those on
grpcio. Both have the same methods and take the same messages.
"""

import json
import os
import sys
from urllib.parse import urlsplit

import grpc
from connectrpc.errors import ConnectError
from grpc_status import rpc_status

from causeway_client.causeway.account.v1 import account_connect, account_pb_grpc
from causeway_client.causeway.account.v1.key_pb import CreateKeyRequest
from causeway_client.causeway.alias.v1 import alias_connect, alias_pb_grpc
from causeway_client.causeway.alias.v1.alias_pb import SetAliasRequest, WatchAliasesRequest
from causeway_client.causeway.depshealth.v1 import depshealth_connect, depshealth_pb_grpc
from causeway_client.causeway.depshealth.v1.package_health_pb import (
    Ecosystem,
    PackageHealthRequest,
)
from causeway_client.causeway.error.v1.error_pb import ErrorInfo
from causeway_client.causeway.team.v1 import team_connect, team_pb_grpc
from causeway_client.causeway.team.v1.team_pb import CreateTeamRequest, ListTeamsRequest
from causeway_client.causeway.upstream.v1 import upstream_connect, upstream_pb_grpc
from causeway_client.causeway.upstream.v1.upstream_pb import CreateUpstreamRequest

PROTOCOL = sys.argv[1]
GATEWAY = os.environ["CAUSEWAY_URL"]
TOOLS = os.environ["CAUSEWAY_TOOLS_URL"]


def client(connect_module, grpc_module, service, address=GATEWAY):
    """A client of a service over the protocol that was asked for."""
    if PROTOCOL == "connect":
        return getattr(connect_module, f"{service}ClientSync")(address)
    channel = grpc.insecure_channel(urlsplit(address).netloc)
    return getattr(grpc_module, f"{service}ClientSync")(channel)


def bearer(variable):
    """What a call sends to be made with the credential of a variable."""
    value = f"Bearer {os.environ[variable]}"
    if PROTOCOL == "connect":
        return {"headers": {"authorization": value}}
    return {"metadata": (("authorization", value),)}


def refusal(call):
    """What the server says of a call that it refuses."""
    try:
        call()
    except ConnectError as error:
        rpc_code = error.code.value
        info = error.details[0].value(ErrorInfo)
    except grpc.RpcError as error:
        rpc_code = error.code().name.lower()
        info = ErrorInfo.from_binary(rpc_status.from_call(error).details[0].value)
    return {
        "rpc_code": rpc_code,
        "code": info.code,
        "param": info.param,
        "doc_url": info.doc_url,
        "request_id": info.request_id,
    }


def main():
    key = bearer("CAUSEWAY_KEY")
    name = f"Python over {PROTOCOL}"

    teams = client(team_connect, team_pb_grpc, "TeamService")
    team = teams.create_team(CreateTeamRequest(name=name), **key)
    listed = teams.list_teams(ListTeamsRequest(), **key)

    upstreams = client(upstream_connect, upstream_pb_grpc, "UpstreamService")
    request = CreateUpstreamRequest(
        label=name, base_url=os.environ["UPSTREAM_URL"], api_key="sk-polyglot"
    )
    endpoint = upstreams.create_upstream(request, **key)

    aliases = client(alias_connect, alias_pb_grpc, "AliasService")
    stream = aliases.watch_aliases(WatchAliasesRequest(), **key)
    before = next(stream).rev
    alias = SetAliasRequest(token=f"python-{PROTOCOL}", vendor="openai", model_id="some-model")
    aliases.set_alias(alias, **key)
    change = next(stream).changes[0]

    accounts = client(account_connect, account_pb_grpc, "AccountService")
    made = accounts.create_key(CreateKeyRequest(name=name), **bearer("CAUSEWAY_SESSION"))

    tools = client(depshealth_connect, depshealth_pb_grpc, "DepshealthService", TOOLS)
    package = PackageHealthRequest(
        ecosystem=Ecosystem.NPM, name="fine", task_context="Trying the Python client"
    )
    report = {
        "team": team.name,
        "listed": [it.name for it in listed.data if it.id == team.id],
        "models": endpoint.probe.models_found,
        "changed": change.token,
        "rev_rose": change.rev > before,
        "key": made.key.name,
        "secret": made.secret[:4],
        "verdict": tools.package_health(package).verdict.name,
        "refusal": refusal(lambda: teams.create_team(CreateTeamRequest(name=" "), **key)),
    }
    print(json.dumps(report))


main()
