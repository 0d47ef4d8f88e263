import { create } from "@bufbuild/protobuf";
import {
  TaskContextSchema,
  Tool,
  type TaskContext as TaskContextMessage,
} from "../../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import { ecosystems } from "../facts.ts";
import type { CallerTaskContext } from "../task-context/task-context.entity.ts";
import { ecosystemProtoValues, depshealthToolProtoPairs } from "./enums.ts";

/** What a caller said, as the operator reads it. */
export function viewTaskContext(row: CallerTaskContext): TaskContextMessage {
  const ecosystem = ecosystems.find((name) => name === row.ecosystem);
  return create(TaskContextSchema, {
    id: row.id,
    object: "task_context",
    text: row.text,
    tool: depshealthToolProtoPairs.find(([name]) => name === row.tool)?.[1] ?? Tool.UNSPECIFIED,
    ecosystem: ecosystem === undefined ? undefined : ecosystemProtoValues[ecosystem],
    day: row.day,
  });
}
