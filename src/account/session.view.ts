import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  SessionSchema,
  type Session as SessionMessage,
} from "../../gen/ts/causeway/account/v1/user_pb.ts";
import type { Session } from "./session.entity.ts";
import { dateToOptionalTimestamp } from "./timestamp.view.ts";

/** A session as the list of sessions shows it, without its token. */
export function viewSession(session: Session): SessionMessage {
  return create(SessionSchema, {
    id: session.id,
    object: "session",
    createdAt: timestampFromDate(session.createdAt),
    lastUsedAt: dateToOptionalTimestamp(session.lastUsedAt),
    expiresAt: timestampFromDate(session.expiresAt),
  });
}
