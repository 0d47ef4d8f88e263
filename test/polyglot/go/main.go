// Calls a server with the module of gen/go and tells as JSON what it saw:
// `journey connect` uses the Connect clients, `journey grpc` those of gRPC.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	accountv1 "causeway.internal/gen/go/causeway/account/v1"
	aliasv1 "causeway.internal/gen/go/causeway/alias/v1"
	depshealthv1 "causeway.internal/gen/go/causeway/depshealth/v1"
	errorv1 "causeway.internal/gen/go/causeway/error/v1"
	teamv1 "causeway.internal/gen/go/causeway/team/v1"
	upstreamv1 "causeway.internal/gen/go/causeway/upstream/v1"
)

// caller is what this program asks of a server, over one protocol.
type caller interface {
	CreateTeam(context.Context, *teamv1.CreateTeamRequest) (*teamv1.Team, error)
	ListTeams(context.Context, *teamv1.ListTeamsRequest) (*teamv1.ListTeamsResponse, error)
	CreateUpstream(context.Context, *upstreamv1.CreateUpstreamRequest) (*upstreamv1.UpstreamWithProbe, error)
	SetAlias(context.Context, *aliasv1.SetAliasRequest) (*aliasv1.AliasWrite, error)
	// WatchAliases answers what gives the next message of the stream.
	WatchAliases(context.Context, *aliasv1.WatchAliasesRequest) (func() (*aliasv1.AliasChanges, error), error)
	CreateKey(context.Context, *accountv1.CreateKeyRequest) (*accountv1.KeyWithSecret, error)
	PackageHealth(context.Context, *depshealthv1.PackageHealthRequest) (*depshealthv1.PackageHealthReport, error)
	// Refusal reads what the server said of a call that it refused, and the code of the protocol.
	Refusal(error) (string, *errorv1.ErrorInfo)
}

// addresses and credentials, from the environment.
type settings struct {
	gateway, tools, key, session string
}

type report struct {
	Team    string   `json:"team"`
	Listed  []string `json:"listed"`
	Models  int32    `json:"models"`
	Changed string   `json:"changed"`
	RevRose bool     `json:"rev_rose"`
	Key     string   `json:"key"`
	Secret  string   `json:"secret"`
	Verdict string   `json:"verdict"`
	Refusal refusal  `json:"refusal"`
}

type refusal struct {
	RPCCode   string `json:"rpc_code"`
	Code      string `json:"code"`
	Param     string `json:"param"`
	DocURL    string `json:"doc_url"`
	RequestID string `json:"request_id"`
}

func main() {
	protocol := os.Args[1]
	from := settings{
		gateway: os.Getenv("CAUSEWAY_URL"),
		tools:   os.Getenv("CAUSEWAY_TOOLS_URL"),
		key:     os.Getenv("CAUSEWAY_KEY"),
		session: os.Getenv("CAUSEWAY_SESSION"),
	}
	var calls caller
	switch protocol {
	case "connect":
		calls = newConnectCaller(from)
	case "grpc":
		calls = newGRPCCaller(from)
	default:
		log.Fatalf("%s is neither connect nor grpc", protocol)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	seen, err := journey(ctx, calls, protocol)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(seen); err != nil {
		log.Fatal(err)
	}
}

func journey(ctx context.Context, calls caller, protocol string) (*report, error) {
	name := "Go over " + protocol
	seen := &report{}
	for _, step := range []func(context.Context, caller, string, *report) error{
		teams, endpoints, aliases, keys, packages, refused,
	} {
		if err := step(ctx, calls, name, seen); err != nil {
			return nil, err
		}
	}
	return seen, nil
}

func teams(ctx context.Context, calls caller, name string, seen *report) error {
	team, err := calls.CreateTeam(ctx, &teamv1.CreateTeamRequest{Name: name})
	if err != nil {
		return err
	}
	seen.Team = team.GetName()
	list, err := calls.ListTeams(ctx, &teamv1.ListTeamsRequest{})
	for _, it := range list.GetData() {
		if it.GetId() == team.GetId() {
			seen.Listed = append(seen.Listed, it.GetName())
		}
	}
	return err
}

func endpoints(ctx context.Context, calls caller, name string, seen *report) error {
	answer, err := calls.CreateUpstream(ctx, &upstreamv1.CreateUpstreamRequest{
		Label:   name,
		BaseUrl: os.Getenv("UPSTREAM_URL"),
		ApiKey:  "sk-polyglot",
	})
	seen.Models = answer.GetProbe().GetModelsFound()
	return err
}

func aliases(ctx context.Context, calls caller, name string, seen *report) error {
	next, err := calls.WatchAliases(ctx, &aliasv1.WatchAliasesRequest{})
	if err != nil {
		return err
	}
	before, err := next()
	if err != nil {
		return err
	}
	modelID := "some-model"
	_, err = calls.SetAlias(ctx, &aliasv1.SetAliasRequest{
		Token:   "go-" + name[len("Go over "):],
		Vendor:  "openai",
		ModelId: &modelID,
	})
	if err != nil {
		return err
	}
	changes, err := next()
	for _, change := range changes.GetChanges() {
		seen.Changed = change.GetToken()
		seen.RevRose = change.GetRev() > before.GetRev()
	}
	return err
}

func keys(ctx context.Context, calls caller, name string, seen *report) error {
	made, err := calls.CreateKey(ctx, &accountv1.CreateKeyRequest{Name: &name})
	if err != nil {
		return err
	}
	seen.Key = made.GetKey().GetName()
	seen.Secret = made.GetSecret()[:4]
	return nil
}

func packages(ctx context.Context, calls caller, _ string, seen *report) error {
	health, err := calls.PackageHealth(ctx, &depshealthv1.PackageHealthRequest{
		Ecosystem:   depshealthv1.Ecosystem_ECOSYSTEM_NPM,
		Name:        "fine",
		TaskContext: "Trying the Go client",
	})
	if err != nil {
		return err
	}
	seen.Verdict = health.GetVerdict().String()
	return nil
}

func refused(ctx context.Context, calls caller, _ string, seen *report) error {
	_, err := calls.CreateTeam(ctx, &teamv1.CreateTeamRequest{Name: " "})
	if err == nil {
		return fmt.Errorf("a team without a name was made")
	}
	rpcCode, info := calls.Refusal(err)
	seen.Refusal = refusal{
		RPCCode:   rpcCode,
		Code:      info.GetCode(),
		Param:     info.GetParam(),
		DocURL:    info.GetDocUrl(),
		RequestID: info.GetRequestId(),
	}
	return nil
}
