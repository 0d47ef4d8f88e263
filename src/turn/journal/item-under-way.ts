import { lookupTable } from "../../platform/lookup-table.ts";
import { asArray, asNumber, asObject, asString, type JsonObject } from "../../dialect/json.ts";

/** An event of a responses stream, its number not counted. */
export type UnnumberedEvent = JsonObject & { readonly type: string };

/** Where the text of a delta event belongs: a member of the item, or of one of its parts. */
interface TextPlace {
  /** Undefined: of the item itself. */
  readonly list?: PartList;
  readonly member: string;
}

type PartList = "content" | "summary";

const textPlaces = lookupTable<TextPlace>({
  "response.output_text.delta": { list: "content", member: "text" },
  "response.refusal.delta": { list: "content", member: "refusal" },
  "response.reasoning_text.delta": { list: "content", member: "text" },
  "response.reasoning_summary_text.delta": { list: "summary", member: "text" },
  "response.function_call_arguments.delta": { member: "arguments" },
  "response.mcp_call_arguments.delta": { member: "arguments" },
  "response.custom_tool_call_input.delta": { member: "input" },
  "response.code_interpreter_call_code.delta": { member: "code" },
});

/** Events that tell a text whole, by the type of the part that has it. */
const textEnds = lookupTable<{ readonly type: string; readonly member: string }>({
  output_text: { type: "response.output_text.done", member: "text" },
  refusal: { type: "response.refusal.done", member: "refusal" },
  reasoning_text: { type: "response.reasoning_text.done", member: "text" },
  summary_text: { type: "response.reasoning_summary_text.done", member: "text" },
});

const partEvents: Readonly<Record<PartList, { readonly index: string; readonly done: string }>> = {
  content: { index: "content_index", done: "response.content_part.done" },
  summary: { index: "summary_index", done: "response.reasoning_summary_part.done" },
};

/**
 * An output item of a responses stream that was announced and has not ended: what of it
 * was told so far, and the events that close it where nothing more will come.
 */
export class ItemUnderWay {
  readonly #index: number;
  #item: JsonObject;
  /** Texts that came in pieces, by their place; joined when they are asked for. */
  readonly #texts = new Map<string, string>();
  /** Parts that were announced and have not ended. */
  readonly #open = new Set<string>();

  /** `index`: its `output_index`. */
  constructor(index: number, item: JsonObject) {
    this.#index = index;
    this.#item = item;
  }

  /** An event about this item, which is not its last. */
  take(event: UnnumberedEvent): void {
    const place = textPlaces.get(event.type);
    if (place !== undefined) this.#extend(place, event);
    else if (event.type === "response.content_part.added") this.#setPart("content", event, true);
    else if (event.type === "response.content_part.done") this.#setPart("content", event, false);
    else if (event.type.startsWith("response.reasoning_summary_part."))
      this.#setPart("summary", event, event.type.endsWith(".added"));
  }

  /** Closes it as it stands, `incomplete`. */
  close(): { readonly item: JsonObject; readonly events: readonly UnnumberedEvent[] } {
    const item = { ...this.#whole(), status: "incomplete" };
    const parts = [...this.#open].flatMap((key) => this.#closePart(item, key));
    const done = { type: "response.output_item.done", output_index: this.#index, item };
    return { item, events: [...parts, ...this.#closeArguments(item), done] };
  }

  #extend({ list, member }: TextPlace, event: UnnumberedEvent): void {
    const key = keyOf(list, event, member);
    this.#texts.set(key, (this.#texts.get(key) ?? "") + (asString(event["delta"]) ?? ""));
  }

  #setPart(list: PartList, event: UnnumberedEvent, isOpen: boolean): void {
    const at = asNumber(event[partEvents[list].index]) ?? 0;
    const parts = [...asArray(this.#item[list])];
    parts[at] = event["part"];
    this.#item = { ...this.#item, [list]: parts };
    const key = `${list} ${at}`;
    if (isOpen) this.#open.add(key);
    else this.#open.delete(key);
    if (!isOpen) this.#forgetTexts(`${key} `);
  }

  /** The part that ended has them. */
  #forgetTexts(prefix: string): void {
    for (const key of this.#texts.keys()) if (key.startsWith(prefix)) this.#texts.delete(key);
  }

  /** The item with all texts in their places. */
  #whole(): JsonObject {
    let item = this.#item;
    for (const [key, text] of this.#texts) {
      const [list = "", at = "", member = ""] = key.split(" ");
      item =
        list === "item"
          ? { ...item, [member]: (asString(item[member]) ?? "") + text }
          : { ...item, [list]: withText(asArray(item[list]), Number(at), member, text) };
    }
    return item;
  }

  #closePart(item: JsonObject, key: string): readonly UnnumberedEvent[] {
    const [list, at] = key.split(" ") as [PartList, string];
    const part = asObject(asArray(item[list])[Number(at)]) ?? {};
    const { index, done } = partEvents[list];
    const place = { item_id: item["id"], output_index: this.#index, [index]: Number(at) };
    const end = textEnds.get(asString(part["type"]) ?? "");
    const text =
      end === undefined ? [] : [{ type: end.type, ...place, [end.member]: part[end.member] }];
    return [...text, { type: done, ...place, part }];
  }

  #closeArguments(item: JsonObject): readonly UnnumberedEvent[] {
    if (item["type"] !== "function_call" || !this.#texts.has(keyOf(undefined, {}, "arguments")))
      return [];
    const { id, name, arguments: told } = item;
    const type = "response.function_call_arguments.done";
    return [{ type, item_id: id, output_index: this.#index, name, arguments: told }];
  }
}

function keyOf(list: PartList | undefined, event: JsonObject, member: string): string {
  if (list === undefined) return `item 0 ${member}`;
  return `${list} ${asNumber(event[partEvents[list].index]) ?? 0} ${member}`;
}

function withText(
  parts: readonly unknown[],
  at: number,
  member: string,
  text: string,
): readonly unknown[] {
  const part = asObject(parts[at]) ?? {};
  return parts.with(at, { ...part, [member]: (asString(part[member]) ?? "") + text });
}
