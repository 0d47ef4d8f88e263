"""pydantic-ai's agent with its models of both vendors: streamed first, whole when it goes on."""

import asyncio

from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from sessions import each_session, tools_of


def model_of(session):
    name, key = session["model"], session["key"]
    if session["dialect"] == "messages":
        provider = AnthropicProvider(base_url=session["url"], api_key=key)
        return AnthropicModel(name, provider=provider)
    provider = OpenAIProvider(base_url=session["url"] + "/v1", api_key=key)
    kind = OpenAIChatModel if session["dialect"] == "chat" else OpenAIResponsesModel
    return kind(name, provider=provider)


async def run(session):
    agent = Agent(model_of(session), tools=tools_of(session), retries=0)
    opening, resuming = session["prompts"]
    async with agent.run_stream(opening) as result:
        first = await result.get_output()
        history = result.all_messages()
    return [first, (await agent.run(resuming, message_history=history)).output]


each_session(lambda session: asyncio.run(run(session)))
