import type { ConversionWarningCollector } from "../conversion-warning.ts";
import { formatSystemReminder } from "../system-reminder.ts";
import type { NeutralPart, TextPart, NeutralMessage } from "../neutral-request.ts";

/**
 * The messages with those of the system in the turns of the user: in the next one,
 * else at the end of the one that they follow, else as one of their own. The
 * templates of many local models refuse a system message that is not the first.
 */
export function demoteSystemMessages(
  messages: readonly NeutralMessage[],
  ledger: ConversionWarningCollector,
): readonly NeutralMessage[] {
  if (!messages.some(({ role }) => role === "system")) return messages;
  const written: NeutralMessage[] = [];
  let waiting: TextPart[] = [];
  for (const message of messages) {
    if (message.role === "system") {
      for (const reminder of remindersOf(message, ledger)) waiting.push(reminder);
      continue;
    }
    if (message.role !== "user") endTurn(written, waiting);
    written.push(message.role === "user" ? prependReminders(waiting, message) : message);
    waiting = [];
  }
  endTurn(written, waiting);
  return written;
}

function remindersOf(
  { path, parts }: NeutralMessage,
  ledger: ConversionWarningCollector,
): readonly TextPart[] {
  const texts = parts.filter(isText).filter(({ text }) => text.trim() !== "");
  if (texts.length > 0) ledger.approximate(path, "position");
  return texts.map((part) => ({ ...part, text: formatSystemReminder(part.text) }));
}

function prependReminders(reminders: readonly TextPart[], message: NeutralMessage): NeutralMessage {
  const [first, ...rest] = message.parts;
  if (first === undefined || !isText(first)) {
    return { ...message, parts: [...join(reminders), ...message.parts] };
  }
  return { ...message, parts: [...join([...reminders, first]), ...rest] };
}

/** Adds to the last message where it is the user's; else they are one of their own. */
function endTurn(written: NeutralMessage[], reminders: readonly TextPart[]): void {
  const [first] = reminders;
  if (first === undefined) return;
  const message = written.at(-1);
  if (message?.role === "user") written[written.length - 1] = appendReminders(message, reminders);
  else written.push({ path: first.path, role: "user", parts: join(reminders) });
}

function appendReminders(message: NeutralMessage, reminders: readonly TextPart[]): NeutralMessage {
  const last = message.parts.at(-1);
  if (last === undefined || !isText(last)) {
    return { ...message, parts: [...message.parts, ...join(reminders)] };
  }
  return { ...message, parts: [...message.parts.slice(0, -1), ...join([last, ...reminders])] };
}

/** One text, for many servers take a turn of the user as a string only. */
function join(texts: readonly TextPart[]): readonly TextPart[] {
  const last = texts.at(-1);
  return last === undefined ? [] : [{ ...last, text: texts.map(({ text }) => text).join("\n\n") }];
}

function isText(part: NeutralPart): part is TextPart {
  return part.type === "text";
}
