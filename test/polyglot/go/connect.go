package main

import (
	"context"
	"errors"
	"io"
	"net/http"

	accountv1 "causeway.internal/gen/go/causeway/account/v1"
	"causeway.internal/gen/go/causeway/account/v1/accountv1connect"
	aliasv1 "causeway.internal/gen/go/causeway/alias/v1"
	"causeway.internal/gen/go/causeway/alias/v1/aliasv1connect"
	"causeway.internal/gen/go/causeway/depshealth/v1/depshealthv1connect"
	errorv1 "causeway.internal/gen/go/causeway/error/v1"
	"causeway.internal/gen/go/causeway/team/v1/teamv1connect"
	"causeway.internal/gen/go/causeway/upstream/v1/upstreamv1connect"
	"connectrpc.com/connect"
)

type connectCaller struct {
	teamv1connect.TeamServiceClient
	upstreamv1connect.UpstreamServiceClient
	depshealthv1connect.DepshealthServiceClient
	aliases  aliasv1connect.AliasServiceClient
	accounts accountv1connect.AccountServiceClient
}

func newConnectCaller(from settings) caller {
	key := connect.WithInterceptors(bearer(from.key))
	session := connect.WithInterceptors(bearer(from.session))
	return &connectCaller{
		teamv1connect.NewTeamServiceClient(http.DefaultClient, from.gateway, key),
		upstreamv1connect.NewUpstreamServiceClient(http.DefaultClient, from.gateway, key),
		depshealthv1connect.NewDepshealthServiceClient(http.DefaultClient, from.tools),
		aliasv1connect.NewAliasServiceClient(http.DefaultClient, from.gateway, key),
		accountv1connect.NewAccountServiceClient(http.DefaultClient, from.gateway, session),
	}
}

// bearer sends a credential with every call and every stream.
type bearer string

func (token bearer) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		request.Header().Set("Authorization", "Bearer "+string(token))
		return next(ctx, request)
	}
}

func (token bearer) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return func(ctx context.Context, spec connect.Spec) connect.StreamingClientConn {
		stream := next(ctx, spec)
		stream.RequestHeader().Set("Authorization", "Bearer "+string(token))
		return stream
	}
}

func (token bearer) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}

func (c *connectCaller) SetAlias(ctx context.Context, request *aliasv1.SetAliasRequest) (*aliasv1.AliasWrite, error) {
	return c.aliases.SetAlias(ctx, request)
}

func (c *connectCaller) WatchAliases(ctx context.Context, request *aliasv1.WatchAliasesRequest) (func() (*aliasv1.AliasChanges, error), error) {
	stream, err := c.aliases.WatchAliases(ctx, request)
	if err != nil {
		return nil, err
	}
	return func() (*aliasv1.AliasChanges, error) {
		if stream.Receive() {
			return stream.Msg(), nil
		}
		if err := stream.Err(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}, nil
}

func (c *connectCaller) CreateKey(ctx context.Context, request *accountv1.CreateKeyRequest) (*accountv1.KeyWithSecret, error) {
	return c.accounts.CreateKey(ctx, request)
}

func (c *connectCaller) Refusal(err error) (string, *errorv1.ErrorInfo) {
	var refused *connect.Error
	if !errors.As(err, &refused) {
		return err.Error(), nil
	}
	for _, detail := range refused.Details() {
		value, err := detail.Value()
		if info, isInfo := value.(*errorv1.ErrorInfo); err == nil && isInfo {
			return refused.Code().String(), info
		}
	}
	return refused.Code().String(), nil
}
