import { defineEntity, p } from "@mikro-orm/postgresql";
import { DurableTurnEntity } from "./turn.entity.ts";

/** Events of a turn that were told together: they are here before a byte of them goes out. */
export const TurnEventBatchEntity = defineEntity({
  name: "TurnBatch",
  tableName: "turn_batches",
  properties: {
    /** Id of the turn, `/`, `sequence_number` of the first event. */
    id: p.text().primary(),
    turn: () => p.manyToOne(DurableTurnEntity).deleteRule("cascade").updateRule("no action"),
    firstSequence: p.integer(),
    lastSequence: p.integer(),
    /** Sealed JSON: a list of frames, as they are sent. */
    frames: p.text(),
  },
  indexes: [{ name: "turn_batches_turn_id_index", properties: ["turn", "lastSequence"] }],
});
