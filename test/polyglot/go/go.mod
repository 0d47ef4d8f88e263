module causeway.internal/polyglot

go 1.26.0

replace causeway.internal/gen/go => ../../../gen/go

require (
	causeway.internal/gen/go v0.0.0-00010101000000-000000000000
	connectrpc.com/connect v1.21.1
	google.golang.org/grpc v1.85.0
)

require (
	buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go v1.36.12-20260825204119-511051f7f437.2 // indirect
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20260817212433-ac3dfec99bb1 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260817212433-ac3dfec99bb1 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
