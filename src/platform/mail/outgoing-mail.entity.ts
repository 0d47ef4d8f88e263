import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";

export const outgoingMailStates = ["pending", "sent", "failed"] as const;

/**
 * A message that was promised and is retried until it is sent, refused for good
 * or out of date. The content, addresses included, is sealed, and is erased
 * when the message has left or is given up.
 */
export const OutgoingMailEntity = defineEntity({
  name: "OutgoingMail",
  tableName: "outgoing_mails",
  properties: {
    /** Also the local part of the Message-ID, the same on every attempt. */
    id: p.text().primary(),
    /** User or team that the message is sent for; null: nobody yet (sign-in). */
    accountId: p.text().strictNullable(),
    state: p.enum(outgoingMailStates),
    content: p.text().strictNullable(),
    attempts: p.integer(),
    createdAt: p.datetime(3),
    /** When the next attempt is due; while one runs, when it counts as lost. */
    dueAt: p.datetime(3),
    /** After this nobody waits for the message any more. */
    expiresAt: p.datetime(3),
  },
  indexes: [
    {
      name: "outgoing_mails_due_at_index",
      properties: ["dueAt"],
      where: "state = 'pending'",
    },
  ],
});

export type OutgoingMail = InferEntity<typeof OutgoingMailEntity>;
