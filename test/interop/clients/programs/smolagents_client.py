"""smolagents' agent that calls tools, over chat."""

import json
import re

from sessions import each_session, tools_of
from smolagents import OpenAIModel, ToolCallingAgent, tool


def ended_by_tool(prompt):
    """Its model ends by calling a tool with its last words."""

    def called(match):
        return "call final_answer " + json.dumps({"answer": match[1]})

    return re.sub(r"^say (.*)$", called, prompt, flags=re.MULTILINE)


def run(session):
    model = OpenAIModel(
        model_id=session["model"], api_base=session["url"] + "/v1", api_key=session["key"]
    )
    tools = [tool(function) for function in tools_of(session)]
    agent = ToolCallingAgent(tools=tools, model=model, max_steps=6, verbosity_level=0)
    opening, resuming = map(ended_by_tool, session["prompts"])
    return [agent.run(opening), agent.run(resuming, reset=False)]


each_session(run)
