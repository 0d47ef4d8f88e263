import type { DescService } from "@bufbuild/protobuf";
import { AgentService } from "../../gen/ts/causeway/agent/v1/agent_pb.ts";
import { AccountService } from "../../gen/ts/causeway/account/v1/account_pb.ts";
import { AliasService } from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { AdminService } from "../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { CallService } from "../../gen/ts/causeway/call/v1/call_pb.ts";
import { DepshealthService } from "../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import { DocumentService } from "../../gen/ts/causeway/document/v1/document_pb.ts";
import { ItemService } from "../../gen/ts/causeway/item/v1/item_pb.ts";
import { ModelService } from "../../gen/ts/causeway/model/v1/model_pb.ts";
import { TeamService } from "../../gen/ts/causeway/team/v1/team_pb.ts";
import { TranscodeService } from "../../gen/ts/causeway/transcode/v1/transcode_pb.ts";
import { WalletService } from "../../gen/ts/causeway/wallet/v1/wallet_pb.ts";
import { UpstreamService } from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { VendorService } from "../../gen/ts/causeway/vendor/v1/vendor_pb.ts";

/** Services of the contract that the gateway port serves; each is mounted whole. */
export const gatewayServiceDescriptors: readonly DescService[] = [
  AccountService,
  UpstreamService,
  VendorService,
  TeamService,
  ItemService,
  AliasService,
  ModelService,
  AgentService,
  WalletService,
  CallService,
  TranscodeService,
  DocumentService,
  AdminService,
];

/** Services of the contract that the tools port serves. */
export const depshealthServiceDescriptors: readonly DescService[] = [DepshealthService];

/** All of them, in the order in which they are listed for people. */
export const allServiceDescriptors: readonly DescService[] = [
  ...gatewayServiceDescriptors,
  ...depshealthServiceDescriptors,
];
