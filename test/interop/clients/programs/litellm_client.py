"""LiteLLM's completion over chat and messages, and its responses."""

import litellm
from sessions import SCHEMAS, call_tool, each_session

litellm.suppress_debug_info = True


def settings_of(session):
    vendor, base = {
        "chat": ("openai", session["url"] + "/v1"),
        "responses": ("openai", session["url"] + "/v1"),
        "messages": ("anthropic", session["url"]),
    }[session["dialect"]]
    return {
        "model": f"{vendor}/{session['model']}",
        "api_base": base,
        "api_key": session["key"],
        "num_retries": 0,
    }


def over_completion(session):
    tools = [
        {
            "type": "function",
            "function": {"name": name, "description": description, "parameters": schema},
        }
        for name, (description, schema) in SCHEMAS.items()
    ]
    said, messages = [], []
    for prompt in session["prompts"]:
        messages.append({"role": "user", "content": prompt})
        while True:
            chunks = list(
                litellm.completion(
                    **settings_of(session), messages=messages, tools=tools, stream=True
                )
            )
            message = litellm.stream_chunk_builder(chunks, messages=messages).choices[0].message
            messages.append(message)
            if not message.tool_calls:
                said.append(message.content)
                break
            for call in message.tool_calls:
                result = call_tool(session, call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return said


def over_responses(session):
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
    said, items = [], []
    for prompt in session["prompts"]:
        items.append({"role": "user", "content": prompt})
        while True:
            response = litellm.responses(**settings_of(session), input=items, tools=tools)
            calls = [item for item in response.output if item.type == "function_call"]
            items += [item.model_dump(exclude_none=True) for item in response.output]
            if not calls:
                said.append(response.output_text)
                break
            for call in calls:
                result = call_tool(session, call.name, call.arguments)
                items.append(
                    {"type": "function_call_output", "call_id": call.call_id, "output": result}
                )
    return said


over = {"chat": over_completion, "messages": over_completion, "responses": over_responses}
each_session(lambda session: over[session["dialect"]](session))
