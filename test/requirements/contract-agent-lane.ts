import { tested, type Requirement } from "./requirement.ts";

/** Contract section 8: who answers, in which thread, and how callers are told. */
export const contractAgentLane: readonly Requirement[] = [
  ...tested("contract 8", [
    [
      "agent.engines",
      "`agent` picks by documented rules; agent-omni, agent-fast and the header pin an engine.",
      "gateway/agent/agent-choices > is omni for what asks for more, fast for the rest, and omni again in its thread",
      "gateway/agent/agent-choices > is pinned by its model or by the header, and has its instructions before the caller's",
    ],
    [
      "agent.reachable",
      "An engine runs on its first model that the caller can reach, else the first endpoint's.",
      "gateway/agent/agent-choices > is omni for what asks for more, fast for the rest, and omni again in its thread",
      "gateway/agent/agent-choices > runs on the first custom endpoint where none of its models can be reached",
    ],
    [
      "agent.none",
      "With no model at all: 403 no_vendor_credential; where none can be paid: 402.",
      "gateway/agent/agent-choices > is 402 where nobody can pay, 403 where nothing is there or the key may not",
    ],
    [
      "agent.mode",
      "With the mode agent an ordinary model is the engine; the header beats the key.",
      "gateway/agent/agent-choices > is the model that the caller names, in the mode agent",
      "gateway/agent/reaches-agent > that is %j reaches the agent: %s",
    ],
    [
      "agent.mode-refused",
      "An agent model in the mode model, and x-svc-engine elsewhere, are 400 with that header.",
      "gateway/agent/reaches-agent > that is %j is refused with %s",
    ],
    [
      "agent.allowed",
      "allowed_models hold the agent's id and its engine's model.",
      "gateway/agent/agent-choices > is 402 where nobody can pay, 403 where nothing is there or the key may not",
    ],
    [
      "agent.output-cap",
      "A model call reserves by the smallest of the engine's, the catalogue's and the caller's cap.",
      "gateway/agent/agent-choices > asks for no more output than engine, catalogue and caller have, and reserves no more",
    ],
    [
      "agent.dialects",
      "Callers of all dialects are answered in theirs, over upstreams of all dialects.",
      "gateway/agent/agent-answers > answers callers of chat, whole and streamed",
      "gateway/agent/agent-answers > answers callers of messages, whole and streamed",
      "gateway/agent/agent-answers > answers callers of responses, whole, streamed and in the background",
    ],
    [
      "agent.thread",
      "x-svc-session names a thread, private to the account; without it a new one is made.",
      "gateway/agent/agent-threads > is gone on with by its name: only the last message is added, whatever else is sent",
      "gateway/agent/agent-threads > is another with every call that names none, and another account's by the same name",
    ],
    [
      "agent.history",
      "Earlier messages of the body are the history only where the thread has none.",
      "gateway/agent/agent-threads > begins with what the first call brings, in all dialects",
      "gateway/agent/agent-threads > is gone on with by its name: only the last message is added, whatever else is sent",
    ],
    [
      "agent.previous",
      "previous_response_id of a turn names its thread, of an older one forks it; another session is 400.",
      "gateway/agent/agent-threads > is named by the response that stands last in it, and forked behind an older one",
      "gateway/agent/agent-threads > goes on from the answer of an ordinary model",
    ],
    [
      "agent.thread-form",
      "Its form is ^\\w{1,59}$, else 400.",
      "gateway/agent/agent-choices > is 400 with what is wrong, and stores nothing",
      "gateway/route/refusals > name the header %s: %j",
    ],
    [
      "agent.headers",
      "x-svc-session and x-svc-turn are on every answer, before the body.",
      "gateway/agent/agent-answers > answers callers of chat, whole and streamed",
      "gateway/agent/agent-answers > answers callers of messages, whole and streamed",
      "gateway/agent/agent-answers > answers callers of responses, whole, streamed and in the background",
    ],
    [
      "agent.independent",
      "A turn is stored first and runs on when the caller hangs up.",
      "gateway/agent/agent-lifecycle > leaves a turn that goes on, and is followed from the beginning at another process",
    ],
    [
      "agent.result",
      "Its result is got by turn id, by thread, or by the next call of the session.",
      "gateway/agent/agent-lifecycle > leaves a turn that goes on, and is followed from the beginning at another process",
      "gateway/agent/agent-lifecycle > takes the next one when that has ended, at any process",
    ],
    [
      "agent.busy",
      "A second turn waits up to 30 s, then 429 with retry-after.",
      "gateway/agent/agent-lifecycle > takes the next one when that has ended, at any process",
      "gateway/agent/agent-lifecycle > refuses it with 429 where that takes too long",
    ],
    [
      "agent.instructions",
      "Instructions are the engine's, then the rules, then the caller's.",
      "gateway/agent/agent-choices > is pinned by its model or by the header, and has its instructions before the caller's",
    ],
    [
      "agent.declared-tools",
      "A call of a declared tool ends the turn and is resumed by its result; an unknown one is 400.",
      "gateway/agent/declared-tools > ends the turn of a chat caller, whose result is the next one",
      "gateway/agent/declared-tools > ends the turn of a messages caller, streamed, whose result is the next one",
      "gateway/agent/declared-tools > ends the turn of a responses caller, and is left unanswered by a plain message",
    ],
    [
      "agent.shown",
      "Chat and messages callers get text, reasoning and declared calls only.",
      "gateway/agent/declared-tools > is not shown to callers of chat and messages, and its output to those of responses",
    ],
    [
      "agent.alias",
      "A leading @token in the last user message chooses the model, and is not shown to it.",
      "gateway/agent/agent-threads > chooses the model of the turn, and is not shown to it",
    ],
    [
      "agent.refusals",
      "Refusals (400 to 429) come before a turn is stored.",
      "gateway/agent/agent-choices > is 400 with what is wrong, and stores nothing",
      "gateway/agent/agent-choices > is 402 where nobody can pay, 403 where nothing is there or the key may not",
    ],
    [
      "agent.thread-deleted",
      "deleteThread: its turns are 404 from then on, a running one is cancelled.",
      "gateway/agent/agent-threads > is listed, shown with what was said, and deleted with its turns",
      "gateway/agent/agent-lifecycle > is cancelled when it is deleted, wherever that is asked",
    ],
    [
      "agent.failed",
      "A turn that fails tells the upstream's error in the caller's dialect.",
      "gateway/agent/agent-lifecycle > tells the upstream's error in each dialect, in the middle of a stream too",
    ],
    [
      "agent.data",
      "Tool output is data, never instructions to the server.",
      "gateway/agent/declared-tools > is not shown to callers of chat and messages, and its output to those of responses",
    ],
    [
      "agent.threads-kept",
      "Threads and their turns are kept for retention.threads_days (30), sealed.",
      "gateway/agent/agent-threads-kept > is kept, with its turns, for retention.threads_days after its last turn",
      "gateway/agent/agent-threads-kept > is deleted with its turns when its time has passed, and no other is",
      "gateway/agent/agent-threads-kept > is sealed in the database, with what it began with",
    ],
    [
      "agent.websocket",
      "A message of the WebSocket mode reaches the agent as other calls do.",
      "gateway/agent/agent-threads-kept > is answered by the agent, and the next goes on in its thread",
    ],
  ]),
];
