package main

import (
	"context"
	"log"
	"net/url"
	"strings"

	accountv1 "causeway.internal/gen/go/causeway/account/v1"
	aliasv1 "causeway.internal/gen/go/causeway/alias/v1"
	depshealthv1 "causeway.internal/gen/go/causeway/depshealth/v1"
	errorv1 "causeway.internal/gen/go/causeway/error/v1"
	teamv1 "causeway.internal/gen/go/causeway/team/v1"
	upstreamv1 "causeway.internal/gen/go/causeway/upstream/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

type grpcCaller struct {
	teams     teamv1.TeamServiceClient
	upstreams upstreamv1.UpstreamServiceClient
	aliases   aliasv1.AliasServiceClient
	accounts  accountv1.AccountServiceClient
	packages  depshealthv1.DepshealthServiceClient
}

func newGRPCCaller(from settings) caller {
	gateway := dial(from.gateway, from.key)
	return &grpcCaller{
		teams:     teamv1.NewTeamServiceClient(gateway),
		upstreams: upstreamv1.NewUpstreamServiceClient(gateway),
		aliases:   aliasv1.NewAliasServiceClient(gateway),
		accounts:  accountv1.NewAccountServiceClient(dial(from.gateway, from.session)),
		packages:  depshealthv1.NewDepshealthServiceClient(dial(from.tools, "")),
	}
}

func dial(address, token string) *grpc.ClientConn {
	place, err := url.Parse(address)
	if err != nil {
		log.Fatal(err)
	}
	options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	if token != "" {
		options = append(options, grpc.WithPerRPCCredentials(plainBearer(token)))
	}
	connection, err := grpc.NewClient(place.Host, options...)
	if err != nil {
		log.Fatal(err)
	}
	return connection
}

// plainBearer sends a credential with every call, also without TLS.
type plainBearer string

func (token plainBearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(token)}, nil
}

func (token plainBearer) RequireTransportSecurity() bool { return false }

func (c *grpcCaller) CreateTeam(ctx context.Context, request *teamv1.CreateTeamRequest) (*teamv1.Team, error) {
	return c.teams.CreateTeam(ctx, request)
}

func (c *grpcCaller) ListTeams(ctx context.Context, request *teamv1.ListTeamsRequest) (*teamv1.ListTeamsResponse, error) {
	return c.teams.ListTeams(ctx, request)
}

func (c *grpcCaller) CreateUpstream(ctx context.Context, request *upstreamv1.CreateUpstreamRequest) (*upstreamv1.UpstreamWithProbe, error) {
	return c.upstreams.CreateUpstream(ctx, request)
}

func (c *grpcCaller) SetAlias(ctx context.Context, request *aliasv1.SetAliasRequest) (*aliasv1.AliasWrite, error) {
	return c.aliases.SetAlias(ctx, request)
}

func (c *grpcCaller) WatchAliases(ctx context.Context, request *aliasv1.WatchAliasesRequest) (func() (*aliasv1.AliasChanges, error), error) {
	stream, err := c.aliases.WatchAliases(ctx, request)
	if err != nil {
		return nil, err
	}
	return stream.Recv, nil
}

func (c *grpcCaller) CreateKey(ctx context.Context, request *accountv1.CreateKeyRequest) (*accountv1.KeyWithSecret, error) {
	return c.accounts.CreateKey(ctx, request)
}

func (c *grpcCaller) PackageHealth(ctx context.Context, request *depshealthv1.PackageHealthRequest) (*depshealthv1.PackageHealthReport, error) {
	return c.packages.PackageHealth(ctx, request)
}

func (c *grpcCaller) Refusal(err error) (string, *errorv1.ErrorInfo) {
	refused := status.Convert(err)
	code := refused.Code().String()
	for _, detail := range refused.Details() {
		if info, isInfo := detail.(*errorv1.ErrorInfo); isInfo {
			return strings.ToLower(code), info
		}
	}
	return code, nil
}
