import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { UserSchema, type User as UserMessage } from "../../gen/ts/causeway/account/v1/user_pb.ts";
import { dateToOptionalTimestamp } from "./timestamp.view.ts";
import type { User } from "./user.entity.ts";

/** A user as every answer shows it. */
export function viewUser(user: User): UserMessage {
  return create(UserSchema, {
    id: user.id,
    object: "user",
    email: user.email,
    name: user.name ?? undefined,
    createdAt: timestampFromDate(user.createdAt),
    disabledAt: dateToOptionalTimestamp(user.disabledAt),
  });
}
