import { tested, type Requirement } from "./requirement.ts";

/** Contract section 8, how the turn of an agent runs, ends and survives. */
export const contractAgentTurns: readonly Requirement[] = [
  ...tested("contract 8, turns of agents", [
    [
      "agent.resumed",
      "After a kill another process takes it up from its last step, with the tools that it began with.",
      "process/agent-kills > agents' turns outlive processes that are killed, and what must not be called twice is called once at most",
      "turn/agent/agent-takeover > asks nothing again that was answered",
    ],
    [
      "agent.model-call-repeated",
      "A model call under way is made again, marked as repeated; what was half said is closed as incomplete.",
      "turn/agent/agent-takeover > during a model call asks again with the same body, marked as repeated, and closes what was half said",
    ],
    [
      "agent.tool-call-repeated",
      "A tool call under way is repeated where it may be; else model and event log are told that its outcome is unknown.",
      "turn/agent/agent-takeover > during calls of tools makes those again that may be, by the same names, and tells the model of the others",
      "turn/agent/agent-takeover > whenever that is, ends as it would have, with what must not be called twice called once at most",
    ],
    [
      "agent.fenced",
      "A process that lost its turn and comes back writes nothing.",
      "turn/agent/agent-takeover > and that comes back writes nothing, though its tool answered",
    ],
    [
      "agent.limits",
      "Steps, calls, time, tokens and cost are limited: the turn ends as incomplete, with the limit's name.",
      "turn/agent/agent-limits > ends it truthfully with what was said so far: %s",
      "turn/agent/agent-limits > of time ends what is under way: a model call",
      "turn/agent/agent-limits > of time ends what is under way: a call of a tool, whose outcome is unknown then",
    ],
    [
      "agent.output-limit",
      "A model call is held to the smallest of what is left of the engine's limit and the caller's.",
      "turn/agent/agent-limits > holds for each model call by what is left of it, and of what the caller allows",
    ],
    [
      "agent.shown-calls",
      "Responses callers get mcp_call items, and function_call items for the built-in tools, with their outputs.",
      "turn/agent/agent-tools > are called with what the model wrote, told as calls, and their results are what it is asked with next",
    ],
    [
      "agent.declared-ends",
      "A call of a declared tool ends the turn, which reads completed.",
      "turn/agent/agent-tools > that the caller declares end the turn, when the others that were asked for have been called",
    ],
    [
      "agent.approval",
      "A tool that needs an approval ends the turn with an mcp_approval_request, or is an error to the model.",
      "turn/agent/agent-approval > is asked for by an item that ends the turn, when the other calls have been made",
      "turn/agent/agent-approval > is called first in the next turn where its caller approves",
      "turn/agent/agent-approval > is not called where that is %s, and the model is told",
      "turn/agent/agent-approval > is an error to the model where its caller cannot be asked",
    ],
    [
      "agent.cancelled",
      "Cancelling closes the connections of tools within a second; what was used is billed.",
      "turn/agent/agent-ends > closes the connections of its tools at once, and tells and keeps what was said",
      "turn/agent/agent-ends > in a model call says what was used of it too",
    ],
    [
      "agent.upstream-fails",
      "A step whose upstream fails is made again at most twice, then the turn ends as failed with the upstream's error.",
      "turn/agent/agent-ends > is asked three times for a step, with the same words, and each step anew",
      "turn/agent/agent-ends > ends the turn with its error when it has failed three times, and at once where that is no passing one",
    ],
    [
      "agent.sealed",
      "What steps hold of conversations, arguments and results is sealed.",
      "turn/agent/agent-run > is sealed, and gone with the end of the turn",
    ],
    [
      "agent.prompt",
      "Every step's prompt is the one before and more, byte for byte.",
      "agent/run/step-prompt > is that of the step before and more, byte for byte, over a thousand steps",
    ],
    [
      "agent.metrics",
      "Turns of agents are counted by engine and status, their steps by kind.",
      "turn/agent/agent-ends > counts turns of agents by engine and status, and their steps by kind",
    ],
  ]),
];
