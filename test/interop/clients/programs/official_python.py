"""The official Python clients, streamed, with the runner of tools where there is one."""

from anthropic import Anthropic, beta_tool
from openai import OpenAI
from sessions import SCHEMAS, call_tool, each_session, tools_of


def openai_client(session):
    return OpenAI(base_url=session["url"] + "/v1", api_key=session["key"], max_retries=0)


def over_chat(session):
    client = openai_client(session)
    tools = [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": description,
                "parameters": schema,
                "strict": True,
            },
        }
        for name, (description, schema) in SCHEMAS.items()
    ]
    said, messages = [], []
    for prompt in session["prompts"]:
        messages.append({"role": "user", "content": prompt})
        while True:
            with client.chat.completions.stream(
                model=session["model"], messages=messages, tools=tools
            ) as stream:
                message = stream.get_final_completion().choices[0].message
            messages.append(sendable(message))
            if not message.tool_calls:
                said.append(message.content)
                break
            for call in message.tool_calls:
                result = call_tool(session, call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return said


def sendable(message):
    """The stream's helper adds members of its own, which no vendor knows."""
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.function.name, "arguments": call.function.arguments},
        }
        for call in message.tool_calls or []
    ]
    said = {"role": "assistant", "content": message.content}
    return {**said, "tool_calls": calls} if calls else said


def over_messages(session):
    client = Anthropic(base_url=session["url"], api_key=session["key"], max_retries=0)
    tools = [beta_tool(tool) for tool in tools_of(session)]
    said, messages = [], []
    for prompt in session["prompts"]:
        messages.append({"role": "user", "content": prompt})
        runner = client.beta.messages.tool_runner(
            model=session["model"], max_tokens=4000, messages=messages, tools=tools, stream=True
        )
        for stream in runner:
            last = stream.get_final_message()
        text = "".join(getattr(block, "text", "") for block in last.content)
        said.append(text)
        messages.append({"role": "assistant", "content": text})
    return said


def over_responses(session):
    client = openai_client(session)
    tools = [
        {
            "type": "function",
            "name": name,
            "description": description,
            "parameters": schema,
            "strict": True,
        }
        for name, (description, schema) in SCHEMAS.items()
    ]
    said, previous = [], None
    for prompt in session["prompts"]:
        items = [{"role": "user", "content": prompt}]
        while True:
            more = {} if previous is None else {"previous_response_id": previous}
            with client.responses.stream(
                model=session["model"], input=items, tools=tools, **more
            ) as stream:
                response = stream.get_final_response()
            previous = response.id
            calls = [item for item in response.output if item.type == "function_call"]
            if not calls:
                said.append(response.output_text)
                break
            items = [
                {
                    "type": "function_call_output",
                    "call_id": call.call_id,
                    "output": call_tool(session, call.name, call.arguments),
                }
                for call in calls
            ]
    return said


over = {"chat": over_chat, "messages": over_messages, "responses": over_responses}
each_session(lambda session: over[session["dialect"]](session))
