import { asObject } from "../../../src/dialect/json.ts";
import type { StrictRequest, Call, OfferedTool, StrictReply } from "./request.ts";
import { firstWords, wordCount } from "./request.ts";
import { isObjectText } from "./violation.ts";
import { freeText, greeting, wordsFor } from "./prompt-words.ts";
import { sampleOf } from "./sample.ts";

/**
 * What a simple, obedient model answers. The prompt may hold a script, whose parts
 * between lines `then` are the answers one after the other:
 *
 *     call Read {"path": "a.txt"}      a call; several lines are parallel calls
 *     then
 *     say It holds one line.           exactly these words
 *
 * Without one it does what prompts of judges ask for: the words that they want
 * exactly, JSON of a schema, a call of a tool that is demanded or spoken of, what
 * it was told before.
 */
export function replyTo(asked: StrictRequest): Omit<StrictReply, "cached"> {
  const { prompt, cap, thinks } = asked;
  const thought = thinks ? firstWords(`I am asked: ${prompt.slice(0, 40)}`, cap) : undefined;
  const calls = callsOf(asked);
  if (calls.length > 0) return { thought, text: "", calls, end: "calls", stop: undefined };
  return { thought, calls, ...limited(textOf(asked), asked, cap - wordCount(thought ?? "")) };
}

function stepOf({ prompt, round }: StrictRequest): readonly string[] {
  const steps = prompt.split(/^then$/m);
  return (steps[round] ?? "").trim().split("\n");
}

function callsOf(asked: StrictRequest): readonly Call[] {
  const { choice, tools } = asked;
  if (choice === "none" || tools.length === 0) return [];
  const scripted = stepOf(asked).flatMap((line) => scriptedCall(line, tools));
  if (scripted.length > 0) return scripted;
  const demanded = choice === "required" ? tools[0] : named(tools, choice);
  const wanted = demanded ?? (asked.round === 0 ? spokenOf(asked) : undefined);
  if (wanted === undefined) return [];
  return promptsIn(asked.prompt).map((prompt) => sampleCall(wanted, prompt));
}

function scriptedCall(line: string, tools: readonly OfferedTool[]): readonly Call[] {
  const [, name = "", input = ""] = /^call (\S+) ?(.*)$/.exec(line) ?? [];
  const tool = named(tools, name);
  if (tool === undefined) return [];
  const isTold = tool.kind === "custom" || isObjectText(input);
  return [{ tool, input: isTold ? input : JSON.stringify(objectOf(tool, input)) }];
}

/** Free text is the only field of a tool, if it has but one. */
function objectOf({ schema }: OfferedTool, text: string): unknown {
  const [only = "", ...more] = Object.keys(asObject(schema["properties"]) ?? {});
  return text !== "" && more.length === 0 ? { [only]: text } : sampleOf(schema, text);
}

/** By its name, also where that was joined to its namespace. */
function named(tools: readonly OfferedTool[], name: string): OfferedTool | undefined {
  if (name === "") return undefined;
  return tools.find((tool) => tool.name === name || tool.name.endsWith(`__${name}`));
}

/** Any word of its name that the prompt has, too; or the only one that there is. */
function spokenOf({ prompt, tools }: StrictRequest): OfferedTool | undefined {
  if (/\bexactly\b|^say /m.test(prompt)) return undefined;
  if (tools.length === 1 && /\buse the tool\b/i.test(prompt)) return tools[0];
  const words = new Set(prompt.toLowerCase().match(/[a-z]{4,}/g));
  return tools.find(({ name }) =>
    name
      .toLowerCase()
      .split(/[^a-z]+/)
      .some((word) => words.has(word)),
  );
}

/** One for each call: `in Paris and in Oslo, both at once` asks for two. */
function promptsIn(prompt: string): readonly string[] {
  const isParallel = /\b(?:in parallel|at once|both)\b/.test(prompt);
  const places = isParallel ? [...prompt.matchAll(/\b(?:both|and|in) (\p{Lu}\p{L}+)/gu)] : [];
  return places.length > 1 ? places.map(([, place]) => `for ${place}`) : [prompt];
}

function sampleCall(tool: OfferedTool, prompt: string): Call {
  if (tool.kind === "custom") return { tool, input: freeText(prompt) };
  const value = wrapsText(tool) ? { input: freeText(prompt) } : sampleOf(tool.schema, prompt);
  return { tool, input: JSON.stringify(value) };
}

/** Gateways wrap free text for models that know JSON only. */
function wrapsText({ schema }: OfferedTool): boolean {
  const properties = asObject(schema["properties"]) ?? {};
  return Object.keys(properties).join() === "input";
}

function textOf(asked: StrictRequest): string {
  const { prompt, schema, results, hasImage } = asked;
  if (schema !== undefined) return JSON.stringify(sampleOf(schema, prompt));
  const words = stepOf(asked).flatMap((line) => /^say (.*)$/.exec(line)?.[1] ?? []);
  if (words.length > 0) return words.join("\n");
  if (results.length > 0) return `The tools said: ${results.join("; ")}`;
  if (hasImage) return "I see an image.";
  return wordsFor(asked) ?? greeting;
}

function limited(
  text: string,
  { stops }: StrictRequest,
  cap: number,
): Pick<StrictReply, "text" | "end" | "stop"> {
  const stop = stops.find((one) => text.includes(one));
  if (stop !== undefined) return { text: text.slice(0, text.indexOf(stop)), end: "stop", stop };
  if (wordCount(text) <= cap) return { text, end: "end", stop };
  return { text: firstWords(text, cap), end: "length", stop };
}
